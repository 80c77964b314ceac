# SPDX-License-Identifier: BSD-3-Clause
"""Frames of many buffers, in and out, and the MTU that lets them."""

from harness.eth import eth, eth_factory  # noqa: F401  pylint: disable=unused-import
from harness.frames import IP, TCP, UDP, Dot1Q, frame
from harness.port import Expect

MTU, ROOM = 9000, 1024
SETTINGS = {"mtu": str(MTU)}
TESTPMD_ARGS = (f"--mbuf-size={ROOM}", "--enable-scatter", f"--max-pkt-len={MTU + 18}", "--tx-offloads=0x8000")


def payload(length):
    """Of a UDP packet over IPv4 that makes a frame of length bytes."""
    return length - 14 - 20 - 8


def test_scattered_and_gathered(eth):  # noqa: F811
    """Every size comes in as a chain and leaves as one, byte for byte."""
    eth.restarted(f"port config mtu 0 {MTU}")
    lengths = [60, 127, 128, 895, 896, 897, 1023, 1024, 1025, 1500, 1514, 4000, 8191, 8192, 9000, 9014]
    for _ in range(2):
        sent = [frame(IP(src=f"10.0.{i}.1"), UDP(), dst=eth.mac, size=payload(n)) for i, n in enumerate(lengths)]
        assert [len(p) for p in sent] == lengths
        seen = {p.src: p.segs for p in eth.exchange(sent, [Expect() for _ in sent])}
        for p in sent:
            assert seen[p.src] >= (len(p) + ROOM - 1) // ROOM
            assert seen[p.src] <= len(p) // (ROOM - 128) + 1
    tagged = frame(IP(), UDP(), dst=eth.mac, size=payload(MTU + 14), vlans=[Dot1Q(vlan=3)])
    eth.exchange([tagged], [Expect()])


def test_checksum_of_a_chain(eth):  # noqa: F811
    """The port fills in what lies in another segment than most of what is summed up."""
    eth.restarted("csum set ip hw 0", "csum set udp hw 0", "csum set tcp hw 0", mode="csum")
    try:
        sent = [frame(IP(), l4(sport=n, dport=2000), dst=eth.mac, size=n) for l4 in (UDP, TCP) for n in (900, 2001, 8900)]
        out = [bytes(p) for p in sent]
        out = [bytes.fromhex("020000000000") + bytes.fromhex(eth.mac.replace(":", "")) + data[12:] for data in out]
        expected = [Expect(out=data) for data in out]
        eth.compare(sent, expected, *eth.carry(sent, expected))
    finally:
        eth.restarted("csum set ip sw 0", "csum set udp sw 0", "csum set tcp sw 0")


def test_mtu(eth):  # noqa: F811
    """Told, kept, and larger than what the port can hold is refused."""
    eth.restarted("port config mtu 0 1700")
    assert int(eth.info(r"MTU: (\d+)")) == 1700
    eth.exchange([frame(IP(), UDP(), dst=eth.mac, size=payload(1714))], [Expect()])
    too_long = int(eth.info(r"Maximum configurable length of RX packet: (\d+)"))
    text = eth.testpmd.command(f"port config mtu 0 {too_long}")
    assert int(eth.info(r"MTU: (\d+)")) == 1700, text
    eth.restarted(f"port config mtu 0 {MTU}")
    eth.exchange([frame(IP(), UDP(), dst=eth.mac, size=payload(MTU + 14))], [Expect()])
