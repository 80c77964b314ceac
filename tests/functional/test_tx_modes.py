# SPDX-License-Identifier: BSD-3-Clause
"""How a driver may write what it sends: multi-packet requests or single ones, pointers or bytes; and errors in the midst of it."""

import random
import re
import time

import pytest
from harness.datapath import needs, no_broken_port, ports  # noqa: F401  pylint: disable=unused-import
from harness.frames import IP, UDP, frame, number_of
from harness.port import Expect

POINTERS = ["txq_mpw_en=1", "txq_inline_max=0", "txq_inline_mpw=0"]
MODES = {
    "multi-packet": POINTERS,
    "multi-packet, bytes": ["txq_mpw_en=1", "txqs_min_inline=1", "txq_inline_mpw=200"],
    "multi-packet, long ones as bytes": ["txq_mpw_en=1", "txqs_min_inline=1", "txq_inline_mpw=900"],
    "single": ["txq_mpw_en=0", "txq_inline_max=0"],
    "single, bytes": ["txq_mpw_en=0", "txqs_min_inline=1", "txq_inline_max=300"],
}


def flow(port, sizes):
    return [frame(IP(src="10.0.0.1", dst="10.0.0.2"), UDP(), dst=port.mac, size=n) for n in sizes]


@pytest.mark.parametrize("mode", MODES)
def test_modes(dut, ports, mode):  # noqa: F811
    """Every frame leaves as it came, whatever the requests look like; the ring is wrapped many times."""
    needs(dut, "multi-packet", "inline")
    port = ports(MODES[mode], ["--txd=256"])
    some = random.Random(mode)
    for _ in range(4):
        sent = flow(port, [some.choice((18, 19, 20, 150, 160, 500, some.randrange(18, 1400))) for _ in range(150)])
        port.exchange(sent, [Expect() for _ in sent])


def test_bytes_of_requests(dut, ports):  # noqa: F811
    """Sixteen bytes a packet and thirty-two for all, rounded up to sixty-four: less than a request for each."""
    needs(dut, "multi-packet")
    counts = {}
    for mode in ("multi-packet", "single"):
        port = ports(MODES[mode], ["--no-flush-rx"], queues=1)
        sent = flow(port, [18] * 128)
        # Frames of a tap come one by one; a forwarding that stood still for a moment has many at once.
        port.testpmd.command("stop")
        counts[mode] = port.queues_moved("tx", lambda: blocked(port, sent))[0]
    assert counts["single"]["wqe"] == (128, 128 * 64)
    assert counts["multi-packet"]["data read"] == counts["single"]["data read"] == (128, 128 * 60)
    requests, octets = counts["multi-packet"]["wqe"]
    assert requests < 64 and octets < 64 * 64
    assert counts["multi-packet"]["doorbell"][0] <= requests


def collect(port, quiet=0.5):
    """Numbers of the frames that leave, until none has left and nothing was said for a while."""
    out, since = [], time.monotonic()
    while time.monotonic() - since < quiet:
        if port.testpmd.listen(0.02):
            since = time.monotonic()
        some = port.wire.drain()
        if some:
            since = time.monotonic()
        out += [number_of(d) for d in some]
    return out


def send(port, sent):
    """@return the numbers of the frames that left, and of those that were sent."""
    collect(port, 0.2)
    for p in sent:
        port.wire.send(bytes(p))
    return collect(port), [number_of(bytes(p)) for p in sent]


def blocked(port, sent):
    """Frames that wait in the receive queue until forwarding begins."""
    collect(port, 0.2)
    for p in sent:
        port.wire.send(bytes(p))
    time.sleep(0.5)
    port.do("start")
    assert collect(port) == [number_of(bytes(p)) for p in sent]


def errors(port):
    return {k: int(v) for k, v in re.findall(r"(\w+)-errors: +(\d+)", port.testpmd.command("show port stats 0"))}


@pytest.mark.parametrize("syndrome", ["0x02", "0x04"])
def test_error_in_a_session(dut, ports, syndrome):  # noqa: F811
    """The packet at fault and some behind it are lost; the queue is brought back, and all that follows leaves."""
    needs(dut, "tx recovery")
    port = ports(POINTERS, queues=1)
    for nth in (1, 5, 17, 40):
        sent = flow(port, [40] * 64)
        port.order(f"fault 0 packet:*:{nth}:{syndrome}")
        left, wanted = send(port, sent)
        assert left[:nth - 1] == wanted[:nth - 1] and wanted[nth - 1] not in left
        assert left == sorted(left) and len(left) == len(set(left)), "each once, in order"
        port.order("fault 0 clear")
        sent = flow(port, [40] * 64)
        port.exchange(sent, [Expect(queue=0) for _ in sent])
    assert errors(port)["TX"] > 0


@pytest.mark.parametrize("syndrome", ["0x01", "0x02", "0x04"])
def test_receive_error(dut, ports, syndrome):  # noqa: F811
    """The frame at fault is lost, for the grave ones those too that come before the queue is back."""
    needs(dut, "rx recovery")
    port = ports(["rx_vec_en=0", "rxq_cqe_comp_en=0"], queues=1)
    for nth in (1, 7, 33):
        sent = flow(port, [40] * 64)
        port.order(f"fault 0 rq:*:{nth}:{syndrome}")
        left, wanted = send(port, sent)
        assert left[:nth - 1] == wanted[:nth - 1] and wanted[nth - 1] not in left
        if syndrome == "0x01":
            assert left == wanted[:nth - 1] + wanted[nth:]
        sent = flow(port, [40] * 64)
        port.exchange(sent, [Expect(queue=0) for _ in sent])
