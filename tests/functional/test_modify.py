# SPDX-License-Identifier: BSD-3-Clause
"""modify_field: set, add and copy, one and many, constant and per rule; every byte and checksum as scapy computes it."""

import pytest
from harness.frames import IP, TCP, UDP, Dot1Q, IPv6, changed, frame
from harness.port import Expect

ALL = "dst_level 0xffffffff dst_offset 0xffffffff"
DST = "eth / ipv4 dst mask 255.255.255.255"
DST6 = "eth / ipv6 dst mask ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"


def modify(field, width, value, op="set", src="value", constant=False):
    """(action, mask) of a modification by a value given as hexadecimal digits."""
    ones = "ff" * (len(value) // 2) if constant else "00" * (len(value) // 2)
    return (f"modify_field op {op} dst_type {field} src_type {src} src_value {value} width {width}",
            f"modify_field op {op} dst_type {field} {ALL} src_type {src} src_value {ones} width 0xffffffff")


ONE = [  # field, width in bits, value, layer and field of scapy, value there
    ("mac_dst", 48, "021122334455", "Ethernet", {"dst": "02:11:22:33:44:55"}),
    ("ipv4_ttl", 8, "3f", "IP", {"ttl": 0x3F}),
    ("ipv4_dscp", 6, "2e", "IP", {"tos": 0x2E << 2}),
    ("ipv4_src", 32, "0b0c0d0e", "IP", {"src": "11.12.13.14"}),
    ("ipv4_dst", 32, "0b0c0d0e", "IP", {"dst": "11.12.13.14"}),
    ("udp_port_src", 16, "1234", "UDP", {"sport": 0x1234}),
    ("udp_port_dst", 16, "0035", "UDP", {"dport": 53}),
]


@pytest.mark.parametrize("constant", [True, False], ids=["constant", "perrule"])
@pytest.mark.parametrize("field, width, value, layer, fields", ONE, ids=[o[0] for o in ONE])
def test_set_one(port, field, width, value, layer, fields, constant):
    action, mask = modify(field, width, value, constant=constant)
    pattern = DST + (" / udp" if field.startswith("udp") else "")
    with port.flows() as flows:
        table = flows.table([pattern], [(f"{action} / queue", f"{mask} / queue")])
        flows.rule(table, pattern.replace("mask 255.255.255.255", "spec 10.0.0.1"), f"{action} / queue index 1")
        packet = frame(IP(dst="10.0.0.1"), UDP(sport=7, dport=9))
        port.exchange([packet], [Expect(queue=1, rx=changed(packet, layer, **fields))])


def test_set_per_rule_values(port):
    """The same template, another value in each rule."""
    with port.flows() as flows:
        action, mask = modify("ipv4_ttl", 8, "00")
        table = flows.table([DST], [(f"{action} / queue", f"{mask} / queue")])
        for i in range(1, 5):
            flows.rule(table, f"eth / ipv4 dst spec 10.0.0.{i}", modify("ipv4_ttl", 8, f"{16 * i:02x}")[0] + " / queue index 2")
        sent = [frame(IP(dst=f"10.0.0.{i}"), UDP()) for i in range(1, 5)]
        port.exchange(sent, [Expect(queue=2, rx=changed(p, IP, ttl=16 * i)) for i, p in enumerate(sent, 1)])


def test_set_tcp_ports(port):
    with port.flows() as flows:
        action, mask = modify("tcp_port_dst", 16, "1f90")
        table = flows.table([DST + " / tcp"], [(f"{action} / queue", f"{mask} / queue")])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.1 / tcp", f"{action} / queue index 3")
        packet = frame(IP(dst="10.0.0.1"), TCP(dport=80, sport=99, flags="PA"))
        port.exchange([packet], [Expect(queue=3, rx=changed(packet, TCP, dport=8080))])


IPV6 = [
    ("ipv6_hoplimit", 8, "07", {"hlim": 7}),
    ("ipv6_src", 128, "20010db8000000000000000000000077", {"src": "2001:db8::77"}),
    ("ipv6_dst", 128, "20010db800010002000300040005abcd", {"dst": "2001:db8:1:2:3:4:5:abcd"}),
]


@pytest.mark.parametrize("field, width, value, fields", IPV6, ids=[o[0] for o in IPV6])
def test_set_ipv6(port, field, width, value, fields):
    """Addresses are four commands: a list with arguments."""
    action, mask = modify(field, width, value)
    with port.flows() as flows:
        table = flows.table([DST6], [(f"{action} / queue", f"{mask} / queue")])
        flows.rule(table, "eth / ipv6 dst spec 2001:db8::1", f"{action} / queue index 1")
        packet = frame(IPv6(src="fd00::1", dst="2001:db8::1"), UDP(sport=5, dport=6))
        port.exchange([packet], [Expect(queue=1, rx=changed(packet, IPv6, **fields))])


def test_set_vlan_id(port):
    with port.flows() as flows:
        action, mask = modify("vlan_id", 12, "0123")
        table = flows.table(["eth / vlan vid mask 0x0fff / ipv4"], [(f"{action} / queue", f"{mask} / queue")])
        flows.rule(table, "eth / vlan vid spec 5 / ipv4", f"{action} / queue index 1")
        packet = frame(IP(), UDP(), vlans=[Dot1Q(vlan=5, prio=3)])
        port.exchange([packet], [Expect(queue=1, rx=changed(packet, Dot1Q, vlan=0x123))])


@pytest.mark.parametrize("constant", [True, False], ids=["constant", "perrule"])
def test_list(port, constant):
    """Two modifications of one rule: a pattern and an argument."""
    second = modify("ipv4_dscp", 6, "2e", constant=constant)
    ttls = [0x11] * 3 if constant else [0x21, 0x22, 0x23]
    with port.flows() as flows:
        first = modify("ipv4_ttl", 8, "11", constant=constant)
        table = flows.table([DST], [(f"{first[0]} / {second[0]} / queue", f"{first[1]} / {second[1]} / queue")], rules=16)
        for i, ttl in enumerate(ttls):
            first = modify("ipv4_ttl", 8, f"{ttl:02x}")
            flows.rule(table, f"eth / ipv4 dst spec 10.0.0.{i}", f"{first[0]} / {second[0]} / queue index 2")
        sent = [frame(IP(dst=f"10.0.0.{i}"), UDP()) for i in range(3)]
        port.exchange(sent, [Expect(queue=2, rx=changed(p, IP, tos=0x2E << 2, ttl=ttl)) for p, ttl in zip(sent, ttls)])


def test_add(port):
    """TTL - 1: an addition of 255."""
    with port.flows() as flows:
        action, mask = modify("ipv4_ttl", 8, "ff", op="add", constant=True)
        table = flows.table([DST], [(f"{action} / queue", f"{mask} / queue")])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", f"{action} / queue index 1")
        packet = frame(IP(dst="10.0.0.1", ttl=64), UDP())
        port.exchange([packet], [Expect(queue=1, rx=changed(packet, IP, ttl=63))])


def test_copy(port):
    """UDP source port to destination port."""
    action = "modify_field op set dst_type udp_port_dst src_type udp_port_src width 16"
    mask = f"modify_field op set dst_type udp_port_dst {ALL} src_type udp_port_src src_level 0xffffffff src_offset 0xffffffff " \
           "width 0xffffffff"
    with port.flows() as flows:
        table = flows.table([DST + " / udp"], [(f"{action} / queue", f"{mask} / queue")])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.1 / udp", f"{action} / queue index 1")
        packet = frame(IP(dst="10.0.0.1"), UDP(sport=4321, dport=1))
        port.exchange([packet], [Expect(queue=1, rx=changed(packet, UDP, dport=4321))])


def test_matched_in_the_next_group(port):
    """The next table sees the new address; the old one is gone."""
    with port.flows() as flows:
        action, mask = modify("ipv4_dst", 32, "0b0c0d0e")
        first = flows.table([DST], [(f"{action} / jump group 2", f"{mask} / jump group 0xffffffff")])
        second = flows.table([DST], ["queue"], group=2)
        flows.rule(first, "eth / ipv4 dst spec 10.0.0.1", f"{action} / jump group 2")
        flows.rule(second, "eth / ipv4 dst spec 10.0.0.1", "queue index 1")
        flows.rule(second, "eth / ipv4 dst spec 11.12.13.14", "queue index 2")
        packet = frame(IP(dst="10.0.0.1"), UDP())
        port.exchange([packet], [Expect(queue=2, rx=changed(packet, IP, dst="11.12.13.14"))])


def test_checksum_zero(port):
    """A UDP checksum of 0 means none, and stays."""
    with port.flows() as flows:
        action, mask = modify("ipv4_src", 32, "0b0c0d0e")
        table = flows.table([DST], [(f"{action} / queue", f"{mask} / queue")])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", f"{action} / queue index 1")
        packet = frame(IP(dst="10.0.0.1"), UDP(chksum=0))
        port.exchange([packet], [Expect(queue=1, rx=changed(packet, IP, keep=("UDP",), src="11.12.13.14"))])
