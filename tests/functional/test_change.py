# SPDX-License-Identifier: BSD-3-Clause
"""What rte_flow has since 22.11: other actions for a rule, rules by index, jumps to their rows, resized tables. Skipped with an older testpmd."""

import pytest
from harness.frames import IP, UDP, changed, frame
from harness.port import DROP, Expect
from harness.testpmd import Refused, release

DST = "eth / ipv4 dst mask 255.255.255.255"
SPREAD = "eth / ipv4 / udp src mask 0xffff"
LINEAR = "tag data mask 0xffff0000 index is 255"
ALL = "dst_level 0xff dst_offset 0xffffffff"


def since(*wanted):
    """Of a case: it needs that release."""
    return pytest.mark.skipif(release() < wanted, reason=f"testpmd is {'.'.join(map(str, release()))}, that came with "
                              f"{'.'.join(map(str, wanted))}")


def udp(i, sport=1000):
    return frame(IP(dst=f"10.0.0.{i}"), UDP(sport=sport))


# ---- update ----------------------------------------------------------------------------------------------------------


@since(23, 7)
def test_update(port):
    """Other queues, other marks, another template of the table; the neighbours stay."""
    with port.flows() as flows:
        table = flows.table([DST], ["queue", "mark / queue", "drop"])
        rules = [flows.rule(table, f"eth / ipv4 dst spec 10.0.0.{i}", f"queue index {i}") for i in range(4)]
        flows.update(rules[1], "queue index 3")
        flows.update(rules[2], "mark id 77 / queue index 0", actions_index=1)
        flows.update(rules[3], "drop", actions_index=2)
        port.exchange([udp(i) for i in range(4)],
                      [Expect(queue=0), Expect(queue=3), Expect(queue=0, mark=77), DROP])
        flows.update(rules[2], "queue index 2")
        flows.update(rules[3], "queue index 1")
        port.exchange([udp(i) for i in range(4)], [Expect(queue=q) for q in (0, 3, 2, 1)])


@since(23, 7)
def test_update_arguments(port):
    """Actions whose values lie in arguments: each update writes the set that is not in force."""
    def ttl(value):
        return f"modify_field op set dst_type ipv4_ttl src_type value src_value {value:02x} width 8 / queue index 1"

    mask = f"modify_field op set dst_type ipv4_ttl {ALL} src_type value src_value 00 width 0xffffffff / queue index 0xffff"
    with port.flows() as flows:
        table = flows.table([DST], [(ttl(0), mask)])
        rule = flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", ttl(9))
        other = flows.rule(table, "eth / ipv4 dst spec 10.0.0.2", ttl(10))
        sent = [udp(1), udp(2)]
        for value in (20, 21, 22):
            flows.update(rule, ttl(value))
            port.exchange(sent, [Expect(queue=1, rx=changed(sent[0], IP, ttl=value)), Expect(queue=1, rx=changed(sent[1], IP, ttl=10))])
        flows.destroy(other)
        port.exchange(sent, [Expect(queue=1, rx=changed(sent[0], IP, ttl=22)), DROP])


@since(23, 7)
def test_update_counts(port):
    """A counter goes when its action does, and comes back to the port; an indirect one loses its user."""
    with port.flows() as flows:
        table = flows.table([DST], ["count / queue", "queue"])
        rule = flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", "count / queue index 1")
        port.exchange([udp(1) for _ in range(3)], [Expect(queue=1)] * 3)
        flows.wait_count(rule, 3, 3 * len(udp(1)))
        flows.update(rule, "queue index 2", actions_index=1)
        port.exchange([udp(1)], [Expect(queue=2)])
        with pytest.raises(Refused, match="has no count action"):
            flows.count(rule)
        for _ in range(40):  # more than the port has counters, if none came back
            flows.update(rule, "count / queue index 3")
        port.exchange([udp(1) for _ in range(2)], [Expect(queue=3)] * 2)
        flows.wait_count(rule, 2, 2 * len(udp(1)))


@since(23, 7)
def test_update_refused(port):
    with port.flows() as flows:
        table = flows.table([DST], ["queue"])
        rule = flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", "queue index 1")
        with pytest.raises(Refused, match="index 99, the port has 4 receive queues"):
            flows.update(rule, "queue index 99")
        port.exchange([udp(1)], [Expect(queue=1)])


# ---- by index --------------------------------------------------------------------------------------------------------

