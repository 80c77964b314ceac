# SPDX-License-Identifier: BSD-3-Clause
"""What the comparing scripts of the measuring programs share: servers under softcx that take turns, medians, checks, arguments.

A program is asked with --serve to answer lines; ports are found by the name of their driver. Ours and Debian's mlx5 share a
process (two ports of softcx), a peer of another DPDK has its own. What a process says on stderr is the reason of its refusals.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.realpath(__file__))
OURS, DEBIAN, NULL = "mlx5hws", "mlx5", "null"
OUR_DEVICE, MLX5_DEVICE = "pmd=mlx5hws", "dv_flow_en=2"
HELLO_S = 120            # a process that has not greeted by then is none of ours
REASON_LINES = 6         # of what a process said at last
NAMESPACE = ["unshare", "--user", "--map-root-user", "--net"]


class Failed(Exception):
    """Nothing more can be measured."""


class Refused(Failed):
    """A driver does not take what was asked for; it goes on. args[0] is why."""


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
    """A process of a measuring program under softcx; devices are devargs of its ports, extra are words for EAL.

    No tap on the host side: to look at one is a system call at each step of the device, after which, on machines that keep the
    kernel's pages apart, every page's translation is found anew.
    """

    number = 0

    def __init__(self, program, devices, plugins=(), uar="poll", wire="null", mem=3072, wrap=(), extra=(), **options):
        Server.number += 1
        command = [f"{HERE}/softcx-run", f"--ports={len(devices)}", f"--wire={wire}", "--host=count", f"--uar={uar}", "--",
                   *wrap, program,
                   "--no-huge", "-m", str(mem), "-l", "0", "--no-telemetry", "--log-level=error",
                   f"--file-prefix={os.path.basename(program)}-{os.getpid()}-{Server.number}"]
        for plugin in plugins:
            command += ["-d", plugin]
        for n, device in enumerate(devices):
            command += ["-a", f"0000:51:00.{n},{device}"]
        command += [*extra, "--"] + words({"serve": True, **options})
        self.program, self.said, self.at = program, tempfile.TemporaryFile("w+b"), 0
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said,
                                            text=True, bufsize=1)
        except OSError as e:
            raise Failed(f"{command[0]}: {e.strerror}") from e
        self.greet()
        lacking = [d for d in ((OURS if OUR_DEVICE in device else DEBIAN) for device in devices) if d not in self.ports]
        if lacking:
            raise Failed(f"no port of {' and '.join(lacking)} came up in {program}{self.reason()}")

    def greet(self):
        late = threading.Timer(HELLO_S, self.process.kill)
        late.start()
        try:
            hello = self.read()
            self.dpdk = hello["dpdk"]
            self.ports = {driver_name(p["driver"]): p["id"] for p in reversed(hello["ports"])}
        except (KeyError, TypeError, re.error) as e:
            raise Failed(f"{self.program} is no {own_name()} of this version (its first words lack {e})") from e
        finally:
            late.cancel()

    def heard(self):
        """What it has said on stderr since this was last called."""
        data = os.pread(self.said.fileno(), 1 << 20, self.at)  # not by seek(): the process writes at the file's own place
        self.at += len(data)
        text = data.decode(errors="replace")
        return [line.strip() for line in text.splitlines() if line.strip()]

    def reason(self):
        return "".join(f"\n  {line}" for line in self.heard()[-REASON_LINES:])

    def read(self):
        while True:
            line = self.process.stdout.readline()
            if not line:
                status = self.process.wait()
                how = f"status {status}" if status >= 0 else f"signal {-status}"
                raise Failed(f"{self.program} ended ({how}){self.reason()}")
            if line.startswith("{"):
                try:
                    return json.loads(line)
                except ValueError as e:
                    raise Failed(f"{self.program} wrote what is no JSON: {e}: {line[:80]}") from e

    def ask(self, word, driver, **options):
        if driver not in self.ports:
            raise Refused(f"{self.program} has no port of {driver}")
        line = "\t".join([word] + words({"port": self.ports[driver], **options}))
        self.pass_on()
        try:
            self.process.stdin.write(line + "\n")
        except BrokenPipeError:
            pass  # it has ended: read() says how
        answer = self.read()
        if "error" in answer:
            heard = [re.sub(rf"^{own_name()}: (port \d+ \(\w+\): )?", "", h) for h in self.heard()]
            raise Refused("; ".join(heard) or os.strerror(-answer["error"]))
        if answer.get("failed"):
            raise Failed(f"{driver}: {answer['failed']} operations failed: {' '.join(line.split(chr(9)))}{self.reason()}")
        return answer

    def pass_on(self):
        """What it said beside its answers is for the user."""
        for line in self.heard():
            print(line, file=sys.stderr)

    def close(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()
        self.pass_on()


class Checks:
    """Figures held against targets, and what is said of them."""

    def __init__(self, args):
        self.args, self.result, self.missed, self.begin = args, {"rows": [], "checks": [], "refused": []}, [], time.time()

    def check(self, row, what, value, limit, text):
        ok = value <= limit
        self.result["checks"].append({"row": row, "what": what, "value": value, "limit": limit, "ok": ok})
        if not ok:
            self.missed.append(f"{row}: {what} {text.format(value)} (target {text.format(limit)})")
        return "" if ok else " MISSED"

    def say(self, text):
        if not self.args.json:
            print(text, flush=True)

    def refused(self, row, name, error):
        """A driver has no figure in this row; why not is told by the note below it."""
        self.result["refused"].append({"row": row, "driver": name, "reason": str(error)})
        if name == OURS:
            self.missed.append(f"{row}: refused: {error}")

    def notes(self, row):
        for r in self.result["refused"]:
            if r["row"] == row:
                self.say(f"  refused by {r['driver']}: {r['reason']}")

    def finish(self):
        """The program's exit."""
        self.result["seconds"] = time.time() - self.begin
        self.result["missed"] = self.missed
        print(json.dumps(self.result) if self.args.json else f"{self.result['seconds']:.0f} s")
        for text in self.missed:
            print(f"missed: {text}", file=sys.stderr)
        sys.exit(1 if self.args.check and self.missed else 0)


