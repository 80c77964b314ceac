# SPDX-License-Identifier: BSD-3-Clause
"""Receive timestamps, free-running and real-time, and the port's clock as ethdev reads it."""

import pytest
from harness.datapath import needs, no_broken_port, ports  # noqa: F401  pylint: disable=unused-import
from harness.frames import IP, UDP, frame
from harness.port import Expect

NOON = 1_700_000_000_123_456_789


@pytest.fixture(params=["free", "real"])
def stamped(request, dut, ports):  # noqa: F811
    """A port with timestamps on, its clock in that format."""
    needs(dut, "timestamps")
    port = ports(settings={"ts_format": request.param})
    if not getattr(port, "stamped", False):
        port.restarted("port config 0 rx_offload timestamp on")
        port.stamped = True
    return port


def test_arrival(stamped):
    """A frame was stamped after it was sent and before it was seen, in nanoseconds of the port's clock; order is kept."""
    sent = [frame(IP(src=f"10.0.{i}.1", dst="10.0.0.2"), UDP(), dst=stamped.mac) for i in range(24)]
    before = int(stamped.order("clock 0"))
    seen = stamped.exchange(sent, [Expect() for _ in sent])
    after = int(stamped.order("clock 0"))
    assert all(before < p.timestamp < after for p in seen), f"{[p.timestamp for p in seen]} not in {before}..{after}"
    times = {p.src: p.timestamp for p in seen}
    in_order = [times[p.src] for p in sent]
    assert in_order == sorted(in_order)


def test_clock_set(stamped):
    """The clock is what the timestamps show, whatever it is set to."""
    sent = [frame(IP(), UDP(), dst=stamped.mac)]
    stamped.order(f"clock 0 {NOON}")
    seen = stamped.exchange(sent, [Expect()])
    assert NOON < seen[0].timestamp < NOON + 5_000_000_000


def test_read_clock(stamped):
    """rte_eth_read_clock reads the clock of the timestamps."""
    first = int(stamped.order("ethclock 0"))
    now = int(stamped.order("clock 0"))
    second = int(stamped.order("ethclock 0"))
    assert first <= now <= second
