# SPDX-License-Identifier: BSD-3-Clause
"""What testpmd's checksum forwarding asks of a port for what it sends: TSO, in tunnels too, inner and outer checksums, tags."""

import time

import pytest
from harness.eth import eth, eth_factory  # noqa: F401  pylint: disable=unused-import
from harness.frames import IP, TCP, UDP, VXLAN, Dot1Q, Ether, IPv6, Raw, changed, frame, wire_bytes

PEER = "02:00:00:00:00:00"  # testpmd's default of the other side, port 0
MSS = 300
HARDWARE = ("csum set ip hw 0", "csum set udp hw 0", "csum set tcp hw 0")
SOFTWARE = ("csum set ip sw 0", "csum set udp sw 0", "csum set tcp sw 0")


def sent_as(port, packet):
    """Checksum forwarding's addresses."""
    return Ether(changed(packet, src=port.mac, dst=PEER))


def cut(packet, mss):
    """The frames that a TCP packet is cut into: lengths, identifications, sequence numbers, flags, checksums."""
    payload = bytes(packet[TCP].payload)
    pieces = [payload[i:i + mss] for i in range(0, len(payload), mss)]
    frames = []
    for n, piece in enumerate(pieces):
        p = packet.copy()
        p[TCP].remove_payload()
        p = p / Raw(piece)
        p[TCP].seq = packet[TCP].seq + n * mss
        p[TCP].flags = int(packet[TCP].flags) & (~0x09 if n + 1 < len(pieces) else ~0) & (~0x80 if n else ~0)
        layer = p
        while layer and layer.name != "NoPayload":
            if layer.name == "IP":
                layer.id = (layer.id + n) & 0xFFFF
            layer = layer.payload
        frames.append(p)
    return frames


def exchange(port, sent, expected, seconds=5, quiet=0.05):
    """Send the frames; exactly the expected ones leave, in their order, the shortest padded."""
    expected = [data.ljust(60, b"\0") for data in expected]
    port.silence()
    for p in sent:
        port.wire.send(bytes(p))
    out, deadline = [], time.monotonic() + seconds
    while len(out) < len(expected) and time.monotonic() < deadline:
        port.testpmd.listen(0.005)
        out += port.wire.drain()
    time.sleep(quiet)
    out += port.wire.drain()
    for n, (got, want) in enumerate(zip(out, expected)):
        assert got == want, f"frame {n} left as {Ether(got).show(dump=True)} not as {Ether(want).show(dump=True)}"
    assert len(out) == len(expected)


def tcp_packets(port, layers, sizes=(MSS + 1, 2 * MSS, 1000, 1300), flags=("A", "PA", "FPA", "CPA")):
    return [frame(*layers(), TCP(sport=1000 + n, dport=2000, seq=7 << 20, flags=f), dst=port.mac, size=size)
            for n, (size, f) in enumerate((s, f) for s in sizes for f in flags)]


@pytest.mark.parametrize("layers", [lambda: (IP(id=500),), lambda: (IPv6(),)], ids=["ipv4", "ipv6"])
def test_tso(eth, layers):  # noqa: F811
    eth.restarted(*HARDWARE, f"tso set {MSS} 0", mode="csum")
    try:
        sent = tcp_packets(eth, layers)
        exchange(eth, sent, [wire_bytes(f) for p in sent for f in cut(sent_as(eth, p), MSS)])
        short = tcp_packets(eth, layers, sizes=(30, MSS))
        exchange(eth, short, [bytes(sent_as(eth, p)) for p in short])
    finally:
        eth.restarted(*SOFTWARE, "tso set 0 0")


def test_tso_tagged(eth):  # noqa: F811
    """The tag is one of the headers that are repeated."""
    eth.restarted(*HARDWARE, f"tso set {MSS} 0", mode="csum")
    try:
        sent = [frame(IP(id=9), TCP(sport=n, dport=2, flags="PA"), dst=eth.mac, size=1000 + n, vlans=[Dot1Q(vlan=7)])
                for n in range(4)]
        exchange(eth, sent, [wire_bytes(f) for p in sent for f in cut(sent_as(eth, p), MSS)])
    finally:
        eth.restarted(*SOFTWARE, "tso set 0 0")


