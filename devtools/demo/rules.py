# SPDX-License-Identifier: BSD-3-Clause
"""The demonstration's rules: as testpmd takes them, and as tcpdump says which packets each is for."""

import struct

import change

ENCAP = bytes.fromhex("020000000b02" "020000000b01" "0800") + bytes.fromhex(
    "450000000000000040110000" "c0000201" "c0000202") + bytes.fromhex("c35012b500000000" "0800000000004d00")
ENCAP_TEXT = ("eth src is 02:00:00:00:0b:01 dst is 02:00:00:00:0b:02 / ipv4 src is 192.0.2.1 dst is 192.0.2.2 proto is 17"
              " ttl is 64 / udp src is 50000 dst is 4789 / vxlan vni is 77 / end_set")
VXLAN_TEXT = ("set vxlan ip-version ipv4 vni 77 udp-src 50000 udp-dst 4789 ip-src 192.0.2.1 ip-dst 192.0.2.2"
              " eth-src 02:00:00:00:0b:01 eth-dst 02:00:00:00:0b:02")


class Rule:
    """One rule and the template table it needs.

    name      what it is for
    group     where it stands
    match     pattern; a field's value stands after "spec": the template has "mask" and all ones, or what masks says
    actions   of the rule; template and mask are its actions template where they differ
    tcpdump   the filter that selects the rule's packets
    change    what becomes of their bytes
    queues    where they arrive; none: they are dropped
    mark      which the application sees
    counts    the rule counts: the driver is asked too
    """

    def __init__(self, name, match, actions, tcpdump, queues=(), group=1, template=None, mask=None, to=change.same, mark=None,
                 counts=False, priority=0, pattern=None):
        self.name, self.group, self.match, self.actions, self.tcpdump = name, group, match, actions, tcpdump
        self.template, self.mask = template or actions, mask or template or actions
        self.queues, self.change, self.mark, self.counts, self.priority = queues, change.padded(to), mark, counts, priority
        self.pattern = pattern

    def kinds(self):
        """The kinds of action in it."""
        words = {part.split()[0] for part in self.actions.split("/")}
        return words


ONES16, ONES32 = "0xffff", "255.255.255.255"
ONES6 = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"


def modify(field, width, value):
    action = f"modify_field op set dst_type {field} src_type value src_value {value} width {width}"
    mask = (f"modify_field op set dst_type {field} dst_level 0xffffffff dst_offset 0xffffffff src_type value"
            f" src_value {'ff' * (len(value) // 2)} width 0xffffffff")
    return action, mask


