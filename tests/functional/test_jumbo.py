# SPDX-License-Identifier: BSD-3-Clause
"""Matches that need the long form of an entry: the whole IPv6 5-tuple, with actions that need a second entry.

cx6dx cannot hold the 5-tuple: of the nine words of its long entry three cannot reach the addresses. There it must be
refused, and another long match must work.
"""

import contextlib

import pytest
from harness.frames import PORT_MAC, TCP, UDP, IPv6, changed, frame
from harness.port import DROP, Expect
from harness.testpmd import Refused

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


def fits(dut):
    """What the model says to the 5-tuple; our driver says how much is asked for and how much there is."""
    if dut[1] == "cx7":
        return contextlib.nullcontext()
    return pytest.raises(Refused, match=None if dut[0].name == "mlx5" else r"needs \d+ .* has \d+")


def test_five_tuple(port, dut):
    with fits(dut), port.flows() as flows:
        table = flows.table([MASK], ["queue"])
        flows.rule(table, SPEC.format(*FLOW), "queue index 1")
        sent = [packet(FLOW), *(packet(n) for n in neighbours(FLOW)), packet(FLOW, TCP)]
        port.exchange(sent, [Expect(queue=1)] + [DROP] * (len(sent) - 1))


def test_many(port, dut):
    """Rows, deletion and insertion anew."""
    flows_wanted = [(f"2001:db8::{i:x}", "2001:db8:5::2", 1000 + i, 2000) for i in range(24)]
    with fits(dut), port.flows() as flows:
        table = flows.table([MASK], ["queue"])
        rules = [flows.rule(table, SPEC.format(*f), f"queue index {i % 4}") for i, f in enumerate(flows_wanted)]
        flows.destroy(*rules[::2])
        port.exchange([packet(f) for f in flows_wanted],
                      [Expect(queue=i % 4) if i % 2 else DROP for i in range(len(flows_wanted))])
        flows.rule(table, SPEC.format(*flows_wanted[0]), "queue index 3")
        port.exchange([packet(flows_wanted[0])], [Expect(queue=3)])


def test_with_actions(port, dut):
    """The entry has no room for actions: mark, count and a modification go to a second one."""
    ttl = "modify_field op set dst_type ipv6_hoplimit src_type value src_value {} width 8"
    mask = ("modify_field op set dst_type ipv6_hoplimit dst_level 0xffffffff dst_offset 0xffffffff src_type value src_value 00 "
            "width 0xffffffff")
    with fits(dut), port.flows() as flows:
        table = flows.table([MASK], [(f"mark / count / {ttl.format('00')} / queue", f"mark / count / {mask} / queue")])
        rule = flows.rule(table, SPEC.format(*FLOW), f"mark id 42 / count / {ttl.format('09')} / queue index 2")
        sent = packet(FLOW)
        port.exchange([sent, packet(next(neighbours(FLOW)))],
                      [Expect(queue=2, mark=42, rx=changed(sent, IPv6, hlim=9)), DROP])
        flows.wait_count(rule, 1, len(sent))


def test_addresses_of_both_layers(port):
    """MAC and IPv6 addresses and ports: long on both models, and every part of it counts."""
    mask = f"eth src mask ff:ff:ff:ff:ff:ff dst mask ff:ff:ff:ff:ff:ff / ipv6 dst mask {FULL} / udp src mask 0xffff dst mask 0xffff"
    with port.flows() as flows:
        table = flows.table([mask], ["mark / queue"])
        good, others = packet(FLOW), [packet(FLOW), *(packet(n) for n in list(neighbours(FLOW))[1:])]
        for other in others[1:]:
            other.src = good.src
        source = packet(("2001:db8::3", *FLOW[1:]))  # the source address is not asked for
        flows.rule(table, f"eth src spec {good.src} dst spec {PORT_MAC} / ipv6 dst spec {FLOW[1]} / udp src spec {FLOW[2]} "
                   f"dst spec {FLOW[3]}", "mark id 11 / queue index 3")
        source.src = good.src
        port.exchange([good, *others, source], [Expect(queue=3, mark=11)] + [DROP] * len(others) + [Expect(queue=3, mark=11)])
