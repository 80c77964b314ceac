# SPDX-License-Identifier: BSD-3-Clause
"""Matches that need the long form of an entry: the whole IPv6 5-tuple, with actions that need a second entry."""

from harness.frames import TCP, UDP, IPv6, changed, frame
from harness.port import DROP, Expect

FULL = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
MASK = f"eth / ipv6 src mask {FULL} dst mask {FULL} / udp src mask 0xffff dst mask 0xffff"
SPEC = "eth / ipv6 src spec {} dst spec {} / udp src spec {} dst spec {}"
FLOW = ("2001:db8::1", "2001:db8::2", 1000, 2000)


def packet(flow, l4=UDP):
    return frame(IPv6(src=flow[0], dst=flow[1]), l4(sport=flow[2], dport=flow[3]))


def neighbours(flow):
    """Flows that differ from flow in one field only."""
    yield ("2001:db8::3", *flow[1:])
    yield (flow[0], "2001:db8::3", *flow[2:])
    yield (*flow[:2], 1001, flow[3])
    yield (*flow[:3], 2001)


def test_five_tuple(port):
    with port.flows() as flows:
        table = flows.table([MASK], ["queue"])
        flows.rule(table, SPEC.format(*FLOW), "queue index 1")
        sent = [packet(FLOW), *(packet(n) for n in neighbours(FLOW)), packet(FLOW, TCP)]
        port.exchange(sent, [Expect(queue=1)] + [DROP] * (len(sent) - 1))


def test_many(port):
    """Rows, deletion and insertion anew."""
    flows_wanted = [(f"2001:db8::{i:x}", "2001:db8:5::2", 1000 + i, 2000) for i in range(24)]
    with port.flows() as flows:
        table = flows.table([MASK], ["queue"])
        rules = [flows.rule(table, SPEC.format(*f), f"queue index {i % 4}") for i, f in enumerate(flows_wanted)]
        flows.destroy(*rules[::2])
        port.exchange([packet(f) for f in flows_wanted],
                      [Expect(queue=i % 4) if i % 2 else DROP for i in range(len(flows_wanted))])
        flows.rule(table, SPEC.format(*flows_wanted[0]), "queue index 3")
        port.exchange([packet(flows_wanted[0])], [Expect(queue=3)])


def test_with_actions(port):
    """The entry has no room for actions: mark, count and a modification go to a second one."""
    ttl = "modify_field op set dst_type ipv6_hoplimit src_type value src_value {} width 8"
    mask = ("modify_field op set dst_type ipv6_hoplimit dst_level 0xffffffff dst_offset 0xffffffff src_type value src_value 00 "
            "width 0xffffffff")
    with port.flows() as flows:
        table = flows.table([MASK], [(f"mark / count / {ttl.format('00')} / queue", f"mark / count / {mask} / queue")])
        rule = flows.rule(table, SPEC.format(*FLOW), f"mark id 42 / count / {ttl.format('09')} / queue index 2")
        sent = packet(FLOW)
        port.exchange([sent, packet(next(neighbours(FLOW)))],
                      [Expect(queue=2, mark=42, rx=changed(sent, IPv6, hlim=9)), DROP])
        flows.wait_count(rule, 1, len(sent))
