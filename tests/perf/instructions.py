#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Instructions per insertion and deletion, counted by callgrind, against baseline.json: more than 5 % over it fails.

instructions.py FLOW_PERF PLUGIN [--update]

What a driver that does nothing costs in the same calls is subtracted, so the figures are the driver's own and do not
change with DPDK. They repeat exactly; valgrind knows no AVX-512, so it is the AVX2 path that is counted.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

BASELINE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "baseline.json")
MORE = 1.05
RULES, BURST = 576, 64  # the first burst of an insertion and the last of a deletion are not counted
SKIPPED = 77

TUPLE = "eth / ipv4 src dst / udp sport dport"
ROWS = {
    "4-tuple, queue": (TUPLE, "queue", BURST),
    "4-tuple, queue, push for every rule": (TUPLE, "queue", 1),
    "4-tuple, count and queue": (TUPLE, "count / queue", BURST),
    "4-tuple, mark and RSS of the template": (TUPLE, "mark / rss=1", BURST),
    "4-tuple, encap from the rule": (TUPLE, "raw_encap / jump", BURST),
    "4-tuple, two fields set from the rule": (TUPLE, "set_ipv4_src / set_ipv4_dst / queue", BURST),
    "IPv6 5-tuple": ("eth / ipv6 src dst proto / udp sport dport", "queue", BURST),
}


def requests():
    """(row, whose, words of a request)"""
    for row, (items, actions, burst) in ROWS.items():
        each = ["--push-each"] if burst == 1 else []
        for whose, port in (("ours", 0), ("null", 1)):
            yield row, whose, ["run", f"--port={port}", f"--items={items}", f"--actions={actions}", f"--rules={RULES}",
                               f"--burst={BURST}", "--stepped"] + each


def profiles(folder):
    """(phase, instructions) in the order of the dumps."""
    files = sorted((int(m[1]), m[0]) for m in (re.match(r"callgrind\.(\d+)$", f) for f in os.listdir(folder)) if m)
    for _, name in files:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as f:
            text = f.read()
        phase = re.search(r"^desc: Trigger: Client Request: (\w+)$", text, re.M)
        if phase:
            yield phase[1], int(re.search(r"^summary: (\d+)", text, re.M)[1])


def count(program, plugin):
    """{row: {phase: instructions a rule}}"""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--quiet", "--fair-sched=try", "--tool=callgrind", "--collect-atstart=no",
                   f"--callgrind-out-file={folder}/callgrind", program, "--no-huge", "-m", "512", "-l", "0", "--no-pci",
                   "--no-telemetry", "--log-level=error", f"--file-prefix=perf-{os.getpid()}", "-d", plugin,
                   "--vdev=net_softcx0,wire=null,uar=poll", "--", "--serve", "--queues=1", "--rx-queues=8",
                   "--counters=4096"]
        asked = list(requests())
        run = subprocess.run(command, input="".join("\t".join(words) + "\n" for _, _, words in asked), text=True,
                             stdout=subprocess.PIPE, timeout=100, check=True)
        answers = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")][1:]
        found = list(profiles(folder))
    if len(answers) != len(asked) or any("error" in a or a["failed"] for a in answers):
        sys.exit(f"a run failed: {answers}")
    # Each run leaves the same number of profiles; those of what is not counted are named edge.
    each = len(found) // len(asked)
    total = {}
    for n, (row, whose, _) in enumerate(asked):
        for phase, instructions in found[n * each:(n + 1) * each]:
            if phase != "edge":
                sign = 1 if whose == "ours" else -1
                figures = total.setdefault(row, {"insert": 0, "delete": 0})
                figures[phase] += sign * instructions / (RULES - BURST)
    return {row: {phase: round(n, 1) for phase, n in figures.items()} for row, figures in total.items()}


def main():
    program, plugin = sys.argv[1:3]
    if shutil.which("valgrind") is None:
        print("valgrind is not installed")
        sys.exit(SKIPPED)
    counted = count(program, plugin)
    if "--update" in sys.argv:
        with open(BASELINE, "w", encoding="ascii") as f:
            json.dump(counted, f, indent="\t")
            f.write("\n")
    with open(BASELINE, encoding="ascii") as f:
        baseline = json.load(f)
    failed = False
    for row, figures in counted.items():
        for phase, instructions in figures.items():
            allowed = baseline[row][phase] * MORE
            failed |= instructions > allowed
            print(f"{row:40} {phase:7} {instructions:7.1f} baseline {baseline[row][phase]:7.1f}"
                  f" {'TOO MANY' if instructions > allowed else 'ok'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