def own_name():
    """What the program calls itself in its messages: the script lies beside it as NAME-compare."""
    return os.path.basename(sys.argv[0]).removesuffix("-compare")


def at_least(least):
    def number(text):
        if not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is no number from {least} on")
        return int(text)
    return number


def arguments(parser, parts):
    """The options that all of them have; parts: what --only takes."""
    parser.add_argument("--quick", action="store_true", help="in under a minute: fewer runs, fewer rows")
    parser.add_argument("--json", action="store_true", help="everything that was measured, as one object")
    parser.add_argument("--check", action="store_true", help="exit 1 and name what misses its target")
    parser.add_argument("--plot", metavar="FILE.svg", help="a picture of what was measured (gnuplot)")
    parser.add_argument("--peer", action="append", default=[], metavar="PROGRAM[,PLUGIN...]",
                        help="this program built against another DPDK, and the plugins it needs")
    parser.add_argument("--rounds", type=at_least(1), help="runs of each row")
    parser.add_argument("--only", metavar="PART", action="append", choices=list(parts), help="of: " + ", ".join(parts))


def parse(parser):
    """The arguments, of which those that would fail after minutes of measuring are looked at now."""
    args = parser.parse_args()
    if args.plot and shutil.which("gnuplot") is None:
        parser.error("--plot needs gnuplot (Debian: gnuplot-nox)")
    if args.plot and not os.access(os.path.dirname(os.path.abspath(args.plot)), os.W_OK):
        parser.error(f"--plot: {args.plot} cannot be written")
    for text in args.peer:
        if shutil.which(text.split(",")[0]) is None:
            parser.error(f"--peer: {text.split(',')[0]!r} is no program")
    return args


def as_root():
    """DPDK's mlx5 wants a network interface below it: who may not make one runs again in namespaces where he may."""
    if os.geteuid() == 0:
        return
    if shutil.which(NAMESPACE[0]) is None or subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode:
        sys.exit(f"{own_name()}: compare makes network interfaces: it needs root, or a kernel that lets users make user and network "
                 "namespaces (" + " ".join(NAMESPACE) + ")")
    with tempfile.TemporaryDirectory(prefix=f"{own_name()}-") as folder:  # DPDK's, which root would have in /var/run
        try:
            again = subprocess.run([*NAMESPACE, sys.executable, os.path.abspath(sys.argv[0]), *sys.argv[1:]],
                                   env={**os.environ, "RUNTIME_DIRECTORY": folder}, check=False)
        except KeyboardInterrupt:
            sys.exit(130)
    sys.exit(again.returncode if again.returncode >= 0 else 128 - again.returncode)


def measure(make, args, parts):
    """All that a comparing program does once its arguments are known. parts: {name: method}, those that are to be run."""
    as_root()
    try:
        compare = make(args)
        for method in parts.values():
            method(compare)
        if args.plot:
            compare.plot(args.plot)
        compare.close()
    except Failed as e:
        sys.exit(f"{own_name()}: {e}")
    except KeyboardInterrupt:
        sys.exit(130)
    compare.finish()


def gnuplot(script):
    if subprocess.run(["gnuplot"], input="\n".join(script), text=True, check=False).returncode != 0:
        raise Failed("gnuplot failed")


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
