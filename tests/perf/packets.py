#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Instructions per packet of the burst calls, counted by callgrind, against packets.json: more than 5 % over it fails.

packets.py PKT_PERF PLUGIN [--update]

A burst of 32 on a stepped device, completions and buffers of the burst before included, as mlx5hws-pkt-perf measures it.
valgrind knows no AVX-512, so where a path has one, it is another that is counted.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

BASELINE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "packets.json")
MORE = 1.05
BURSTS = 16
SKIPPED = 77

INLINE = "txqs_min_inline=1"
TWO_BUFFERS = ["--size=1500", "--segments=2", "--buffer=1024", "--tx-offloads=segments", "--rx-offloads=segments"]
# wire and devargs -> row -> options of a run; one process for each. A ring of sessions has been gone round before it is counted.
ROWS = {
    ("loop", "rxq_cqe_comp_en=0"): {
        "rx": ["--loop=rx"],
        "rx, all offloads": ["--loop=rx", "--mark", "--rx-offloads=hash,checksum,vlan,timestamp", "--tx-offloads=vlan",
                             "--ask=vlan"],
    },
    ("loop", "rxq_cqe_comp_en=1"): {"rx, compressed": ["--loop=rx", "--rx-desc=128"]},
    ("loop", ""): {"rx, 1,500 bytes in two buffers": ["--loop=rx", *TWO_BUFFERS]},
    ("loop", "rx_vec_en=0,rxq_cqe_comp_en=0"): {"rx, scalar": ["--loop=rx"]},
    ("null", ""): {
        "tx, pointers, fast free": ["--tx-offloads=fast"],
        "tx, pointers": [],
        "tx, pointers, checksums": ["--tx-offloads=checksum", "--ask=checksum"],
        "tx, tag inserted": ["--tx-offloads=vlan", "--ask=vlan"],
        "tx, 1,500 bytes in two segments": ["--size=1500", "--segments=2", "--tx-offloads=segments"],
        "tx, TSO of 32 KB": ["--size=32822", "--segments=17", "--tso=1448", "--burst=8", "--tx-desc=1024",
                             "--tx-offloads=segments,checksum,tso"],
    },
    ("null", INLINE): {"tx, inline": [], "tx, inline, fast free": ["--tx-offloads=fast"]},
    ("null", "txq_mpw_en=0"): {"tx, one packet a WQE": []},
    ("null", "txq_mpw_en=0," + INLINE): {"tx, one packet a WQE, inline": []},
}


def profiles(folder):
    """Instructions of each measured loop, in the order of the runs."""
    files = sorted((int(m[1]), m[0]) for m in (re.match(r"callgrind\.(\d+)$", f) for f in os.listdir(folder)) if m)
    for _, name in files:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as f:
            text = f.read()
        phase = re.search(r"^desc: Trigger: Client Request: (\w+)$", text, re.M)
        if phase and phase[1] == "loop":
            yield int(re.search(r"^summary: (\d+)", text, re.M)[1])


def count(program, plugin, wire, devargs, rows):
    """{row: instructions a packet}"""
    with tempfile.TemporaryDirectory() as folder:
        device = ",".join(a for a in ("net_softcx0", f"wire={wire}", "uar=poll", devargs) if a)
        command = ["valgrind", "--quiet", "--fair-sched=try", "--tool=callgrind", "--collect-atstart=no",
                   f"--callgrind-out-file={folder}/callgrind", program, "--no-huge", "-m", "256", "-l", "0", "--no-pci",
                   "--no-telemetry", "--log-level=error", f"--file-prefix=packets-{os.getpid()}", "-d", plugin,
                   f"--vdev={device}", "--", "--serve"]
        lines = "".join("\t".join(["run", "--stepped", f"--bursts={BURSTS}", *options]) + "\n" for options in rows.values())
        run = subprocess.run(command, input=lines, text=True, stdout=subprocess.PIPE, timeout=100, check=True)
        answers = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")][1:]
        found = list(profiles(folder))
    if len(answers) != len(rows) or len(found) != len(rows) or any("error" in a for a in answers):
        sys.exit(f"a run failed: {answers}")
    return {row: round(n / a["packets"], 1) for row, n, a in zip(rows, found, answers)}


def main():
    program, plugin = sys.argv[1:3]
    if shutil.which("valgrind") is None:
        print("valgrind is not installed")
        sys.exit(SKIPPED)
    counted = {}
    for (wire, devargs), rows in ROWS.items():
        counted.update(count(program, plugin, wire, devargs, rows))
    if "--update" in sys.argv:
        with open(BASELINE, "w", encoding="ascii") as f:
            json.dump(counted, f, indent="\t")
            f.write("\n")
    with open(BASELINE, encoding="ascii") as f:
        baseline = json.load(f)
    failed = False
    for row, instructions in counted.items():
        allowed = baseline[row] * MORE
        failed |= instructions > allowed
        print(f"{row:40} {instructions:7.1f} baseline {baseline[row]:7.1f} {'TOO MANY' if instructions > allowed else 'ok'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