def in_vxlan(port, inner_l3, inner_l4, size, outer=lambda: IP(id=300)):
    """Frames in a VXLAN tunnel; without an outer UDP checksum, as most are."""
    inner = Ether(src="02:00:00:00:01:01", dst="02:00:00:00:01:02")
    return frame(outer(), UDP(sport=4000, dport=4789, chksum=0), VXLAN(vni=7), inner, inner_l3, inner_l4, dst=port.mac, size=size)


TUNNEL_ON = ("csum set outer-ip hw 0", "csum parse-tunnel on 0")
TUNNEL_OFF = ("csum set outer-ip sw 0", "csum parse-tunnel off 0")


def tunnel_bytes(port, packet):
    """All checksums right but the outer UDP one, which stays 0."""
    p = packet.copy()
    p[Ether].src, p[Ether].dst = port.mac, PEER
    data = bytearray(wire_bytes(p))
    at = 14 + 20 + 6
    data[at:at + 2] = b"\0\0"
    return bytes(data)


def test_tunnel_checksums(eth):  # noqa: F811
    """Outer IPv4, inner IPv4 and inner TCP or UDP, all by the port."""
    eth.restarted(*HARDWARE, *TUNNEL_ON, mode="csum")
    try:
        sent = [in_vxlan(eth, l3(), l4(sport=5, dport=6), size) for l3 in (IP, IPv6) for l4 in (UDP, TCP) for size in (20, 101, 900)]
        exchange(eth, sent, [tunnel_bytes(eth, p) for p in sent])
    finally:
        eth.restarted(*SOFTWARE, *TUNNEL_OFF)


@pytest.mark.parametrize("inner", [lambda: IP(id=40), IPv6], ids=["ipv4", "ipv6"])
def test_tunnel_tso(eth, inner):  # noqa: F811
    eth.restarted(*HARDWARE, *TUNNEL_ON, f"tunnel_tso set {MSS} 0", mode="csum")
    try:
        sent = [in_vxlan(eth, inner(), TCP(sport=5, dport=6, seq=1000, flags="PA"), size) for size in (MSS + 1, 600, 1201)]
        exchange(eth, sent, [tunnel_bytes(eth, f) for p in sent for f in cut(p, MSS)])
    finally:
        eth.restarted(*SOFTWARE, *TUNNEL_OFF, "tunnel_tso set 0 0")


def test_mixed_burst(eth):  # noqa: F811
    """Frames of all kinds one behind the other: descriptors of many kinds, one order."""
    eth.restarted(*HARDWARE, f"tso set {MSS} 0", mode="csum")
    try:
        sent, expected = [], []
        for n in range(60):
            l4 = TCP(sport=n, dport=9, flags="PA") if n % 3 else UDP(sport=n, dport=9)
            p = frame((IP(id=n), IPv6())[n % 2], l4, dst=eth.mac, size=20 + n * 20)
            sent.append(p)
            expected += [wire_bytes(f) for f in cut(sent_as(eth, p), MSS)] if n % 3 and len(p[TCP].payload) > MSS else [bytes(sent_as(eth, p))]
        exchange(eth, sent, expected, seconds=10)
    finally:
        eth.restarted(*SOFTWARE, "tso set 0 0")


def test_metadata_reaches_egress(eth):  # noqa: F811
    """What a packet carries in rte_flow's dynamic field is matched by the rules on what is sent."""
    eth.restarted("port config 0 tx_metadata 0x77")
    try:
        with eth.flows(ingress=False) as flows:
            root = flows.table(["eth"], [("jump group 1", "jump group 0xffffffff")], group=0, rules=1)
            flows.rule(root, "eth", "jump group 1")
            table = flows.table(["meta data mask 0xffffffff"], ["drop"])
            flows.rule(table, "meta data spec 0x77", "drop")
            sent = [frame(IP(), UDP(), dst=eth.mac, size=n) for n in (20, 900)]
            exchange(eth, sent, [], quiet=0.4)
            eth.between("port config 0 tx_metadata 0x78")
            exchange(eth, sent, [bytes(p) for p in sent])
    finally:
        eth.restarted("port config 0 tx_metadata 0")