def rules():
    ttl, ttl_mask = modify("ipv4_ttl", 8, "3f")
    dst, dst_mask = modify("ipv4_dst", 32, "0a070001")
    hop, hop_mask = modify("ipv6_hoplimit", 8, "07")
    flow6 = ("eth / ipv6 src spec 2001:db8::1 dst spec 2001:db8:1::2 / udp src spec 1111 dst spec 6001",
             f"eth / ipv6 src mask {ONES6} dst mask {ONES6} / udp src mask {ONES16} dst mask {ONES16}")
    return [
        Rule("DNS, marked", "eth / ipv4 / udp dst spec 53", "mark id 53 / queue index 1", "udp dst port 53 and ip", queues=[1],
             pattern=f"eth / ipv4 / udp dst mask {ONES16}", template="mark / queue", mark=53),
        Rule("web, spread over two queues", "eth / ipv4 / tcp dst spec 80", "count / rss queues 2 3 end types ipv4-tcp end",
             "tcp dst port 80 and ip", queues=[2, 3], pattern=f"eth / ipv4 / tcp dst mask {ONES16}", counts=True),
        Rule("TLS, TTL set", "eth / ipv4 / tcp dst spec 443", f"{ttl} / queue index 4", "tcp dst port 443 and ip", queues=[4],
             pattern=f"eth / ipv4 / tcp dst mask {ONES16}", template=f"{ttl} / queue", mask=f"{ttl_mask} / queue",
             to=change.ttl(0x3f)),
        Rule("ping, counted and dropped", "eth / ipv4 / icmp type spec 8", "count / drop", "icmp[icmptype] == icmp-echo",
             pattern="eth / ipv4 / icmp type mask 0xff", counts=True),
        Rule("VXLAN 42, decapsulated", "eth / ipv4 / udp / vxlan vni spec 42", "vxlan_decap / queue index 5",
             "udp dst port 4789 and ip and udp[12:4] & 0xffffff00 == 0x2a00", queues=[5],
             pattern="eth / ipv4 / udp / vxlan vni mask 0xffffff", template="vxlan_decap / queue", to=change.decap),
        Rule("VLAN 100, tag taken off", "eth / vlan tci spec 100", "of_pop_vlan / queue index 6", "vlan 100", queues=[6],
             pattern="eth / vlan tci mask 0x0fff", template="of_pop_vlan / queue", to=change.pop_vlan),
        Rule("port 5000, tag put on", "eth / ipv4 / udp dst spec 5000",
             "of_push_vlan ethertype 0x8100 / of_set_vlan_vid vlan_vid 200 / of_set_vlan_pcp vlan_pcp 3 / queue index 7",
             "udp dst port 5000 and ip", queues=[7], pattern=f"eth / ipv4 / udp dst mask {ONES16}",
             template="of_push_vlan / of_set_vlan_vid / of_set_vlan_pcp / queue", to=change.push_vlan(3 << 13 | 200)),
        Rule("SSH, tunnelled by raw_encap", "eth / ipv4 / tcp dst spec 22", "raw_encap index 0 / queue index 8",
             "tcp dst port 22 and ip", queues=[8], pattern=f"eth / ipv4 / tcp dst mask {ONES16}",
             mask="raw_encap index 0 / queue", template="raw_encap index 0 / queue", to=change.encap(ENCAP)),
        Rule("mail, tunnelled by vxlan_encap", "eth / ipv4 / tcp dst spec 25", "vxlan_encap / queue index 9",
             "tcp dst port 25 and ip", queues=[9], pattern=f"eth / ipv4 / tcp dst mask {ONES16}",
             template="vxlan_encap / queue", to=change.encap(ENCAP)),
        Rule("ICMPv6, flagged", "eth / ipv6 / icmp6", "flag / queue index 10", "icmp6", queues=[10],
             pattern="eth / ipv6 / icmp6", template="flag / queue"),
        Rule("port 7000, to another address", "eth / ipv4 / udp dst spec 7000", f"{dst} / queue index 11",
             "udp dst port 7000 and ip", queues=[11], pattern=f"eth / ipv4 / udp dst mask {ONES16}",
             template=f"{dst} / queue", mask=f"{dst_mask} / queue", to=change.ipv4_dst("10.7.0.1")),
        Rule("ARP, by Ethernet type", "eth type spec 0x0806", "queue index 12", "arp", queues=[12],
             pattern="eth type mask 0xffff", template="queue"),
        Rule("IPv6 UDP, on to group 2", "eth / ipv6 / udp", "count / jump group 2", "ip6 proto 17",
             pattern="eth / ipv6 / udp", mask="count / jump group 0xffffffff", counts=True, queues=None),
        Rule("group 2: port 6000", "eth / ipv6 / udp dst spec 6000", "count / queue index 13", "ip6 and udp dst port 6000",
             queues=[13], group=2, pattern=f"eth / ipv6 / udp dst mask {ONES16}", template="count / queue", counts=True),
        Rule("group 2: one flow of five fields", flow6[0], f"mark id 7 / {hop} / queue index 14",
             "ip6 src 2001:db8::1 and dst 2001:db8:1::2 and udp src port 1111 and udp dst port 6001", queues=[14], group=2,
             pattern=flow6[1], template=f"mark / {hop} / queue", mask=f"mark / {hop_mask} / queue", to=change.hop_limit(7),
             mark=7),
    ]
