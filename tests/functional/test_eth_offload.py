# SPDX-License-Identifier: BSD-3-Clause
"""What the port does to frames, or says of them: tags, checksums, packet types."""

from harness.eth import eth, eth_factory  # noqa: F401  pylint: disable=unused-import
from harness.frames import ICMP, IP, TCP, UDP, VXLAN, Dot1Q, Ether, ICMPv6EchoRequest, IPv6, changed, frame
from harness.port import Expect

TESTPMD_ARGS = ("--enable-rx-cksum",)
PEER = "02:00:00:00:00:00"  # testpmd's default of the other side, port 0
IP_GOOD, L4_GOOD = "RTE_MBUF_F_RX_IP_CKSUM_GOOD", "RTE_MBUF_F_RX_L4_CKSUM_GOOD"
STRIPPED = "RTE_MBUF_F_RX_VLAN_STRIPPED"


def untagged(packet):
    data = bytes(packet)
    return data[:12] + data[16:]


def tagged(data, vlan):
    return data[:12] + bytes.fromhex("8100") + vlan.to_bytes(2, "big") + data[12:]


def vlan_frames(port, count=12):
    return [frame(IP(src=f"10.0.{i}.1", dst="10.0.0.2"), UDP(), dst=port.mac, vlans=[Dot1Q(vlan=100 + i, prio=3)], size=40)
            for i in range(count)]


def test_vlan_strip(eth):  # noqa: F811
    plain = frame(IP(), UDP(), dst=eth.mac)
    sent = vlan_frames(eth)
    eth.do("vlan set strip on 0")
    eth.exchange([*sent, plain], [Expect(rx=untagged(p), vlan=3 << 13 | 100 + i, flags=[STRIPPED]) for i, p in enumerate(sent)]
                 + [Expect()])
    eth.do("vlan set strip off 0")
    eth.exchange(sent, [Expect() for _ in sent])


def test_vlan_strip_of_one_queue(eth):  # noqa: F811
    sent = vlan_frames(eth, 24)
    seen = eth.exchange(sent, [Expect() for _ in sent])
    queues = {p.src: p.queue for p in seen}
    chosen = queues[sent[0].src]
    assert len(set(queues.values())) > 1
    eth.do(f"vlan set stripq on 0,{chosen}")
    eth.exchange(sent, [Expect(rx=untagged(p)) if queues[p.src] == chosen else Expect() for p in sent])
    eth.do(f"vlan set stripq off 0,{chosen}")
    eth.exchange(sent, [Expect() for _ in sent])


def forwarded(port, packet, vlan=None, keep=()):
    """What MAC and checksum forwarding send of a frame."""
    data = changed(packet, src=port.mac, dst=PEER, keep=keep)
    return data if vlan is None else tagged(data, vlan)


def exchange_alone(port, sent, expected):
    """Without a last frame, whose new addresses could not be told beforehand."""
    port.compare(sent, expected, *port.carry(sent, expected))


def test_vlan_insert(eth):  # noqa: F811
    """Asked for by testpmd's MAC forwarding."""
    eth.restarted("tx_vlan set 0 321", mode="mac")
    try:
        sent = [frame(IP(), UDP(), dst=eth.mac, size=n) for n in (20, 100, 1000)]
        exchange_alone(eth, sent, [Expect(out=forwarded(eth, p, 321)) for p in sent])
    finally:
        eth.restarted("tx_vlan reset 0")


