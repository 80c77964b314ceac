# SPDX-License-Identifier: BSD-3-Clause
"""Encapsulation and decapsulation: raw and VXLAN, layer 2 and layer 3, with lengths and checksums that the device fills."""

from harness.frames import GRE, IP, UDP, VXLAN, Ether, IPv6, PORT_MAC, Raw, frame, wire_bytes
from harness.port import Expect

DST = "eth / ipv4 dst mask 255.255.255.255"
VXLAN_ITEMS = ("eth src is 02:cc:00:00:00:01 dst is 02:cc:00:00:00:02 / ipv4 src is 1.2.3.4 dst is 5.6.7.8 ttl is 64 / "
               "udp src is 1111 dst is 4789 / vxlan vni is 66")


def vxlan_header(ttl=64, sport=1111, vni=66):
    return (Ether(src="02:cc:00:00:00:01", dst="02:cc:00:00:00:02") / IP(src="1.2.3.4", dst="5.6.7.8", ttl=ttl, id=0) /
            UDP(sport=sport, dport=4789, chksum=0) / VXLAN(vni=vni, flags=0x08))


def wrapped(header, inner):
    """Bytes of inner inside header, with the outer lengths and IPv4 checksum right and the UDP checksum as given."""
    return bytes(header / Raw(bytes(inner)))


def test_raw_encap(port):
    port.testpmd.do(f"set raw_encap 0 {VXLAN_ITEMS} / end_set")
    with port.flows() as flows:
        table = flows.table([DST], [("raw_encap index 0 / queue",) * 2])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", "raw_encap index 0 / queue index 1")
        packet = frame(IP(dst="10.0.0.1"), UDP(), size=100)
        port.exchange([packet], [Expect(queue=1, rx=wrapped(vxlan_header(), packet))])


def test_raw_encap_ipv6(port):
    port.testpmd.do("set raw_encap 0 eth src is 02:cc:00:00:00:01 dst is 02:cc:00:00:00:02 / ipv6 src is 2001:db8::1 "
                    "dst is 2001:db8::2 hop is 64 / udp src is 1111 dst is 4789 / vxlan vni is 7 / end_set")
    header = (Ether(src="02:cc:00:00:00:01", dst="02:cc:00:00:00:02") / IPv6(src="2001:db8::1", dst="2001:db8::2", hlim=64) /
              UDP(sport=1111, dport=4789, chksum=0) / VXLAN(vni=7, flags=0x08))
    with port.flows() as flows:
        table = flows.table([DST], [("raw_encap index 0 / queue",) * 2])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", "raw_encap index 0 / queue index 1")
        packet = frame(IP(dst="10.0.0.1"), UDP(), size=100)
        port.exchange([packet], [Expect(queue=1, rx=wrapped(header, packet))])


def test_vxlan_encap(port):
    port.testpmd.do("set vxlan ip-version ipv4 vni 66 udp-src 1111 udp-dst 4789 ip-src 1.2.3.4 ip-dst 5.6.7.8 "
                    "eth-src 02:cc:00:00:00:01 eth-dst 02:cc:00:00:00:02")
    with port.flows() as flows:
        table = flows.table([DST], [("vxlan_encap / queue",) * 2])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", "vxlan_encap / queue index 1")
        packet = frame(IP(dst="10.0.0.1"), UDP(), size=100)
        port.exchange([packet], [Expect(queue=1, rx=wrapped(vxlan_header(), packet))])


def tunnelled(vni=66, **more):
    """A VXLAN frame to the port around a frame of its own, and that inner frame."""
    inner = frame(IP(dst="10.9.9.9"), UDP(sport=5, dport=6), dst="02:dd:00:00:00:01", size=80)
    outer = (Ether(src=inner.src, dst=PORT_MAC) / IP(src="1.2.3.4", dst="5.6.7.8") / UDP(sport=1111, dport=4789, chksum=0) /
             VXLAN(vni=vni, flags=0x08))
    return Ether(wrapped(outer, inner)), inner


def test_match_vni(port):
    with port.flows() as flows:
        table = flows.table(["eth / ipv4 / udp / vxlan vni mask 0xffffff"], ["mark / queue"])
        flows.rule(table, "eth / ipv4 / udp / vxlan vni spec 66", "mark id 66 / queue index 1")
        flows.rule(table, "eth / ipv4 / udp / vxlan vni spec 67", "mark id 67 / queue index 2")
        port.exchange([tunnelled(66)[0], tunnelled(67)[0]], [Expect(queue=1, mark=66), Expect(queue=2, mark=67)])


