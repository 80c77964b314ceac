# SPDX-License-Identifier: BSD-3-Clause
"""Where rules send packets: queue, RSS, drop, jump, mark, count, default."""

import random

from harness.frames import ICMP, IP, TCP, UDP, Dot1Q, ICMPv6EchoRequest, IPv6, frame, rss_hash
from harness.port import DROP, Expect

IPV4_DST = "eth / ipv4 dst mask 255.255.255.255"
KEY = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")


def udp(dst="10.0.0.1", sport=1000, dport=2000, src="192.168.0.1", **more):
    return frame(IP(src=src, dst=dst), UDP(sport=sport, dport=dport), **more)


def test_queue(port):
    """Four addresses, four queues; an address without a rule is dropped: a receive table has no default."""
    with port.flows() as flows:
        table = flows.table([IPV4_DST], ["queue"])
        for q in range(4):
            flows.rule(table, f"eth / ipv4 dst spec 10.0.0.{q}", f"queue index {q}")
        sent = [udp(f"10.0.0.{q}") for q in (2, 0, 3, 1, 3, 2)]
        port.exchange(sent + [udp("10.0.0.9")], [Expect(queue=q) for q in (2, 0, 3, 1, 3, 2)] + [DROP])


def test_fixed_queue(port):
    """The queue is part of the template."""
    with port.flows() as flows:
        table = flows.table([IPV4_DST], [("queue index 3", "queue index 0xffff")])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", "queue index 3")
        port.exchange([udp()], [Expect(queue=3)])


def test_drop(port):
    with port.flows() as flows:
        table = flows.table([IPV4_DST], ["queue", "drop"])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", "queue index 1", actions_index=0)
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.2", "drop", actions_index=1)
        port.exchange([udp("10.0.0.2"), udp("10.0.0.1"), udp("10.0.0.2")], [DROP, Expect(queue=1), DROP])


def test_after_destroy(port):
    """A destroyed rule takes nothing any more; its neighbours stay."""
    with port.flows() as flows:
        table = flows.table([IPV4_DST], ["queue"])
        rules = [flows.rule(table, f"eth / ipv4 dst spec 10.0.0.{i}", f"queue index {i}") for i in range(4)]
        flows.destroy(rules[1])
        port.exchange([udp(f"10.0.0.{i}") for i in range(4)],
                      [DROP if i == 1 else Expect(queue=i) for i in range(4)])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", "queue index 2")
        port.exchange([udp("10.0.0.1")], [Expect(queue=2)])


def test_mark(port):
    with port.flows() as flows:
        table = flows.table([IPV4_DST], ["mark / queue"])
        for i, mark in enumerate((0, 7, 0x123456, 0xFFFFEF)):
            flows.rule(table, f"eth / ipv4 dst spec 10.0.0.{i}", f"mark id {mark} / queue index {i}")
        port.exchange([udp(f"10.0.0.{i}") for i in range(4)],
                      [Expect(queue=i, mark=mark) for i, mark in enumerate((0, 7, 0x123456, 0xFFFFEF))])


def test_jump(port):
    """Three groups deep, a mark on the way."""
    with port.flows() as flows:
        first = flows.table([IPV4_DST], [("jump group 2", "jump group 0xffffffff")])
        second = flows.table(["eth / ipv4 / udp dst mask 0xffff"], [("mark / jump group 3", "mark / jump group 0xffffffff")],
                             group=2)
        third = flows.table(["eth / ipv4 / udp src mask 0xffff"], ["queue"], group=3)
        flows.rule(first, "eth / ipv4 dst spec 10.0.0.1", "jump group 2")
        flows.rule(second, "eth / ipv4 / udp dst spec 2000", "mark id 99 / jump group 3")
        flows.rule(third, "eth / ipv4 / udp src spec 1000", "queue index 2")
        port.exchange([udp(), udp(dst="10.0.0.2"), udp(dport=2001), udp(sport=1001)],
                      [Expect(queue=2, mark=99), DROP, DROP, DROP])