def test_rx_checksums(eth):  # noqa: F811
    """Good is told as good; bad is never called good (the device does not say "bad")."""
    good = [frame(IP(), UDP(), dst=eth.mac), frame(IP(), TCP(), dst=eth.mac), frame(IPv6(), UDP(), dst=eth.mac),
            frame(IPv6(), TCP(), dst=eth.mac), frame(IP(), ICMP(), dst=eth.mac)]
    l4_bad = [frame(IP(), UDP(chksum=0x1234), dst=eth.mac), frame(IP(), TCP(chksum=0x1234), dst=eth.mac),
              frame(IPv6(), TCP(chksum=0x1234), dst=eth.mac)]
    ip_bad = [frame(IP(chksum=0x4321), UDP(), dst=eth.mac), frame(IP(chksum=0x4321), TCP(), dst=eth.mac)]
    sent = good + l4_bad + ip_bad
    expected = [Expect(flags=[IP_GOOD] if p.haslayer(ICMP) else [IP_GOOD, L4_GOOD]) for p in good]
    expected += [Expect(flags=[IP_GOOD]) for _ in l4_bad] + [Expect() for _ in ip_bad]
    seen = {p.src: p for p in eth.exchange(sent, expected)}
    assert not [p for p in l4_bad if L4_GOOD in seen[p.src].flags]
    assert not [p for p in ip_bad if IP_GOOD in seen[p.src].flags]


def test_tx_checksums(eth):  # noqa: F811
    """testpmd clears each checksum and asks the port for it; scapy knows what it must be."""
    eth.restarted("csum set ip hw 0", "csum set udp hw 0", "csum set tcp hw 0", mode="csum")
    try:
        sent = [frame(layer(), l4(sport=1000 + n, dport=2000), dst=eth.mac, size=n, vlans=v)
                for layer in (IP, IPv6) for l4 in (UDP, TCP) for n in (19, 20, 333, 1400) for v in ((), [Dot1Q(vlan=9)])]
        wrong = [Ether(bytes(p)) for p in sent[:8]]
        for p in wrong:
            p[IP].chksum, p[UDP].chksum = 0x1111, 0x2222
        exchange_alone(eth, sent, [Expect(out=forwarded(eth, p)) for p in sent])
        exchange_alone(eth, wrong, [Expect(out=forwarded(eth, p)) for p in wrong])
    finally:
        eth.restarted("csum set ip sw 0", "csum set udp sw 0", "csum set tcp sw 0")


IPV4, IPV6 = "L3_IPV4_EXT_UNKNOWN", "L3_IPV6_EXT_UNKNOWN"


def test_packet_types(eth):  # noqa: F811
    inner = Ether(src="02:00:00:00:00:77", dst=eth.mac)
    cases = [
        ((IP(), UDP()), [IPV4, "L4_UDP"]),
        ((IP(), TCP()), [IPV4, "L4_TCP"]),
        ((IP(), TCP(flags="S")), [IPV4, "L4_TCP"]),
        ((IP(), ICMP()), [IPV4, "L4_NONFRAG"]),
        ((IP(flags="MF"), UDP()), [IPV4, "L4_FRAG"]),
        ((IP(frag=100),), [IPV4, "L4_FRAG"]),
        ((IPv6(), UDP()), [IPV6, "L4_UDP"]),
        ((IPv6(), TCP()), [IPV6, "L4_TCP"]),
        ((IPv6(), ICMPv6EchoRequest()), [IPV6, "L4_NONFRAG"]),
        ((IP(), UDP(dport=4789), VXLAN(vni=5), inner, IP(), TCP()), [IPV4, "INNER_L3_IPV4_EXT_UNKNOWN", "INNER_L4_TCP"]),
        ((IPv6(), UDP(dport=4789), VXLAN(vni=5), inner, IP(), UDP()), [IPV6, "INNER_L3_IPV4_EXT_UNKNOWN", "INNER_L4_UDP"]),
        ((IP(), UDP(dport=4789), VXLAN(vni=5), inner, IPv6(), UDP()), [IPV4, "INNER_L3_IPV6_EXT_UNKNOWN", "INNER_L4_UDP"]),
    ]
    sent = [frame(*layers, dst=eth.mac) for layers, _ in cases]
    eth.exchange(sent, [Expect(ptype=["L2_ETHER", *types]) for _, types in cases])