def test_match_inner(port):
    """Inner addresses decide; the packet type tells the tunnel."""
    with port.flows() as flows:
        table = flows.table(["eth / ipv4 / udp / vxlan / eth / ipv4 dst mask 255.255.255.255"], ["queue"])
        flows.rule(table, "eth / ipv4 / udp / vxlan / eth / ipv4 dst spec 10.9.9.9", "queue index 3")
        port.exchange([tunnelled()[0]], [Expect(queue=3, ptype=["INNER_L3_IPV4_EXT_UNKNOWN", "INNER_L4_UDP"])])


def test_vxlan_decap(port):
    with port.flows() as flows:
        table = flows.table(["eth / ipv4 / udp / vxlan vni mask 0xffffff"], ["vxlan_decap / queue"])
        flows.rule(table, "eth / ipv4 / udp / vxlan vni spec 66", "vxlan_decap / queue index 1")
        packet, inner = tunnelled()
        port.exchange([packet], [Expect(queue=1, rx=bytes(inner))])


def test_raw_decap(port):
    port.testpmd.do("set raw_decap 0 eth / ipv4 / udp / vxlan / end_set")
    with port.flows() as flows:
        table = flows.table(["eth / ipv4 / udp / vxlan vni mask 0xffffff"], [("raw_decap index 0 / queue",) * 2])
        flows.rule(table, "eth / ipv4 / udp / vxlan vni spec 66", "raw_decap index 0 / queue index 1")
        packet, inner = tunnelled()
        port.exchange([packet], [Expect(queue=1, rx=bytes(inner))])


def test_decap_then_match(port):
    """The next group sees the inner frame."""
    with port.flows() as flows:
        first = flows.table(["eth / ipv4 / udp / vxlan"], [("vxlan_decap / jump group 2", "vxlan_decap / jump group 0xffffffff")])
        second = flows.table([DST], ["mark / queue"], group=2)
        flows.rule(first, "eth / ipv4 / udp / vxlan", "vxlan_decap / jump group 2")
        flows.rule(second, "eth / ipv4 dst spec 10.9.9.9", "mark id 3 / queue index 2")
        packet, inner = tunnelled()
        port.exchange([packet], [Expect(queue=2, mark=3, rx=bytes(inner))])


def test_l3_encap(port):
    """Layer 2 to a layer 3 tunnel: the Ethernet header goes, Ethernet + IPv4 + GRE come."""
    port.testpmd.do("set raw_decap 1 eth / end_set")
    port.testpmd.do("set raw_encap 1 eth src is 02:cc:00:00:00:01 dst is 02:cc:00:00:00:02 / ipv4 src is 1.2.3.4 dst is 5.6.7.8 "
                    "ttl is 64 / gre protocol is 0x0800 / end_set")
    action = "raw_decap index 1 / raw_encap index 1 / queue"
    with port.flows() as flows:
        table = flows.table([DST], [(action, action)])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", action + " index 1")
        packet = frame(IP(dst="10.0.0.1"), UDP(), size=100)
        header = (Ether(src="02:cc:00:00:00:01", dst="02:cc:00:00:00:02") / IP(src="1.2.3.4", dst="5.6.7.8", ttl=64, id=0) /
                  GRE(proto=0x0800))
        port.exchange([packet], [Expect(queue=1, rx=wrapped(header, bytes(packet)[14:]))])


def test_l3_decap(port):
    """The way back: Ethernet + IPv4 + GRE go, an Ethernet header comes."""
    port.testpmd.do("set raw_decap 2 eth / ipv4 / gre / end_set")
    port.testpmd.do("set raw_encap 2 eth src is 02:ee:00:00:00:01 dst is 02:ee:00:00:00:02 type is 0x0800 / end_set")
    action = "raw_decap index 2 / raw_encap index 2 / queue"
    with port.flows() as flows:
        table = flows.table(["eth / ipv4 proto mask 0xff"], [(action, action)])
        flows.rule(table, "eth / ipv4 proto spec 47", action + " index 2")
        inner = frame(IP(dst="10.9.9.9"), UDP(sport=5, dport=6), size=80)
        packet = Ether(wire_bytes(Ether(src=inner.src, dst=PORT_MAC) / IP(src="1.2.3.4", dst="5.6.7.8") / GRE(proto=0x0800) /
                                  Raw(bytes(inner)[14:])))
        header = Ether(src="02:ee:00:00:00:01", dst="02:ee:00:00:00:02", type=0x0800)
        port.exchange([packet], [Expect(queue=2, rx=wrapped(header, bytes(inner)[14:]))])


def test_count_before_decap(port):
    """A counter in the same rule takes the length before decapsulation."""
    with port.flows() as flows:
        table = flows.table(["eth / ipv4 / udp / vxlan"], ["vxlan_decap / count / queue"])
        rule = flows.rule(table, "eth / ipv4 / udp / vxlan", "vxlan_decap / count / queue index 1")
        packet, inner = tunnelled()
        port.exchange([packet], [Expect(queue=1, rx=bytes(inner))])
        flows.wait_count(rule, 1, len(packet))
