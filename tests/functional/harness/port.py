# SPDX-License-Identifier: BSD-3-Clause
"""A started port with flow queues: rules in, frames through, census."""

import os
import re
import signal
import time

from . import frames
from .testpmd import Refused, parse_packets
from .wire import Tap

PATIENCE = 5.0  # seconds that frames may take; only failures take that long
GRACE = 0.05    # and for frames that nobody expects


class Expect:
    """What shall become of one frame.

    queue   where it arrives (None: do not look; DROP: nowhere)
    rx      bytes after ingress steering (default: as sent)
    out     bytes that leave again (default: rx; None with lost=True: nothing leaves)
    further keywords are attributes of harness.testpmd.Packet: mark=7, meta=..., rss=..., vlan=...
    """

    def __init__(self, queue=None, rx=None, out=None, drop=False, lost=False, kernel=False, ptype=(), flags=(), **fields):
        self.queue, self.rx, self.out, self.drop, self.lost = queue, rx, out, drop or kernel, lost
        self.kernel, self.ptype, self.flags, self.fields = kernel, set(ptype), set(flags), fields


DROP = Expect(drop=True)


def hexdump(data):
    return "none" if data is None else " ".join(data[i:i + 4].hex() for i in range(0, len(data), 4))


def objects(census, without=()):
    """The rows of a census that count what lives; the lines about traffic and the sum are left out."""
    rows = [line for line in census.splitlines() if re.match(r"\w+ +\d+ objects", line)]
    return "".join(line + "\n" for line in rows if line.split()[0] not in {"sum", *without})


