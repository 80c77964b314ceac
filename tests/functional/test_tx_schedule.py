# SPDX-License-Identifier: BSD-3-Clause
"""Packets with a time: none leaves before it, and all leave in their order (WAIT on time)."""

import struct
import time

import pytest
from harness.datapath import needs, no_broken_port, ports  # noqa: F401  pylint: disable=unused-import
from harness.testpmd import Refused

SIGNATURE = 0xBEEFC0DE  # testpmd writes it, a number, a queue and the time into packets that it schedules
MARK_AT = 14 + 20 + 8
BETWEEN_NS, INSIDE_NS, BURST = 20_000_000, 3_000_000, 4


def time_of(data):
    signature, _, _, when = struct.unpack("!IHHQ", data[MARK_AT:MARK_AT + 16])
    assert signature == SIGNATURE
    return when


@pytest.mark.parametrize("clock", ["free", "real"])
def test_never_early(dut, ports, clock):  # noqa: F811
    needs(dut, "scheduling")
    port = ports(settings={"ts_format": clock}, queues=1)
    if dut[1] == "cx6dx":  # has no wait_on_time
        with pytest.raises(Refused):
            port.restarted("port config 0 tx_offload send_on_timestamp on")
            assert "SEND_ON_TIMESTAMP" in port.testpmd.command("show port 0 tx_offload configuration")
            raise Refused("not offered")
        return
    port.restarted("port config 0 tx_offload send_on_timestamp on", "set txpkts 100", f"set burst {BURST}",
                   f"set txtimes {BETWEEN_NS},{INSIDE_NS}")
    # Device time is the machine's monotonic time and something; less than a millisecond passes before it is read.
    offset = min(-time.monotonic_ns() + int(port.order("clock 0")) for _ in range(10))
    port.testpmd.command("stop")
    port.wire.drain()
    port.do("set verbose 0")
    port.do("set fwd txonly")
    port.do("start")
    seen, deadline = [], time.monotonic() + 10
    while len(seen) < 60 and time.monotonic() < deadline:
        data = port.wire.receive(0.1)
        if data is not None and len(data) == 100:
            seen.append((time_of(data), time.monotonic_ns() + offset))
    port.testpmd.command("stop")
    port.do("set fwd io")
    assert len(seen) == 60
    times = [when for when, _ in seen]
    assert times == sorted(times) and min(times) > 0
    assert {b - a for a, b in zip(times, times[1:])} == {INSIDE_NS, BETWEEN_NS}
    early = [(when, left) for when, left in seen if left < when]
    assert not early, f"{len(early)} of {len(seen)} left too early: {early[:3]}"
    assert times[-1] - times[0] > 14 * BETWEEN_NS