def needs_tables(port, pattern, more, lack):
    """Some models have no such tables; the driver then says so by name, and the case is skipped."""
    with port.flows() as flows:
        try:
            flows.table([pattern], ["queue"], rules=4, more=more)
        except Refused as refusal:
            assert lack in str(refusal)
            pytest.skip(lack)


@since(23, 3)
def test_hash_split(port):
    """Packets are spread over rows by a hash of the pattern's fields: equal ones meet one row, and every row is met."""
    needs_tables(port, SPREAD, "insertion_type index", "the device has no tables by index that packets find by hash")
    with port.flows() as flows:
        table = flows.table([SPREAD], ["mark / queue"], rules=4, more="insertion_type index")
        for row in range(4):
            flows.rule_at(table, row, f"mark id {row} / queue index {row}", pattern="eth / ipv4 / udp src spec 0")
        sent = [udp(1, sport=2000 + i % 32) for i in range(64)]
        got = port.exchange(sent, [Expect() for _ in sent])
        by_source = {p.src: (p.mark, p.queue) for p in got}
        rows = [by_source[bytes(p)[6:12].hex(":")] for p in sent]
        assert rows[:32] == rows[32:] and set(rows) == {(row, row) for row in range(4)}


@since(23, 3)
def test_linear(port):
    """The row is the upper half of a register that another table wrote."""
    set_row = "modify_field op set dst_type tag dst_level 255 src_type value src_value {} width 32 / jump group 2"
    mask = f"modify_field op set dst_type tag {ALL} src_type value src_value 00000000 width 0xffffffff / jump group 0xffffffff"
    needs_tables(port, LINEAR, "insertion_type index hash_func linear", "the device has no linear tables")
    with port.flows() as flows:
        rows = flows.table([LINEAR], ["mark / queue", "count / queue"], group=2, rules=16,
                           more="insertion_type index hash_func linear")
        first = flows.table([DST], [(set_row.format("00000000"), mask)])
        for i, row in enumerate((3, 0, 15)):
            flows.rule(first, f"eth / ipv4 dst spec 10.0.0.{i}", set_row.format((row << 16).to_bytes(4, "little").hex()))
        at = [flows.rule_at(rows, row, f"mark id {row} / queue index {row % 4}") for row in (3, 0)]
        sent = [udp(0), udp(1), udp(2)]
        port.exchange(sent, [Expect(queue=3, mark=3), Expect(queue=0, mark=0), DROP])
        flows.update(at[0], "mark id 5 / queue index 1")
        counted = flows.rule_at(rows, 15, "count / queue index 2", actions_index=1)
        port.exchange(sent, [Expect(queue=1, mark=5), Expect(queue=0, mark=0), Expect(queue=2)])
        flows.wait_count(counted, 1, len(sent[2]))
        flows.destroy(at[1])
        port.exchange(sent, [Expect(queue=1, mark=5), DROP, Expect(queue=2)])
        flows.rule_at(rows, 0, "mark id 6 / queue index 3")
        port.exchange(sent, [Expect(queue=1, mark=5), Expect(queue=3, mark=6), Expect(queue=2)])
        with pytest.raises(Refused, match="rule index 3: there is a rule"):
            flows.rule_at(rows, 3, "mark id 6 / queue index 3")
        with pytest.raises(Refused, match="rule index 16: the table has rows 0 to 15"):
            flows.rule_at(rows, 16, "mark id 6 / queue index 3")


WITH_PATTERN = "insertion_type index_with_pattern"


def to_row(table, row):
    return f"jump_to_table_index table {table.number} index {row}"


@since(24, 11)
def test_rows(port):
    """Packets jump to a row, which the rule or the template names with its table, and must match the rule that stands there."""
    needs_tables(port, DST, WITH_PATTERN, "has no tables by index with pattern")
    with port.flows() as flows:
        rows = flows.table([DST], ["mark / queue", "count / queue"], group=2, rules=16, more=WITH_PATTERN)
        fixed = to_row(rows, 7)
        first = flows.table([DST], ["jump_to_table_index", (fixed, fixed)])
        for i, (row, template) in enumerate(((3, 0), (15, 0), (7, 1), (3, 0))):
            flows.rule(first, f"eth / ipv4 dst spec 10.0.0.{i}", to_row(rows, row), actions_index=template)
        sent = [udp(i) for i in range(4)]
        port.exchange(sent, [DROP] * 4)
        at = [flows.rule_at(rows, row, f"mark id {row} / queue index {row % 4}", pattern=f"eth / ipv4 dst spec 10.0.0.{dst}",
                            matched=True) for row, dst in ((3, 0), (15, 9), (7, 2))]
        port.exchange(sent, [Expect(queue=3, mark=3), DROP, Expect(queue=3, mark=7), DROP])
        flows.destroy(at[1])
        counted = flows.rule_at(rows, 15, "count / queue index 2", actions_index=1, pattern="eth / ipv4 dst spec 10.0.0.1", matched=True)
        port.exchange(sent, [Expect(queue=3, mark=3), Expect(queue=2), Expect(queue=3, mark=7), DROP])
        flows.wait_count(counted, 1, len(sent[1]))