class Port:
    """The one port of a testpmd. The root table's rule that leads to group 1 exists from start() to stop()."""

    def __init__(self, testpmd, wire, host, folder, queues, leaves=()):
        self.testpmd, self.folder, self.queues, self.leaves = testpmd, folder, queues, leaves
        self.census_path = os.path.join(folder, "census.txt")
        self.wire = Tap(wire)
        self.host = Tap(host) if host else None
        self.names = {}

    # ---- life ------------------------------------------------------------------------------------------------

    def configure(self, flow_queues=1, size=128, counters=512):
        do = self.testpmd.do
        do("port stop 0", r"Done")
        do("port config 0 tx_metadata 0")  # registers the metadata field, before the driver chooses its bursts
        do(f"flow configure 0 queues_number {flow_queues} queues_size {size} counters_number {counters} "
           "aging_counters_number 0 meters_number 0 flags 0", r"Configure flows on port 0")
        do("port start 0", r"Done", seconds=30)
        self.flow_queues = flow_queues

    def start(self):
        self.testpmd.do("set fwd io")
        self.testpmd.do("set verbose 1")
        self.testpmd.do("start")
        self.silence()

    def enter_groups(self):
        """The root rule: what is addressed to PORT_MAC goes to group 1. It stays until the port is closed."""
        self.root = Flows(self, group=0, census=False)
        self.root.__enter__()
        table = self.root.table(["eth dst mask ff:ff:ff:ff:ff:ff"], [("jump group 1", "jump group 0xffffffff")], rules=1)
        self.root.rule(table, f"eth dst spec {frames.PORT_MAC}", "jump group 1")

    def leave_groups(self):
        self.root.__exit__(None, None, None)

    def silence(self):
        """Throw away what was on its way."""
        while self.testpmd.listen(0.02):
            pass
        self.wire.drain()
        if self.host:
            self.host.drain()

    def close(self):
        self.wire.close()
        if self.host:
            self.host.close()
        self.testpmd.close()

    # ---- frames ----------------------------------------------------------------------------------------------

    def exchange(self, sent, expected, last=None):
        """Send scapy frames in order, compare what becomes of each. expected is a list of Expect, one a frame.

        A frame of ours follows them: last says what becomes of it when rules take even that."""
        assert len(sent) == len(expected)
        end = frames.sentinel()
        batch = [*sent, end]
        wanted = [*expected, last or Expect(queue=None)]
        seen, out = self.carry(batch, wanted)
        self.compare(batch, wanted, seen, out)
        return seen

    def carry(self, batch, wanted):
        arrive = sum(not e.drop for e in wanted)
        leave = sum(not (e.drop or e.lost) for e in wanted)
        text, out, sent = "", [], 0
        deadline = time.monotonic() + PATIENCE
        grace = None
        while True:
            if sent < len(batch):
                for packet in batch[sent:sent + 32]:
                    self.wire.send(bytes(packet))
                sent += 32
            text += self.testpmd.listen(0.002)
            out += self.wire.drain()
            now = time.monotonic()
            done = len(parse_packets(text)) >= arrive and len(out) >= leave and sent >= len(batch)
            grace = (grace or now + GRACE) if done else None
            if (done and now > grace) or now > deadline:
                return parse_packets(text), out

    def compare(self, batch, wanted, seen, out):
        problems = []
        seen = list(seen)
        leaving = {}
        for data in out:
            number = frames.number_of(data)
            if number in leaving or number is None:
                problems.append(f"a frame left twice, or is none of ours: {hexdump(data)}")
            leaving[number] = data
        for i, (packet, want) in enumerate(zip(batch, wanted)):
            data = bytes(packet)
            what = "last frame (no rule takes it)" if i == len(batch) - 1 else f"frame {i} {packet.summary()}"
            number = frames.number_of(data)
            left = leaving.pop(number, None)
            if want.drop:
                if left is not None:
                    problems.append(f"{what}: shall be dropped, left as {hexdump(left)}")
                continue
            rx = want.rx if want.rx is not None else data
            problems += self.compare_one(what, want, rx, seen)
            expected_out = None if want.lost else want.out if want.out is not None else rx
            if left != expected_out:
                problems.append(f"{what}: shall leave as\n    {hexdump(expected_out)}\n  left as\n    {hexdump(left)}")
        problems += [f"nobody expected {p!r}" for p in seen]
        problems += [f"nobody expected {hexdump(d)}" for d in leaving.values()]
        problems += self.compare_kernel(batch, wanted)
        more = [f"and {len(problems) - 12} more"] if len(problems) > 12 else []
        assert not problems, "\n".join(problems[:12] + more)

    def compare_one(self, what, want, rx, seen):
        """Find the packet that testpmd showed for these bytes, take it out of seen, compare."""
        source, target = rx[6:12].hex(":"), rx[0:6].hex(":")
        found = [p for p in seen if p.src == source and p.length == len(rx)] or [p for p in seen if p.src == source]
        if not found:
            return [f"{what}: did not arrive"]
        shown = found[0]
        seen.remove(shown)
        wrong = []
        if shown.length != len(rx) or shown.dst != target:
            wrong.append(f"length {shown.length}, to {shown.dst}; expected {len(rx)}, {target}")
        if want.queue is not None and shown.queue != want.queue:
            wrong.append(f"on queue {shown.queue}, expected {want.queue}")
        for name, value in want.fields.items():
            if getattr(shown, name) != value:
                wrong.append(f"{name} {getattr(shown, name)}, expected {value}")
        if want.ptype - shown.ptype:
            wrong.append(f"packet type {sorted(shown.ptype)} lacks {sorted(want.ptype - shown.ptype)}")
        if want.flags - shown.flags:
            wrong.append(f"flags {sorted(shown.flags)} lack {sorted(want.flags - shown.flags)}")
        return [f"{what}: arrived " + "; ".join(wrong)] if wrong else []

    def compare_kernel(self, batch, wanted):
        """Frames that go on to the kernel's netdev."""
        if not self.host:
            return []
        got = {frames.number_of(d): d for d in self.host.drain()}
        problems = []
        for packet, want in zip(batch, wanted):
            number = frames.number_of(bytes(packet))
            data = got.pop(number, None)
            if want.kernel and data != (want.rx if want.rx is not None else bytes(packet)):
                problems.append(f"{packet.summary()}: the kernel got {hexdump(data)}")
            if not want.kernel and data is not None:
                problems.append(f"{packet.summary()}: the kernel got it")
        return problems

    # ---- census ----------------------------------------------------------------------------------------------

    def census(self, seconds=5):
        """What lives on the device now, as softcx counts it."""
        size = os.path.getsize(self.census_path) if os.path.exists(self.census_path) else 0
        self.testpmd.process.signal(signal.SIGUSR2)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            time.sleep(0.01)
            if os.path.exists(self.census_path) and os.path.getsize(self.census_path) > size:
                time.sleep(0.02)
                with open(self.census_path, encoding="utf-8") as f:
                    f.seek(size)
                    return objects(f.read(), self.leaves)
        raise AssertionError(f"softcx wrote no census to {self.census_path}")

    # ---- rules -----------------------------------------------------------------------------------------------

    def flows(self, group=1, **attributes):
        return Flows(self, group, **attributes)


