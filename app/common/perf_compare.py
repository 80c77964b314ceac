# SPDX-License-Identifier: BSD-3-Clause
"""What the comparing scripts of the measuring programs share: servers under softcx that take turns, medians, checks.

A program is asked with --serve to answer lines; ports are found by the name of their driver. Ours and Debian's mlx5 share a
process (two ports of softcx), a peer of another DPDK has its own.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
OURS, DEBIAN, NULL = "mlx5hws", "mlx5", "null"
OUR_DEVICE, MLX5_DEVICE = "pmd=mlx5hws", "dv_flow_en=2"


class Failed(Exception):
    pass


def ours_plugin():
    return os.path.join(HERE, "..", "librte_net_mlx5hws.so")


def words(options):
    """Options as words; True is a flag."""
    out = []
    for name, value in options.items():
        out += [f"--{name}"] if value is True else [f"--{name}={value}"]
    return out


def driver_name(driver):
    if "null" in driver:
        return NULL
    return OURS if re.search("mlx5hws|softcx", driver) else DEBIAN


def median(values):
    return statistics.median(values) if values else float("nan")


def spread(values):
    """Half the distance between the 10th and the 90th percentile, in per cent of the median."""
    if len(values) < 2:
        return 0
    v = sorted(values)
    return 50 * (v[int(0.9 * (len(v) - 1) + 0.5)] - v[int(0.1 * (len(v) - 1) + 0.5)]) / median(v)


class Server:
    """A process of a measuring program under softcx; devices are devargs of its ports, extra are words for EAL."""

    number = 0

    def __init__(self, program, devices, plugins=(), uar="poll", wire="null", mem=3072, wrap=(), extra=(), **options):
        Server.number += 1
        command = [f"{HERE}/softcx-run", f"--ports={len(devices)}", f"--wire={wire}", f"--uar={uar}", "--", *wrap, program,
                   "--no-huge", "-m", str(mem), "-l", "0", "--no-telemetry", "--log-level=error",
                   f"--file-prefix={os.path.basename(program)}-{os.getpid()}-{Server.number}"]
        for plugin in plugins:
            command += ["-d", plugin]
        for n, device in enumerate(devices):
            command += ["-a", f"0000:51:00.{n},{device}"]
        command += [*extra, "--"] + words({"serve": True, **options})
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        hello = self.read()
        self.dpdk = hello["dpdk"]
        self.ports = {driver_name(p["driver"]): p["id"] for p in reversed(hello["ports"])}

    def read(self):
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise Failed(f"{self.process.args[-1]} ended")
            if line.startswith("{"):
                return json.loads(line)

    def ask(self, word, driver, **options):
        if driver not in self.ports:
            raise Failed(f"no port of {driver}")
        line = "\t".join([word] + words({"port": self.ports[driver], **options}))
        self.process.stdin.write(line + "\n")
        answer = self.read()
        if "error" in answer:
            raise Failed(f"{driver}: {' '.join(line.split(chr(9)))}: {os.strerror(-answer['error'])}")
        if answer.get("failed"):
            raise Failed(f"{driver}: {answer['failed']} operations failed: {line}")
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Checks:
    """Figures held against targets, and what is said of them."""

    def __init__(self, args):
        self.args, self.result, self.missed, self.begin = args, {"rows": [], "checks": []}, [], time.time()

    def check(self, row, what, value, limit, text):
        ok = value <= limit
        self.result["checks"].append({"row": row, "what": what, "value": value, "limit": limit, "ok": ok})
        if not ok:
            self.missed.append(f"{row}: {what} {text.format(value)} (target {text.format(limit)})")
        return "" if ok else " MISSED"

    def say(self, text):
        if not self.args.json:
            print(text, flush=True)

    def finish(self):
        """The program's exit."""
        self.result["seconds"] = time.time() - self.begin
        self.result["missed"] = self.missed
        print(json.dumps(self.result) if self.args.json else f"{self.result['seconds']:.0f} s")
        for text in self.missed:
            print(f"missed: {text}", file=sys.stderr)
        sys.exit(1 if self.args.check and self.missed else 0)


def arguments(parser):
    """The options that all of them have."""
    parser.add_argument("--quick", action="store_true", help="fewer runs, fewer rows")
    parser.add_argument("--json", action="store_true", help="everything that was measured, as one object")
    parser.add_argument("--check", action="store_true", help="exit 1 and name what misses its target")
    parser.add_argument("--plot", metavar="FILE.svg")
    parser.add_argument("--peer", action="append", default=[], metavar="PROGRAM[,PLUGIN...]",
                        help="this program built against another DPDK, and the plugins it needs")
    parser.add_argument("--rounds", type=int, help="runs of each row")


def callgrind(folder):
    """Words to start a program with whose instructions are counted while it says so; one profile for each phase."""
    return ["valgrind", "--quiet", "--fair-sched=try", "--tool=callgrind", "--collect-atstart=no",
            f"--callgrind-out-file={folder}/callgrind"]


def profiles(folder):
    """[(phase, instructions)] in the order in which they were written."""
    files = sorted((int(m[1]), m[0]) for m in (re.match(r"callgrind\.(\d+)$", f) for f in os.listdir(folder)) if m)
    out = []
    for _, name in files:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as f:
            text = f.read()
        phase = re.search(r"^desc: Trigger: Client Request: (\w+)$", text, re.M)
        if phase:
            out.append((phase[1], int(re.search(r"^summary: (\d+)", text, re.M)[1])))
    return out