@since(24, 11)
def test_rows_update(port, dut):
    if dut[0].name == "mlx5":
        pytest.skip("DPDK's mlx5 updates the row of the rule's resource index, not the rule's")
    needs_tables(port, DST, WITH_PATTERN, "has no tables by index with pattern")
    with port.flows() as flows:
        rows = flows.table([DST], ["mark / queue", "count / queue"], group=2, rules=16, more=WITH_PATTERN)
        first = flows.table([DST], ["jump_to_table_index"])
        flows.rule(first, "eth / ipv4 dst spec 10.0.0.0", to_row(rows, 9))
        rule = flows.rule_at(rows, 9, "mark id 3 / queue index 3", pattern="eth / ipv4 dst spec 10.0.0.0", matched=True)
        for actions, index, wanted in (("mark id 5 / queue index 1", 0, Expect(queue=1, mark=5)),
                                       ("count / queue index 2", 1, Expect(queue=2))):
            flows.update(rule, actions, actions_index=index)
            port.exchange([udp(0)], [wanted])
        flows.wait_count(rule, 1, len(udp(0)))


@since(24, 11)
def test_rows_of_rows(port):
    """A row leads to a row of another table; with egress too."""
    needs_tables(port, DST, WITH_PATTERN, "has no tables by index with pattern")
    with port.flows() as flows:
        last = flows.table([SPREAD], ["queue"], group=3, rules=4, more=WITH_PATTERN)
        rows = flows.table([DST], ["jump_to_table_index"], group=2, rules=4, more=WITH_PATTERN)
        first = flows.table([DST], ["jump_to_table_index"])
        for i in range(4):
            flows.rule(first, f"eth / ipv4 dst spec 10.0.0.{i}", to_row(rows, 3 - i))
            flows.rule_at(rows, 3 - i, to_row(last, i), pattern=f"eth / ipv4 dst spec 10.0.0.{i}", matched=True)
            flows.rule_at(last, i, f"queue index {i}", pattern=f"eth / ipv4 / udp src spec {1000 + i}", matched=True)
        sent = [udp(i, sport=1000 + i) for i in range(4)] + [udp(2, sport=1001)]
        port.exchange(sent, [Expect(queue=i) for i in range(4)] + [DROP])


@since(24, 11)
def test_rows_of_one_table(port, dut):
    """The template fixes the table, the rule gives the row."""
    if dut[0].name == "mlx5":
        pytest.skip("DPDK's mlx5 fixes the row with the table, whatever the mask says of it")
    needs_tables(port, DST, WITH_PATTERN, "has no tables by index with pattern")
    with port.flows() as flows:
        rows = flows.table([DST], ["queue"], group=2, rules=16, more=WITH_PATTERN)
        first = flows.table([DST], [(to_row(rows, 0), to_row(rows, 0))])
        for i in range(4):
            flows.rule(first, f"eth / ipv4 dst spec 10.0.0.{i}", to_row(rows, 12 + i))
            flows.rule_at(rows, 12 + i, f"queue index {i}", pattern=f"eth / ipv4 dst spec 10.0.0.{i}", matched=True)
        port.exchange([udp(i) for i in range(4)], [Expect(queue=i) for i in range(4)])


