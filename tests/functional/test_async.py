# SPDX-License-Identifier: BSD-3-Clause
"""Flow queues: postpone, push and pull, several queues, full queues, indirect actions, what must be refused."""

import time

import pytest
from harness.frames import IP, UDP, frame
from harness.port import DROP, Expect
from harness.testpmd import Refused

DST = "eth / ipv4 dst mask 255.255.255.255"


def udp(i):
    return frame(IP(dst=f"10.0.0.{i}"), UDP())


def test_postpone_and_push(port):
    """Postponed rules take effect after the push, all of them."""
    with port.flows() as flows:
        table = flows.table([DST], ["queue"])
        numbers = [flows.enqueue(table, f"eth / ipv4 dst spec 10.0.0.{i}", f"queue index {i % 4}", postpone=True)
                   for i in range(8)]
        port.exchange([udp(i) for i in range(8)], [DROP] * 8)
        flows.do("flow push 0 queue 0", r"Queue #0 operations pushed")
        flows.pull(8)
        flows.rules += numbers
        port.exchange([udp(i) for i in range(8)], [Expect(queue=i % 4) for i in range(8)])


def test_two_queues(port):
    """Rules of one table from two flow queues; each result comes back on its own queue."""
    with port.flows() as flows:
        table = flows.table([DST], ["queue"])
        one = flows.enqueue(table, "eth / ipv4 dst spec 10.0.0.1", "queue index 1", queue=0)
        two = flows.enqueue(table, "eth / ipv4 dst spec 10.0.0.2", "queue index 2", queue=1)
        flows.pull(1, queue=1)
        flows.pull(1, queue=0)
        port.exchange([udp(1), udp(2)], [Expect(queue=1), Expect(queue=2)])
        flows.destroy(two, queue=1)
        flows.destroy(one, queue=0)
        port.exchange([udp(1), udp(2)], [DROP, DROP])


def test_full_queue(port):
    """A queue takes as many operations as it was made for, and goes on after a pull."""
    with port.flows() as flows:
        table = flows.table([DST], ["queue"], rules=512)
        numbers = []
        with pytest.raises(Refused):
            for i in range(400):
                numbers.append(flows.enqueue(table, f"eth / ipv4 dst spec 10.0.{i >> 8}.{i & 255}", "queue index 1", postpone=True))
        assert len(numbers) >= 127
        flows.do("flow push 0 queue 0", r"pushed")
        flows.pull(len(numbers))
        flows.rules += numbers
        flows.rule(table, "eth / ipv4 dst spec 10.9.9.9", "queue index 2")
        port.exchange([frame(IP(dst="10.9.9.9"), UDP()), udp(5)], [Expect(queue=2), Expect(queue=1)])


def test_indirect_count(port):
    """Two rules, one counter."""
    with port.flows() as flows:
        flows.do("flow indirect_action 0 create action_id 5 ingress action count / end", r"Indirect action #5 creation queued|Indirect action #5 created")
        flows.undo.append(("flow indirect_action 0 destroy action_id 5", r"Indirect action #5 destroyed"))
        table = flows.table([DST], [("indirect 5 / queue", "count / queue")])
        for i in (1, 2):
            flows.rule(table, f"eth / ipv4 dst spec 10.0.0.{i}", f"indirect 5 / queue index {i}")
        sent = [udp(1), udp(2), udp(1)]
        port.exchange(sent, [Expect(queue=1), Expect(queue=2), Expect(queue=1)])
        for _ in range(40):
            text = flows.do("flow indirect_action 0 query 5", r"(?s)(.*hits: .*)")[1]
            if "hits: 3" in text:
                break
            time.sleep(0.1)
        assert "hits: 3" in text and f"bytes: {sum(map(len, sent))}" in text, text


def test_indirect_rss(port):
    """Rules share an RSS action."""
    with port.flows() as flows:
        flows.do("flow indirect_action 0 create action_id 6 ingress action rss queues 2 3 end types ipv4 end / end",
                 r"Indirect action #6 created")
        flows.undo.append(("flow indirect_action 0 destroy action_id 6", r"Indirect action #6 destroyed"))
        table = flows.table([DST], [("indirect 6", "rss")])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", "indirect 6")
        sent = [frame(IP(src=f"10.1.{i}.1", dst="10.0.0.1"), UDP()) for i in range(32)]
        seen = port.exchange(sent, [Expect() for _ in sent])
        assert {p.queue for p in seen if p.ethertype == 0x0800} == {2, 3}


WRONG = {  # what, line(s) with {table}: refused, whatever the words
    "queue out of range": "flow queue 0 create 0 template_table {table} pattern_template 0 actions_template 0 postpone no "
                          "pattern eth / ipv4 dst spec 10.0.0.1 / end actions queue index 99 / end",
    "flow queue out of range": "flow queue 0 create 9 template_table {table} pattern_template 0 actions_template 0 postpone no "
                               "pattern eth / ipv4 dst spec 10.0.0.1 / end actions queue index 1 / end",
    "unknown table": "flow queue 0 create 0 template_table 999999 pattern_template 0 actions_template 0 postpone no "
                     "pattern eth / ipv4 dst spec 10.0.0.1 / end actions queue index 1 / end",
    "template in use": "flow pattern_template 0 destroy pattern_template {pattern}",
}


@pytest.mark.parametrize("what", WRONG)
def test_refused(port, what):
    """A wrong call is refused and leaves no trace."""
    with port.flows() as flows:
        table = flows.table([DST], ["queue"])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.7", "queue index 1")
        before = port.census()
        with pytest.raises(Refused):
            flows.do(WRONG[what].format(table=table.number, pattern=table.patterns[0]), r"NO SUCH ANSWER")
        assert port.census() == before
        port.exchange([udp(7)], [Expect(queue=1)])


def test_table_with_rules_stays(port):
    """Destroying a table that has rules is refused, and the rule goes on working."""
    with port.flows() as flows:
        table = flows.table([DST], ["queue"])
        flows.rule(table, "eth / ipv4 dst spec 10.0.0.7", "queue index 1")
        with pytest.raises(Refused):
            flows.do(f"flow template_table 0 destroy table {table.number}", r"Template table #\d+ destroyed")
        port.exchange([udp(7)], [Expect(queue=1)])
