# SPDX-License-Identifier: BSD-3-Clause
"""Compressed completions: every format, scalar and vector bursts; each frame is what it would be without."""

import random

import pytest
from harness.datapath import needs, no_broken_port, ports  # noqa: F401  pylint: disable=unused-import
from harness.frames import ICMP, IP, TCP, UDP, Dot1Q, IPv6, frame
from harness.port import Expect
from harness.testpmd import release

pytestmark = pytest.mark.one_model  # the models do it alike

IPV4, IPV6 = "L3_IPV4_EXT_UNKNOWN", "L3_IPV6_EXT_UNKNOWN"
PATIENCE = {"cqe_comp_us": "20000"}  # frames of a tap come one by one: they wait for each other
ENHANCED = 0x80  # the layout: blocks of up to seven, of one slot each
FORMATS = [1, 2, 3, 4, ENHANCED | 1, ENHANCED | 2, ENHANCED | 3, ENHANCED | 4]


def same(port, count, size=30):
    """Frames of one flow: all their completions are alike but for length."""
    return [frame(IP(src="10.0.0.1", dst="10.0.0.2"), UDP(), dst=port.mac, size=size + i % 7) for i in range(count)]


def mixed(port, count, seed):
    """Frames of many kinds and sizes, in runs of the same kind; with the packet types they must be told by."""
    some = random.Random(seed)
    kinds = [((IP, UDP), [IPV4, "L4_UDP"]), ((IP, TCP), [IPV4, "L4_TCP"]), ((IPv6, UDP), [IPV6, "L4_UDP"]),
             ((IPv6, TCP), [IPV6, "L4_TCP"]), ((IP, ICMP), [IPV4, "L4_NONFRAG"])]
    sent, types = [], []
    while len(sent) < count:
        (l3, l4), names = some.choice(kinds)
        for _ in range(some.randrange(1, 12)):
            sent.append(frame(l3(), l4(), dst=port.mac, size=some.randrange(20, 1300)))
            types.append(names)
    return sent, types


@pytest.fixture(scope="module", params=[f"{form}-{vector}" for form in FORMATS for vector in (0, 1)])
def compressed(dut, request, ports):  # noqa: F811
    """A function that gives the port of that format, with scalar or vector bursts."""
    form, vector = (int(n) for n in request.param.split("-"))
    needs(dut, "compression", f"format {form}")
    if form & ENHANCED and dut[0].name == "mlx5" and release() < (23, 3):
        pytest.skip(f"mlx5 of testpmd {'.'.join(map(str, release()))} knows the basic layout alone")
    return lambda: ports([f"rxq_cqe_comp_en={form}", f"rx_vec_en={vector}"], settings=PATIENCE)


def test_formats(compressed):
    port = compressed()
    sent = same(port, 96)
    operations, octets = port.moved("cqe", lambda: port.exchange(sent, [Expect(queue=None) for _ in sent]))
    # A session of 8 has two entries of 64 bytes; sent frames have theirs too, at most one a burst of 8.
    assert octets < 64 * len(sent), f"{operations} completions of {octets} bytes for {len(sent)} frames: nothing compressed"
    for seed in range(3):
        sent, _ = mixed(port, 150, seed)
        port.exchange(sent, [Expect() for _ in sent])


def test_types(compressed):
    """What each frame is, told through the sessions."""
    port = compressed()
    sent, types = mixed(port, 150, 9)
    port.exchange(sent, [Expect(ptype=["L2_ETHER", *t]) for t in types])


def test_off(dut, ports):  # noqa: F811
    port = ports(["rxq_cqe_comp_en=0"], settings=PATIENCE)
    sent = same(port, 64)
    operations, octets = port.moved("cqe", lambda: port.exchange(sent, [Expect() for _ in sent]))
    assert octets >= 64 * len(sent) and octets == 64 * operations


@pytest.mark.parametrize("vector", [0, 1])
def test_vlan_strip(dut, ports, vector):  # noqa: F811
    """The tag is common to a session: another one begins another."""
    needs(dut, "compression")
    port = ports(["rxq_cqe_comp_en=1", f"rx_vec_en={vector}"], settings=PATIENCE)
    port.do("vlan set strip on 0")
    try:
        sent = [frame(IP(), UDP(), dst=port.mac, vlans=[Dot1Q(vlan=10 + i // 9)] if i % 9 else ()) for i in range(90)]
        expected = []
        for i, p in enumerate(sent):
            data = bytes(p)
            expected.append(Expect(rx=data[:12] + data[16:], vlan=10 + i // 9) if i % 9 else Expect(vlan=None))
        port.exchange(sent, expected)
    finally:
        port.do("vlan set strip off 0")


@pytest.mark.parametrize("vector", [0, 1])
@pytest.mark.parametrize("layout", [0, ENHANCED])
def test_small_ring(dut, ports, vector, layout):  # noqa: F811
    """Rings of 64: sessions meet the ring's end and its fill all the time."""
    needs(dut, "compression")
    if layout and dut[0].name == "mlx5" and release() < (23, 3):
        pytest.skip("not of this release's mlx5")
    port = ports([f"rxq_cqe_comp_en={layout | 1}", f"rx_vec_en={vector}"], ["--rxd=64"], settings=PATIENCE, queues=1)
    for count in (100, 63, 64, 65, 200):
        sent = same(port, count)
        port.exchange(sent, [Expect(queue=0) for _ in sent])