def test_count(port):
    """Packets and bytes as sent, per rule."""
    with port.flows() as flows:
        table = flows.table([IPV4_DST], ["count / queue", "count / drop"])
        kept = flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", "count / queue index 1", actions_index=0)
        lost = flows.rule(table, "eth / ipv4 dst spec 10.0.0.2", "count / drop", actions_index=1)
        none = flows.rule(table, "eth / ipv4 dst spec 10.0.0.3", "count / drop", actions_index=1)
        sent = [udp(f"10.0.0.{1 + i % 2}", size=40 + 10 * i) for i in range(10)]
        port.exchange(sent, [DROP if i % 2 else Expect(queue=1) for i in range(10)])
        for rule, some in ((kept, sent[0::2]), (lost, sent[1::2]), (none, [])):
            flows.wait_count(rule, len(some), sum(len(p) for p in some))


def test_priority(port):
    """Two tables of a group: the lower number is asked first."""
    with port.flows() as flows:
        wide = flows.table(["eth / ipv4"], ["queue"], priority=2)
        narrow = flows.table([IPV4_DST], ["queue"], priority=1)
        flows.rule(wide, "eth / ipv4", "queue index 0")
        flows.rule(narrow, "eth / ipv4 dst spec 10.0.0.1", "queue index 3")
        port.exchange([udp(), udp(dst="10.0.0.2")], [Expect(queue=3), Expect(queue=0)])


def test_two_patterns(port):
    """One table, two pattern templates of different protocols."""
    with port.flows() as flows:
        table = flows.table(["eth / ipv4 / udp dst mask 0xffff", "eth / ipv4 / tcp dst mask 0xffff"], ["queue"])
        flows.rule(table, "eth / ipv4 / udp dst spec 53", "queue index 1", pattern_index=0)
        flows.rule(table, "eth / ipv4 / tcp dst spec 80", "queue index 2", pattern_index=1)
        port.exchange([udp(dport=53), frame(IP(), TCP(dport=80)), frame(IP(), TCP(dport=53)), udp(dport=80)],
                      [Expect(queue=1), Expect(queue=2), DROP, DROP])


def test_protocols(port):
    """One item stack per rule, asked in this order; the packet types that the driver reports."""
    with port.flows() as flows:
        rows = [  # pattern, frame that fits, packet types
            ("eth / vlan vid mask 0x0fff / ipv4 / udp", frame(IP(), UDP(dport=9), vlans=[Dot1Q(vlan=5)]), ["L4_UDP"]),
            ("eth / ipv4 / udp", frame(IP(), UDP(dport=9)), ["L3_IPV4_EXT_UNKNOWN", "L4_UDP"]),
            ("eth / ipv4 / tcp", frame(IP(), TCP(dport=9, flags="A")), ["L3_IPV4_EXT_UNKNOWN", "L4_TCP"]),
            ("eth / ipv4 / icmp", frame(IP(), ICMP()), ["L3_IPV4_EXT_UNKNOWN"]),
            ("eth / ipv6 / udp", frame(IPv6(), UDP(dport=9)), ["L3_IPV6_EXT_UNKNOWN", "L4_UDP"]),
            ("eth / ipv6 / tcp", frame(IPv6(), TCP(dport=9)), ["L3_IPV6_EXT_UNKNOWN", "L4_TCP"]),
            ("eth / ipv6 / icmp6", frame(IPv6(), ICMPv6EchoRequest()), ["L3_IPV6_EXT_UNKNOWN"]),
        ]
        for i, (pattern, _, _) in enumerate(rows):
            table = flows.table([pattern], ["mark / queue"], rules=4, priority=i)
            flows.rule(table, pattern.replace("vid mask 0x0fff", "vid spec 5"), f"mark id {i + 1} / queue index {i % 4}")
        port.exchange([r[1] for r in rows], [Expect(queue=i % 4, mark=i + 1, ptype=r[2]) for i, r in enumerate(rows)])


def test_prefix(port):
    """A mask that is not all ones; bits of the value outside the mask do not count."""
    with port.flows() as flows:
        table = flows.table(["eth / ipv4 dst mask 255.255.255.0"], ["queue"])
        flows.rule(table, "eth / ipv4 dst spec 7.7.7.9", "queue index 1")
        flows.rule(table, "eth / ipv4 dst spec 7.7.8.0", "queue index 2")
        port.exchange([udp("7.7.7.1"), udp("7.7.7.255"), udp("7.7.8.3"), udp("7.7.9.9")],
                      [Expect(queue=1), Expect(queue=1), Expect(queue=2), DROP])


