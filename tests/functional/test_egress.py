# SPDX-License-Identifier: BSD-3-Clause
"""Rules on what is sent: match, drop, count, change, encapsulate; what no rule takes leaves as it is."""

import contextlib

from harness.frames import IP, UDP, changed, frame
from harness.port import Expect
from test_tunnel import VXLAN_ITEMS, vxlan_header, wrapped

DST = "eth / ipv4 dst mask 255.255.255.255"
ALL = "dst_level 0xffffffff dst_offset 0xffffffff"


@contextlib.contextmanager
def egress(port):
    """Tables of egress, with a root rule that leads to group 1; received frames come by an ingress rule to queue 1."""
    with port.flows() as ingress:
        table = ingress.table(["eth"], ["queue"])
        ingress.rule(table, "eth", "queue index 1")
        with port.flows(ingress=False) as flows:
            root = flows.table(["eth"], [("jump group 1", "jump group 0xffffffff")], group=0, rules=1)
            flows.rule(root, "eth", "jump group 1")
            yield flows


def test_passes(port):
    """No table in group 1: everything leaves."""
    with egress(port):
        port.exchange([frame(IP(dst="10.0.0.1"), UDP())], [Expect(queue=1)])


def test_drop(port):
    with egress(port) as flows:
        table = flows.table([DST], ["drop"])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", "drop")
        port.exchange([frame(IP(dst="10.0.0.1"), UDP()), frame(IP(dst="10.0.0.2"), UDP())],
                      [Expect(queue=1, lost=True), Expect(queue=1)])


def test_count(port):
    with egress(port) as flows:
        table = flows.table([DST], ["count / drop"])
        rule = flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", "count / drop")
        sent = [frame(IP(dst="10.0.0.1"), UDP(), size=50 + i) for i in range(5)]
        port.exchange(sent, [Expect(queue=1, lost=True)] * 5)
        flows.wait_count(rule, 5, sum(map(len, sent)))


def test_modify(port):
    """The copy that leaves has the new TTL, the one received the old."""
    ttl = "modify_field op set dst_type ipv4_ttl src_type value src_value 21 width 8"
    mask = f"modify_field op set dst_type ipv4_ttl {ALL} src_type value src_value 00 width 0xffffffff"
    with egress(port) as flows:
        table = flows.table([DST], [(ttl + " / jump group 2", mask + " / jump group 0xffffffff")])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", ttl + " / jump group 2")
        packet = frame(IP(dst="10.0.0.1"), UDP())
        port.exchange([packet], [Expect(queue=1, out=changed(packet, IP, ttl=0x21))])


def test_raw_encap(port):
    """Encapsulate and jump to an empty group: the frame leaves."""
    port.testpmd.do(f"set raw_encap 0 {VXLAN_ITEMS} / end_set")
    with egress(port) as flows:
        table = flows.table([DST], [("raw_encap index 0 / jump group 2", "raw_encap index 0 / jump group 0xffffffff")])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", "raw_encap index 0 / jump group 2")
        packet = frame(IP(dst="10.0.0.1"), UDP(), size=90)
        port.exchange([packet], [Expect(queue=1, out=wrapped(vxlan_header(), packet))])


def test_encap_then_match(port):
    """The next group sees the outer header."""
    port.testpmd.do(f"set raw_encap 0 {VXLAN_ITEMS} / end_set")
    with egress(port) as flows:
        first = flows.table([DST], [("raw_encap index 0 / jump group 2", "raw_encap index 0 / jump group 0xffffffff")])
        second = flows.table([DST], ["drop"], group=2)
        flows.rule(first, "eth / ipv4 dst spec 10.0.0.1", "raw_encap index 0 / jump group 2")
        flows.rule(first, "eth / ipv4 dst spec 10.0.0.2", "raw_encap index 0 / jump group 2")
        packet = frame(IP(dst="10.0.0.1"), UDP(), size=90)
        rule = flows.rule(second, "eth / ipv4 dst spec 5.6.7.8", "drop")
        port.exchange([packet], [Expect(queue=1, lost=True)])
        flows.destroy(rule)
        packet = frame(IP(dst="10.0.0.2"), UDP(), size=90)
        port.exchange([packet], [Expect(queue=1, out=wrapped(vxlan_header(), packet))])


def test_push_vlan(port):
    push = "of_push_vlan ethertype {} / of_set_vlan_vid vlan_vid {} / of_set_vlan_pcp vlan_pcp {}"
    with egress(port) as flows:
        action = push.format("0x8100", 9, 3) + " / jump group 2"
        table = flows.table([DST], [(action, push.format("0xffff", "0xffff", 7) + " / jump group 0xffffffff")])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", action)
        packet = frame(IP(dst="10.0.0.1"), UDP())
        data = bytes(packet)
        port.exchange([packet], [Expect(queue=1, out=data[:12] + bytes.fromhex("81006009") + data[12:])])


def test_meta(port):
    """What the application puts into a packet's metadata is matched on the way out."""
    with egress(port) as flows:
        table = flows.table(["eth / meta data mask 0xffffffff"], ["drop"])
        flows.rule(table, "eth / meta data spec 0x12345678", "drop")
        packets = [frame(IP(dst="10.0.0.1"), UDP()) for _ in range(2)]
        port.exchange(packets[:1], [Expect(queue=1)])
        port.testpmd.do("port config 0 tx_metadata 0x12345678")
        try:
            # The last frame of an exchange would be dropped too: it has the same metadata.
            port.exchange(packets[1:], [Expect(queue=1, lost=True)], last=Expect(queue=None, lost=True))
        finally:
            port.testpmd.do("port config 0 tx_metadata 0")
