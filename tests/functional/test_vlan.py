# SPDX-License-Identifier: BSD-3-Clause
"""VLAN tags put on and taken off, in both directions of the rule's life."""

import pytest
from harness.frames import IP, UDP, Dot1Q, Ether, frame
from harness.port import Expect

DST = "eth / ipv4 dst mask 255.255.255.255"


def tagged(packet, *tags):
    """Bytes of an untagged frame with 802.1Q tags (vid, priority) on it, the first outermost."""
    data = bytes(packet)
    tags = b"".join(bytes.fromhex("8100") + (p << 13 | v).to_bytes(2, "big") for v, p in tags)
    return data[:12] + tags + data[12:]


PUSH = "of_push_vlan ethertype {0} / of_set_vlan_vid vlan_vid {1} / of_set_vlan_pcp vlan_pcp {2}"


@pytest.mark.parametrize("constant", [True, False], ids=["constant", "perrule"])
def test_push(port, constant):
    mask = PUSH.format("0xffff", "0xffff", "7") if constant else PUSH.format(0, 0, 0)
    with port.flows() as flows:
        table = flows.table([DST], [(PUSH.format("0x8100", 100, 5) + " / queue", mask + " / queue")])
        for i in (1, 2):
            vid = 100 if constant else 100 + i
            flows.rule(table, f"eth / ipv4 dst spec 10.0.0.{i}", PUSH.format("0x8100", vid, 5) + " / queue index 1")
        sent = [frame(IP(dst=f"10.0.0.{i}"), UDP()) for i in (1, 2)]
        port.exchange(sent, [Expect(queue=1, rx=tagged(p, (100 if constant else 100 + i, 5))) for i, p in enumerate(sent, 1)])


def test_push_onto_a_tag(port):
    """The new tag is the outer one."""
    with port.flows() as flows:
        push = PUSH.format("0x8100", 7, 0)
        table = flows.table(["eth / vlan vid mask 0xfff"], [(push + " / queue", PUSH.format("0xffff", "0xffff", "7") + " / queue")])
        flows.rule(table, "eth / vlan vid spec 5", push + " / queue index 1")
        packet = frame(IP(), UDP(), vlans=[Dot1Q(vlan=5, prio=2)])
        port.exchange([packet], [Expect(queue=1, rx=tagged(packet, (7, 0)))])


def untagged(packet, count=1):
    data = bytes(packet)
    return data[:12] + data[12 + 4 * count:]


def test_pop(port):
    with port.flows() as flows:
        table = flows.table(["eth / vlan vid mask 0xfff / ipv4"], ["of_pop_vlan / queue"])
        flows.rule(table, "eth / vlan vid spec 5 / ipv4", "of_pop_vlan / queue index 2")
        packet = frame(IP(dst="10.0.0.1"), UDP(), size=40, vlans=[Dot1Q(vlan=5, prio=2)])
        port.exchange([packet], [Expect(queue=2, rx=untagged(packet))])


def test_pop_two(port):
    with port.flows() as flows:
        table = flows.table(["eth / vlan has_more_vlan mask 1"], ["of_pop_vlan / of_pop_vlan / queue"])
        flows.rule(table, "eth / vlan has_more_vlan spec 1", "of_pop_vlan / of_pop_vlan / queue index 2")
        packet = frame(IP(dst="10.0.0.1"), UDP(), size=40, vlans=[Dot1Q(vlan=5), Dot1Q(vlan=6)])
        port.exchange([packet], [Expect(queue=2, rx=untagged(packet, 2))])


def test_pop_then_match(port):
    """The next group sees the frame without its tag."""
    with port.flows() as flows:
        first = flows.table(["eth / vlan"], [("of_pop_vlan / jump group 2", "of_pop_vlan / jump group 0xffffffff")])
        second = flows.table(["eth type mask 0xffff"], ["mark / queue"], group=2)
        flows.rule(first, "eth / vlan", "of_pop_vlan / jump group 2")
        flows.rule(second, "eth type spec 0x0800", "mark id 5 / queue index 3")
        packet = frame(IP(dst="10.0.0.1"), UDP(), size=40, vlans=[Dot1Q(vlan=5)])
        assert Ether(untagged(packet)).type == 0x0800
        port.exchange([packet], [Expect(queue=3, mark=5, rx=untagged(packet))])


def test_replace(port):
    """One tag off, another on."""
    action = "of_pop_vlan / " + PUSH.format("0x8100", 77, 1)
    with port.flows() as flows:
        table = flows.table(["eth / vlan vid mask 0xfff"],
                            [(action + " / queue", "of_pop_vlan / " + PUSH.format("0xffff", "0xffff", "7") + " / queue")])
        flows.rule(table, "eth / vlan vid spec 5", action + " / queue index 1")
        packet = frame(IP(), UDP(), vlans=[Dot1Q(vlan=5, prio=6)])
        port.exchange([packet], [Expect(queue=1, rx=tagged(Ether(untagged(packet)), (77, 1)))])
