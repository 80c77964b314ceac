# SPDX-License-Identifier: BSD-3-Clause
"""Play a capture into stock testpmd on a software ConnectX, rules in place, and hold what comes out against tcpdump.

Which packets a rule is for, and how many, is asked of tcpdump alone. Each rule has receive queues of its own, so where a packet
arrived tells which rule took it; frames leave by the port again and are compared byte by byte.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../../tests/functional")]

import capture  # noqa: E402
import rules as rule_list  # noqa: E402
from harness.testpmd import Refused, Testpmd, parse_packets  # noqa: E402
from scapy.utils import RawPcapReader  # noqa: E402

QUEUES = 15
PATIENCE = 10.0  # seconds until the first packet
QUIET = 1.0  # seconds without a packet: the capture is through


def frames_of(path):
    return [bytes(data) for data, _ in RawPcapReader(path)] if os.path.getsize(path) > 24 else []


def tcpdump(source, expression, folder):
    """The frames of a capture that a filter selects."""
    target = os.path.join(folder, "selected.pcap")
    subprocess.run(["tcpdump", "-r", source, "-w", target, expression], check=True, stderr=subprocess.DEVNULL)
    return frames_of(target)


class Demo:
    def __init__(self, build, folder, seed):
        self.build, self.folder = build, folder
        self.file = {name: os.path.join(folder, name) for name in ("in.pcap", "out.pcap", "go", "testpmd.txt")}
        capture.write(self.file["in.pcap"], seed)
        self.testpmd = None
        self.handles = {}

    def launch(self):
        wire = f"pcap:[in={self.file['in.pcap']},out={self.file['out.pcap']},gate={self.file['go']}]"
        self.testpmd = Testpmd(
            ["dpdk-testpmd", "--no-huge", "-m", "1024", "--no-pci", "--no-telemetry", "-l", "0,1", "--file-prefix", f"demo{os.getpid()}",
             "-d", os.path.join(self.build, "librte_net_mlx5hws.so"),
             f"--vdev=net_softcx0,wire={wire}", "--",
             "-i", f"--rxq={QUEUES}", f"--txq={QUEUES}", "--total-num-mbufs=16384", "--nb-cores=1", "--rxd=256", "--txd=512"],
            log=self.file["testpmd.txt"])

    def prepare(self):
        do = self.testpmd.do
        do("port stop 0")
        do("flow configure 0 queues_number 1 queues_size 64 counters_number 64 aging_counters_number 0 meters_number 0 flags 0")
        do("port start 0", seconds=30)
        do("set raw_encap 0 " + rule_list.ENCAP_TEXT)
        do(rule_list.VXLAN_TEXT)
        do("set fwd io")
        do("set verbose 1")

    def rule(self, number, rule):
        """Templates, table and rule of the same number."""
        do = self.testpmd.do
        do(f"flow pattern_template 0 create pattern_template_id {number} relaxed no ingress template {rule.pattern} / end", "created")
        do(f"flow actions_template 0 create ingress actions_template_id {number} template {rule.template} / end"
           f" mask {rule.mask} / end", "created")
        do(f"flow template_table 0 create table_id {number} group {rule.group} priority {rule.priority} ingress rules_number 4"
           f" pattern_template {number} actions_template {number}", "created")
        said = do(f"flow queue 0 create 0 template_table {number} pattern_template 0 actions_template 0 postpone no"
                  f" pattern {rule.match} / end actions {rule.actions} / end", r"Flow rule #(\d+) creation enqueued")
        self.handles[number] = int(said[1])
        self.pull()

    def pull(self):
        """The one result that is awaited."""
        deadline = time.monotonic() + 5
        while True:
            said = self.testpmd.do("flow pull 0 queue 0", r"pulled (\d+) operations \((\d+) failed")
            if said[1] == "1" and said[2] == "0":
                return
            if said[1] != "0" or time.monotonic() > deadline:
                raise Refused(said[0])

    def play(self):
        """Let the packets in. @return those that the application saw."""
        self.testpmd.do("start")
        open(self.file["go"], "w").close()
        text, until = "", time.monotonic() + PATIENCE
        while time.monotonic() < until:
            heard = self.testpmd.listen(0.1)
            text += heard
            if "received" in heard:
                until = time.monotonic() + QUIET
        self.testpmd.do("stop")
        return parse_packets(text)

    def hits(self, number):
        said = self.testpmd.do(f"flow query 0 {self.handles[number]} count", r"(?s)hits: (\d+).*bytes: (\d+)")
        return int(said[1]), int(said[2])

    def discarded(self):
        return int(self.testpmd.do("show port xstats 0", r"port_rx_steering_discard: (\d+)")[1])


def judge(demo, rules, packets):
    """Hold each rule against tcpdump. @return rows (name, expected, got, complaint)."""
    by_queue = collections.defaultdict(list)
    for packet in packets:
        by_queue[packet.queue].append(packet)
    left = collections.Counter(frames_of(demo.file["out.pcap"]))
    rows, taken = [], 0
    for number, rule in enumerate(rules, 1):
        mine = tcpdump(demo.file["in.pcap"], rule.tcpdump, demo.folder)
        complaint, got = "", None
        if rule.queues:
            arrived = [p for q in rule.queues for p in by_queue.pop(q, [])]
            got = len(arrived)
            if any(p.mark != rule.mark for p in arrived):
                complaint = "mark differs"
            wanted = collections.Counter(rule.change(f) for f in mine)
            missing = sum((wanted - left).values())
            left -= wanted
            if missing:
                complaint = complaint or f"{missing} frames differ in their bytes"
        if rule.counts:
            hits, octets = demo.hits(number)
            got = hits if got is None else got
            if (hits, octets) != (len(mine), sum(map(len, mine))):
                complaint = complaint or f"counter says {hits} packets, {octets} bytes"
        if rule.queues is not None:
            taken += len(mine)
        rows.append((rule.name, len(mine), got, complaint))
    rest = capture.PACKETS - taken
    rows.append(("no rule in group 1 or 2: discarded", rest, demo.discarded(), ""))
    if left or by_queue:
        rows.append(("nothing else came", 0, sum(left.values()) + sum(map(len, by_queue.values())), ""))
    return rows


def rate(build):
    """Insertion and deletion on this machine, measured by the benchmark, in million rules a second."""
    said = subprocess.run(
        [os.path.join(build, "app/mlx5hws-flow-perf"), "--no-huge", "-m", "512", "--no-pci", "--no-telemetry", "-l", "0",
         "--log-level=error", "--file-prefix", f"demo{os.getpid()}r", "-d", os.path.join(build, "librte_net_mlx5hws.so"),
         "--vdev=net_softcx0,wire=null,uar=poll", "--", "--json", "--stepped", "--rules", "262144", "--repeat", "5"],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    phases = json.loads(said.splitlines()[-1])["phases"]
    return phases["insert"]["mops"], phases["delete"]["mops"]


def sabotage(rules):
    """Send the packets of one rule to the queue of another: the comparison must notice."""
    for rule in rules:
        if rule.queues == [4]:
            rule.actions = re.sub("queue index 4", "queue index 12", rule.actions)


def main():
    parser = argparse.ArgumentParser(prog="devtools/demo.sh", description=__doc__)
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=1, help="of the capture (1)")
    parser.add_argument("--sabotage", action="store_true", help="plant a wrong rule; the exit status must then be 1")
    parser.add_argument("--keep", metavar="FOLDER", help="leave the captures and testpmd's output there")
    options = parser.parse_args()
    rules = rule_list.rules()
    if options.sabotage:
        sabotage(rules)
    with tempfile.TemporaryDirectory(prefix="mlx5hws-demo-") as folder:
        if options.keep:
            folder = options.keep
            os.makedirs(folder, exist_ok=True)
        demo = Demo(options.build, folder, options.seed)
        kinds = set().union(*(r.kinds() for r in rules))
        print(f"{capture.PACKETS} packets of {len(capture.PROTOCOLS)} protocols, {len(rules)} rules of {len(kinds)} action kinds in 2 groups"
              f" (and one in group 0 that leads to group 1), stock testpmd on softcx")
        demo.launch()
        try:
            demo.prepare()
            lead = rule_list.Rule("group 0", "eth", "jump group 1", "", group=0, pattern="eth", mask="jump group 0xffffffff")
            demo.rule(100, lead)
            for number, rule in enumerate(rules, 1):
                demo.rule(number, rule)
            packets = demo.play()
            rows = judge(demo, rules, packets)
            demo.testpmd.quit()
        except Refused as refusal:
            print(refusal, file=sys.stderr)
            return 1
        finally:
            demo.testpmd.close()
        print(f"{'rule':34} {'tcpdump says':>12} {'arrived':>8}")
        agree = 0
        for name, expected, got, complaint in rows:
            well = expected == got and not complaint
            agree += well
            print(f"{name:34} {expected:12} {got:8}  {'' if well else 'DIFFERS ' + complaint}")
    insert, delete = rate(options.build)
    print("(the rates: driver alone on one core, IPv4/UDP 4-tuple to queue, the device's own time not counted)")
    print(f"rules: {agree} of {len(rows)} agree")
    print(f"insertion: {insert:.2f} M rules/s, deletion: {delete:.2f} M rules/s")
    return 0 if agree == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