class Table:
    def __init__(self, number, patterns, actions):
        self.number, self.patterns, self.actions = number, patterns, actions


class Flows:
    """Templates, tables and rules made by one test; all are gone after the `with` block, and the census is as before."""

    numbers = iter(range(100, 1000000))

    def __init__(self, port, group=1, ingress=True, census=True):
        self.port, self.group, self.way = port, group, "ingress" if ingress else "egress"
        self.do = port.testpmd.do
        self.rules, self.undo, self.check_census = [], [], census

    def __enter__(self):
        self.before = self.port.census() if self.check_census else None
        return self

    def __exit__(self, kind, error, trace):
        try:
            self.destroy(*self.rules)
        except Exception:  # pylint: disable=broad-except
            if kind is None:
                raise
        for line, expected in reversed(self.undo):
            try:
                self.do(line, expected)
            except Refused:
                if kind is None:
                    raise
        if kind is None and self.check_census:
            after = self.port.census()
            assert after == self.before, f"census before:\n{self.before}\nafter:\n{after}"

    def pattern(self, text, relaxed=False):
        n = next(self.numbers)
        self.do(f"flow pattern_template 0 create pattern_template_id {n} relaxed {'yes' if relaxed else 'no'} {self.way} "
                f"template {text} / end", rf"Pattern template #{n} created")
        self.undo.append((f"flow pattern_template 0 destroy pattern_template {n}", rf"Pattern template #{n} destroyed"))
        return n

    def action(self, text, mask=None):
        """An actions template; without a mask every configuration varies from rule to rule."""
        n = next(self.numbers)
        self.do(f"flow actions_template 0 create {self.way} actions_template_id {n} template {text} / end "
                f"mask {mask or text} / end", rf"Actions template #{n} created")
        self.undo.append((f"flow actions_template 0 destroy actions_template {n}", rf"Actions template #{n} destroyed"))
        return n

    def table(self, patterns, actions, group=None, rules=64, priority=0, more=""):
        """A table of pattern and actions templates: numbers, or texts to make them of ((text, mask) for actions).

        more: further attributes, in testpmd's words."""
        patterns = [p if isinstance(p, int) else self.pattern(p) for p in patterns]
        actions = [a if isinstance(a, int) else self.action(*a) if isinstance(a, tuple) else self.action(a) for a in actions]
        n = next(self.numbers)
        self.do(f"flow template_table 0 create table_id {n} group {self.group if group is None else group} "
                f"priority {priority} {self.way} {more} rules_number {rules} "
                + " ".join(f"pattern_template {p}" for p in patterns) + " "
                + " ".join(f"actions_template {a}" for a in actions), rf"Template table #{n} created")
        self.undo.append((f"flow template_table 0 destroy table {n}", rf"Template table #{n} destroyed"))
        return Table(n, patterns, actions)

    def enqueue(self, table, pattern, actions, pattern_index=0, actions_index=0, postpone=False, queue=0):
        match = self.do(f"flow queue 0 create {queue} template_table {table.number} pattern_template {pattern_index} "
                        f"actions_template {actions_index} postpone {'yes' if postpone else 'no'} "
                        f"pattern {pattern} / end actions {actions} / end", r"Flow rule #(\d+) creation enqueued")
        return int(match[1])

    def enqueue_many(self, lines, failed=0, queue=0, room=96):
        """Many (table, pattern, actions) on one queue, typed by testpmd itself from a file. @return their numbers."""
        path = os.path.join(self.port.folder, "load.txt")
        numbers = []
        for at in range(0, len(lines), room):
            some = lines[at:at + room]
            with open(path, "w", encoding="ascii") as f:
                for i, (table, pattern, actions) in enumerate(some):
                    f.write(f"flow queue 0 create {queue} template_table {table.number} pattern_template 0 actions_template 0 "
                            f"postpone {'no' if i == len(some) - 1 else 'yes'} pattern {pattern} / end actions {actions} / end\n")
            text = self.do(f"load {path}", r"(?s)(.*)", seconds=60)[1]
            created = [int(n) for n in re.findall(r"Flow rule #(\d+) creation enqueued", text)]
            assert len(created) == len(some), text
            numbers += created
            self.pull(len(some), queue, failed)
        return numbers

    def pull(self, count, queue=0, failed=0, seconds=5):
        """Pull until count operations came back, of which failed failed."""
        deadline = time.monotonic() + seconds
        good = bad = 0
        while good + bad < count and time.monotonic() < deadline:
            match = self.do(f"flow pull 0 queue {queue}", r"Queue #\d+ pulled (\d+) operations \((\d+) failed, (\d+) succeeded\)")
            bad += int(match[2])
            good += int(match[3])
        assert (good, bad) == (count - failed, failed), f"pulled {good} good and {bad} failed of {count}"

    def rule(self, table, pattern, actions, pattern_index=0, actions_index=0, queue=0):
        """One rule, inserted at once. @return its number in testpmd."""
        number = self.enqueue(table, pattern, actions, pattern_index, actions_index, queue=queue)
        self.pull(1, queue)
        self.rules.append(number)
        return number

    def rule_at(self, table, index, actions, actions_index=0, pattern="eth", matched=False):
        """One rule at a row of a table by index. testpmd wants a pattern there too, which the driver gets only if it is matched."""
        match = self.do(f"flow queue 0 create 0 template_table {table.number} rule_index {index} "
                        f"{'pattern_template 0 ' if matched else ''}actions_template {actions_index} "
                        f"postpone no pattern {pattern} / end actions {actions} / end", r"Flow rule #(\d+) creation enqueued")
        self.pull(1)
        self.rules.append(int(match[1]))
        return int(match[1])

    def update(self, rule, actions, actions_index=0):
        """Other actions for a rule."""
        self.do(f"flow queue 0 update 0 rule {rule} actions_template {actions_index} postpone no pattern eth / end "
                f"actions {actions} / end", rf"Flow rule #{rule} update enqueued")
        self.pull(1)

    def move(self, rule):
        """A rule to the new tables of a resize."""
        self.do(f"flow queue 0 update_resized 0 rule {rule}")
        self.pull(1)

    def destroy(self, *rules, queue=0):
        for at in range(0, len(rules), 24):
            some = rules[at:at + 24]
            text = self.do(f"flow queue 0 destroy {queue} postpone no " + " ".join(f"rule {r}" for r in some),
                           r"(?s)(.*destruction enqueued.*)")[1]
            assert text.count("destruction enqueued") == len(some), text
            self.pull(len(some), queue)
        self.rules = [r for r in self.rules if r not in rules]

    def count(self, rule):
        """Hits and bytes of a rule's counter."""
        text = self.do(f"flow query 0 {rule} count", r"(?s)(.*hits: .*)")[1]
        numbers = {k: int(v) for k, v in re.findall(r"(hits|bytes): (\d+)", text)}
        return numbers["hits"], numbers["bytes"]

    def wait_count(self, rule, hits, size, seconds=4):
        """Counters may be read late by the driver: wait until they say what they shall."""
        deadline = time.monotonic() + seconds
        while True:
            got = self.count(rule)
            if got == (hits, size) or time.monotonic() > deadline:
                assert got == (hits, size), f"counter {got}, expected {(hits, size)}"
                return
            time.sleep(0.1)