def test_fields(port):
    """One field each, a hit and a miss: the miss differs in nothing else."""
    rows = [  # pattern with mask, with value, frame that fits, frame that does not
        ("eth src mask ff:ff:ff:ff:ff:ff", None, None, None),
        ("eth / ipv4 ttl mask 0xff", "eth / ipv4 ttl spec 9", IP(ttl=9), IP(ttl=10)),
        ("eth / ipv4 tos mask 0xfc", "eth / ipv4 tos spec 0x28", IP(tos=0x2A), IP(tos=0x2C)),
        ("eth / ipv4 proto mask 0xff", "eth / ipv4 proto spec 47", IP(proto=47), IP(proto=50)),
        ("eth / ipv6 hop mask 0xff", "eth / ipv6 hop spec 3", IPv6(hlim=3), IPv6(hlim=4)),
        ("eth / ipv6 dst mask ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "eth / ipv6 dst spec 2001:db8::1",
         IPv6(dst="2001:db8::1"), IPv6(dst="2001:db8::2")),
        ("eth / ipv6 src mask ffff:ffff::", "eth / ipv6 src spec 2001:db8::", IPv6(src="2001:db8::77"),
         IPv6(src="2001:db9::77")),
    ]
    with port.flows() as flows:
        for i, (mask, spec, hit, miss) in enumerate(rows):
            table = flows.table([mask], ["queue"], rules=4)
            good = frame(hit) if hit else udp()
            bad = frame(miss) if miss else udp()
            rule = flows.rule(table, spec or f"eth src spec {good.src}", f"queue index {i % 4}")
            port.exchange([good, bad], [Expect(queue=i % 4), DROP])
            flows.destroy(rule)


def test_tcp_flags(port):
    with port.flows() as flows:
        table = flows.table(["eth / ipv4 / tcp flags mask 0x02"], ["queue"])
        flows.rule(table, "eth / ipv4 / tcp flags spec 0x02", "queue index 1")
        port.exchange([frame(IP(), TCP(flags="S")), frame(IP(), TCP(flags="SA")), frame(IP(), TCP(flags="A"))],
                      [Expect(queue=1), Expect(queue=1), DROP])


def check_rss(port, types, packets, ports):
    """Each packet's hash and queue as Toeplitz says."""
    queues = [2, 0, 3, 1]
    action = f"rss types {types} end key {KEY.hex()} key_len 40 queues {' '.join(map(str, queues))} end"
    with port.flows() as flows:
        table = flows.table(["eth"], [(action, action)])
        flows.rule(table, "eth", action)
        hashes = [rss_hash(p, KEY, ports) for p in packets]
        port.exchange(packets, [Expect(queue=queues[h & 3], rss=h) for h in hashes])


def test_rss_addresses(port):
    check_rss(port, "ipv4", [udp(dst=f"10.0.{i}.1", src=f"66.9.149.{i}") for i in range(16)], ports=False)


def test_rss_udp(port):
    check_rss(port, "ipv4-udp", [udp(sport=1000 + i, dport=7 * i + 1) for i in range(16)], ports=True)


def test_rss_tcp(port):
    check_rss(port, "ipv4-tcp", [frame(IP(src="1.2.3.4", dst="5.6.7.8"), TCP(sport=1000 + i, dport=80)) for i in range(16)],
              ports=True)


def test_rss_ipv6(port):
    check_rss(port, "ipv6-udp", [frame(IPv6(src=f"3ffe::{i}", dst="3ffe:501::1"), UDP(sport=5 + i, dport=53))
                                 for i in range(16)], ports=True)


def test_collisions(port, dut):
    """A table filled with random addresses: rows overflow, all rules are found by packets, all are deleted."""
    if dut[1] != "cx7":
        return  # typing the rules takes testpmd some time; the models do not differ here
    rng = random.Random(20)
    addresses = [f"10.{a >> 16}.{a >> 8 & 255}.{a & 255}" for a in rng.sample(range(1 << 24), 1500)]
    with port.flows() as flows:
        table = flows.table([IPV4_DST], ["mark / queue"], rules=2048)
        flows.rules += flows.enqueue_many([(table, f"eth / ipv4 dst spec {a}", f"mark id {i + 1} / queue index {i % 4}")
                                           for i, a in enumerate(addresses)])
        some = rng.sample(range(len(addresses)), 100)
        port.exchange([udp(addresses[i]) for i in some], [Expect(queue=i % 4, mark=i + 1) for i in some])