@since(24, 11)
def test_rows_refused(port, dut):
    """In our words; DPDK's mlx5 takes most of it."""
    if dut[0].name == "mlx5":
        pytest.skip("DPDK's mlx5 does not look at rows")
    with port.flows() as flows:
        rows = flows.table([DST], ["queue"], group=2, rules=16, more=WITH_PATTERN)
        other = flows.table([DST], ["queue"], group=3)
        first = flows.table([DST], ["jump_to_table_index", (to_row(rows, 0), to_row(rows, 0))])
        pattern = "eth / ipv4 dst spec 10.0.0.1"
        for actions, index, says in ((to_row(rows, 16), 0, "index 16, the table has rows 0 to 15"),
                                     (to_row(rows, 16), 1, "index 16, the table has rows 0 to 15"),
                                     (to_row(other, 0), 0, "insertion type is not index with pattern"),
                                     ("jump_to_table_index", 0, "table is not one of this port")):
            with pytest.raises(Refused, match=says):
                flows.rule(first, pattern, actions, actions_index=index)
        for fixed, says in ((to_row(rows, 16), "index 16, the table has rows 0 to 15"),
                            (to_row(other, 1), "insertion type is not index with pattern")):
            with pytest.raises(Refused, match=says):
                flows.action(fixed, fixed)
        with pytest.raises(Refused, match="item 1 is END, the template has IPV4"):
            flows.rule_at(rows, 0, "queue index 0")
        with pytest.raises(Refused, match="hash_func .* by jumps alone"):
            flows.table([DST], ["queue"], more=WITH_PATTERN + " hash_func linear")
        rule = flows.rule(first, pattern, to_row(rows, 0))
        with pytest.raises(Refused, match="rules or templates jump to its rows"):
            flows.do(f"flow template_table 0 destroy table {rows.number}", "destroyed")
        flows.destroy(rule)


@since(23, 3)
def test_index_refused(port):
    with port.flows() as flows:
        with pytest.raises(Refused, match="of a linear one the pattern is tag 255 with mask 0xffff0000|has no linear tables"):
            flows.table([DST], ["queue"], more="insertion_type index hash_func linear")
        with pytest.raises(Refused, match="hash_func 2, the device has default and linear"):
            flows.table([DST], ["queue"], more="insertion_type index hash_func crc32")
        with pytest.raises(Refused, match="of rules by pattern the device chooses it"):
            flows.table([DST], ["queue"], more="hash_func linear")
        with pytest.raises(Refused, match="2 pattern templates, a table by index has one"):
            flows.table([DST, SPREAD], ["queue"], more="insertion_type index")


# ---- resize ----------------------------------------------------------------------------------------------------------


@since(24, 3)
def test_resize(port):
    """A full table grows; every rule is met all the time, the old ones are moved, and the table takes new ones."""
    with port.flows() as flows:
        table = flows.table([DST], ["count / queue"], rules=8, more="resizable")
        rules = [flows.rule(table, f"eth / ipv4 dst spec 10.0.0.{i}", f"count / queue index {i % 4}") for i in range(8)]
        sent = [udp(i) for i in range(8)]
        expected = [Expect(queue=i % 4) for i in range(8)]
        port.exchange(sent, expected)
        with pytest.raises(Refused, match="update: rules of a resizable table cannot be updated"):
            flows.update(rules[0], "count / queue index 1")
        flows.do(f"flow template_table 0 resize table_resize_id {table.number} table_resize_rules_num 256")
        port.exchange(sent, expected)
        with pytest.raises(Refused, match="a rule of before the resize was not moved"):
            flows.do(f"flow template_table 0 resize_complete table {table.number}")
        for rule in rules[:4]:
            flows.move(rule)
        more = [flows.rule(table, f"eth / ipv4 dst spec 10.0.0.{i}", f"count / queue index {i % 4}") for i in range(100, 140)]
        port.exchange(sent, expected)
        flows.destroy(rules[3], rules[4])
        for rule in rules[5:]:
            flows.move(rule)
        flows.do(f"flow template_table 0 resize_complete table {table.number}")
        port.exchange(sent + [udp(i) for i in range(100, 140)],
                      [DROP if i in (3, 4) else e for i, e in enumerate(expected)]
                      + [Expect(queue=i % 4) for i in range(100, 140)])
        flows.wait_count(rules[5], 4, 4 * len(sent[5]))
        flows.destroy(*more)
        port.exchange([udp(100), udp(5)], [DROP, Expect(queue=1)])
        with pytest.raises(Refused, match="the rule's table is not being resized"):
            flows.move(rules[5])


@since(24, 3)
def test_resize_refused(port):
    with port.flows() as flows:
        table = flows.table([DST], ["queue"], rules=8)
        with pytest.raises(Refused, match="the table is not resizable"):
            flows.do(f"flow template_table 0 resize table_resize_id {table.number} table_resize_rules_num 256")
        with pytest.raises(Refused, match="no resize has begun"):
            flows.do(f"flow template_table 0 resize_complete table {table.number}")
