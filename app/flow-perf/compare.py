#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""mlx5hws-flow-perf compare: ours beside other drivers, on one software device; see doc/performance.md.

Ours, Debian's mlx5 and a driver that does nothing share a process (two ports of softcx); a peer of another DPDK has a process
of its own. All are servers (flow-perf/serve.h) that wait for their turn: one run each, again and again, so that what
disturbs the machine disturbs all of them. A figure is the median of the runs.
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from perf_compare import (DEBIAN, HERE, MLX5_DEVICE, NULL, OUR_DEVICE, OURS, Checks, Failed, Refused, Server,  # noqa: E402
                          arguments, at_least, callgrind, gnuplot, measure, median, ours_plugin, parse, profiles, spread)

PROGRAM = f"{HERE}/mlx5hws-flow-perf"
TUPLE = "eth / ipv4 src dst / udp sport dport"
SERVER = {"queues": 4, "rx-queues": 8, "counters": 4 * 65536}  # what the ports of all are configured with

# What a run is, and which share of the faster peer's time it may take; `sum` is insert and delete together.
ROWS = [
    # name, options, targets, in --quick
    ("4-tuple -> queue, 64 K", dict(actions="queue"), dict(insert=1 / 3, delete=1 / 3), True),
    ("4-tuple -> queue, 1 M", dict(actions="queue", rules=1 << 20), dict(insert=1 / 3, delete=1 / 3), False),
    ("with counter", dict(actions="count / queue"), dict(insert=1 / 2.5), True),
    ("with mark, RSS of the template", dict(actions="mark / rss=1"), dict(insert=1 / 2.5), True),
    ("raw encap from the rule, jump", dict(actions="raw_encap / jump"), dict(insert=1 / 2.5), True),
    ("2 modify_field from the rule", dict(actions="set_ipv4_src / set_ipv4_dst / queue"), dict(insert=1 / 2.5), True),
    ("IPv6 5-tuple jumbo", dict(items="eth / ipv6 src dst proto / udp sport dport", actions="queue"),
     dict(insert=1 / 2.5), True),
    ("RSS in full, 16 different", dict(actions="rss"), dict(insert=1 / 2), True),
    ("push for every rule", {"actions": "queue", "push-each": True}, dict(sum=1 / 2), True),
]
DEFAULTS = dict(items=TUPLE, rules=65536, burst=64, stepped=True)
BYTES_FIXED = 66         # a rule with fixed actions, not jumbo
BYTES_SHARE = 1 / 2      # of the peer's, always
QUEUES_MORE = 1.10       # four queues against one
THREADS_MORE = 1.15      # two threads against one
GROWTH = 1.25            # the most rules against 64 K
TABLE_MS, PATTERN_MS = 20, 0.1
INSTRUCTIONS = 1 / 3
RANDOM_MEDIAN, RANDOM_WORST = 1 / 2.5, 1 / 2
PLOT_RULES = [1 << n for n in range(12, 21)]
PLOT_BURSTS = [1 << n for n in range(0, 10)]
COUNTERS_BACK_S = 1.2    # mlx5 gives freed counters back after its next reading of all


class Compare(Checks):
    def __init__(self, args):
        super().__init__(args)
        self.rounds = args.rounds or (5 if args.quick else 15)
        self.main = Server(PROGRAM, [OUR_DEVICE, MLX5_DEVICE], [ours_plugin()], **SERVER)
        self.who = {OURS: (self.main, OURS), DEBIAN: (self.main, DEBIAN)}
        self.peer_starts = {DEBIAN: (PROGRAM, [])}
        for n, text in enumerate(args.peer):
            program, *plugins = text.split(",")
            server = Server(program, [MLX5_DEVICE], plugins, **SERVER)
            name = "mlx5 " + re.sub("DPDK ", "", server.dpdk) + ("" if n == 0 else f" ({n})")
            self.who[name] = (server, DEBIAN)
            self.peer_starts[name] = (program, plugins)
        self.peers = [name for name in self.who if name != OURS]
        self.who[NULL] = (self.main, NULL)
        self.result["dpdk"] = {name: server.dpdk for name, (server, _) in self.who.items()}

    def ask(self, name, word="run", **options):
        server, driver = self.who[name]
        return server.ask(word, driver, **options)

    # ---- rows of the table

    def runs(self, row, options, rounds, names):
        """Interleaved: {name: {"insert": [...], "delete": [...], "device": [...]}}, nanoseconds a rule.

        Drivers that refuse it are not in there."""
        figures = {name: {"insert": [], "delete": [], "sum": [], "device": []} for name in names}
        for n in range(rounds):
            for name in list(figures):
                try:
                    answer = self.ask(name, first=n << 26, **options)
                except Refused as e:
                    self.refused(row, name, e)
                    del figures[name]
                    continue
                phases, figure = answer["phases"], figures[name]
                figure["insert"].append(phases["insert"]["ns_p50"])
                figure["delete"].append(phases["delete"]["ns_p50"])
                figure["sum"].append(phases["insert"]["ns_p50"] + phases["delete"]["ns_p50"])
                figure["device"].append(answer["device_ns"])
                if name != NULL and ("draw" in options or "count" in options.get("actions", "").split()):
                    time.sleep(COUNTERS_BACK_S)
        return figures

    def faster(self, figures, what):
        return min((median(figures[name][what]) for name in self.peers if name in figures), default=float("nan"))

    def row(self, name, options, targets, quiet=False):
        figures = self.runs(name, {**DEFAULTS, **options}, self.rounds, list(self.who))
        row = {"name": name, **options, "figures": figures, "ratio": {}}
        self.result["rows"].append(row)
        for what in ("insert", "delete") + (("sum",) if "sum" in targets else ()):
            ratio = median(figures[OURS][what]) / self.faster(figures, what) if OURS in figures else float("nan")
            compared = ratio == ratio
            if compared:
                row["ratio"][what] = ratio
            mark = self.check(name, what, ratio, targets[what], "{:.3f}") if what in targets and compared else ""
            if self.args.json or quiet:
                continue
            cells = "".join(f" {median(figures[n][what]):9.1f} ±{spread(figures[n][what]):3.0f}%" if n in figures else
                            f" {'refused':>14}" for n in self.who)
            limit = f" <= {targets[what]:.3f}" if what in targets else ""
            print(f"{name if what == 'insert' else '':32}{what:7}{cells} " + (f"{ratio:9.3f}" if compared else f"{'-':>9}") +
                  f"{limit}{mark}", flush=True)
        self.notes(name)
        return row

    def table(self):
        if not self.args.json:
            print("nanoseconds a rule, driver alone (create, push, pull; device stepped): median of "
                  f"{self.rounds} runs ± half the distance of the 10th and 90th percentile")
            print(f"{'':39}" + "".join(f" {n:>14}" for n in self.who) + "  ours / faster peer")
        for name, options, targets, quick in ROWS:
            if quick or not self.args.quick:
                self.row(name, options, targets)
        floor = median([self.ask(OURS, "floor", burst=64)["floor"] for _ in range(self.rounds)])
        self.result["floor"] = floor
        self.say(f"floor (128 bytes stored, a doorbell per 64): {floor:.2f} ns")

    def random_shapes(self):
        if not self.args.shapes:
            return
        ratios = []
        for n in range(self.args.shapes):
            seed = self.args.seed + n
            row = self.row(f"shape of seed {seed}", {"draw": seed}, {})
            if "insert" in row["ratio"]:
                ratios.append(row["ratio"]["insert"])
        if not ratios:
            raise Failed("no drawn shape could be run")
        worst, middle = max(ratios), median(ratios)
        mark = self.check("random shapes", "median", middle, RANDOM_MEDIAN, "{:.3f}")
        mark += self.check("random shapes", "worst", worst, RANDOM_WORST, "{:.3f}")
        self.say(f"{len(ratios)} random shapes: insert, median {middle:.3f} <= {RANDOM_MEDIAN:.3f}, worst {worst:.3f} "
                 f"<= {RANDOM_WORST:.3f}{mark}")

    # ---- single figures

    def fresh(self, name, **extra):
        """A process with one driver alone, that has not made a table yet."""
        if name == OURS:
            return Server(PROGRAM, [OUR_DEVICE], [ours_plugin()], mem=1024, **{**SERVER, **extra})
        program, plugins = self.peer_starts[name]
        return Server(program, [MLX5_DEVICE], plugins, mem=1024, **{**SERVER, **extra})

    def memory(self):
        rows = [("fixed actions", dict(actions="queue=1"))]
        if not self.args.quick:
            rows += [(name, options) for name, options, _, _ in ROWS if options.get("rules") is None]
        for name, options in rows:
            size = {}
            for who in [OURS] + self.peers:
                server = self.fresh(who)
                driver, config = OURS if who == OURS else DEBIAN, {**DEFAULTS, **options}
                try:
                    server.ask("run", driver, **{**config, "rules": 256})  # so that the code is resident
                    size[who] = server.ask("run", driver, memory=True, **config)["bytes_per_rule"]
                except Refused as e:
                    self.refused("memory, " + name, who, e)
                server.close()
            least = min((size[p] for p in self.peers if p in size), default=None)
            if OURS not in size or least is None:
                self.say(f"memory, {name}: refused")
                self.notes("memory, " + name)
                continue
            mark = self.check("memory, " + name, "share", size[OURS] / least, BYTES_SHARE, "{:.3f}")
            if name == "fixed actions":
                mark += self.check("memory, " + name, "bytes", size[OURS], BYTES_FIXED, "{:.1f}")
            self.result.setdefault("memory", {})[name] = size
            self.say(f"memory, {name}: " + ", ".join(f"{w} {s:.1f}" for w, s in size.items()) +
                     f" bytes a rule of 64 K; share {size[OURS] / least:.3f} <= {BYTES_SHARE}{mark}")
            self.notes("memory, " + name)

    def bus(self):
        servers = {OURS: self.fresh(OURS, uar="trap")}
        servers.update({p: self.fresh(p, uar="trap") for p in self.peers})
        rows = [r for r in ROWS if r[1].get("rules") is None]
        for name, options, _, _ in rows[:1] if self.args.quick else rows:
            figure = {}
            for who, server in servers.items():
                try:
                    answer = server.ask("run", OURS if who == OURS else DEBIAN, **{**DEFAULTS, **options, "rules": 8192})
                except Refused as e:
                    self.refused("bus, " + name, who, e)
                    continue
                figure[who] = answer["bus_bytes"], answer["doorbells"]
            if OURS not in figure or not any(p in figure for p in self.peers):
                self.say(f"bus, {name}: refused")
                self.notes("bus, " + name)
                continue
            least = [min(figure[p][i] for p in self.peers if p in figure) for i in (0, 1)]
            mark = self.check("bus, " + name, "bytes", figure[OURS][0], least[0], "{:.1f}")
            mark += self.check("bus, " + name, "doorbells", figure[OURS][1], least[1], "{:.5f}")
            self.result.setdefault("bus", {})[name] = figure
            self.say(f"bus, {name}: " + ", ".join(f"{w} {b:.1f} bytes {d:.5f} doorbells" for w, (b, d) in figure.items())
                     + " a rule" + mark)
            self.notes("bus, " + name)
        for server in servers.values():
            server.close()

    def queues(self):
        kinds = {"one queue": dict(queues=1), "4 queues, 4 tables": {"queues": 4, "tables": 4, "table-rules": 65536},
                 "4 queues, one table": dict(queues=4)}
        times = {kind: [] for kind in kinds}
        for n in range(self.rounds):
            for kind, options in kinds.items():
                answer = self.ask(OURS, **{**DEFAULTS, "actions": "queue", "first": n << 26, **options})
                times[kind].append(answer["phases"]["insert"]["ns_p50"])
        one = median(times["one queue"])
        for kind in list(kinds)[1:]:
            share = median(times[kind]) / one
            mark = self.check(kind, "against one", share, QUEUES_MORE, "{:.3f}")
            self.say(f"{kind}: {median(times[kind]):.1f} ns, one queue {one:.1f}: {share:.3f} <= {QUEUES_MORE}{mark}")
        self.result["queues"] = times

    def threads(self):
        answers, idle = ([self.ask(name, "threads", items=TUPLE, actions="queue", rules=1024, burst=64)
                          for _ in range(3 if self.args.quick else 7)] for name in (OURS, NULL))
        share = median([a["two"] / a["one"] for a in answers])
        self.result["threads_null"] = idle
        self.say("two threads of the driver that does nothing (what the two cores share): "
                 f"{median([a['two'] for a in idle]):.1f} ns, one {median([a['one'] for a in idle]):.1f}: "
                 f"{median([a['two'] / a['one'] for a in idle]):.3f}")
        mark = self.check("two threads", "against one", share, THREADS_MORE, "{:.3f}")
        self.result["threads"] = answers
        self.say(f"two threads, one table, device paused: {median([a['two'] for a in answers]):.1f} ns, one thread "
                 f"{median([a['one'] for a in answers]):.1f}: {share:.3f} <= {THREADS_MORE}{mark}")

    def growth(self):
        most = self.args.most or ((1 << 20) if self.args.quick else (8 << 20))
        times = {65536: [], most: []}
        for n in range(2 if self.args.quick else 3):
            for rules, list_ in times.items():
                answer = self.ask(OURS, **{**DEFAULTS, "actions": "queue", "rules": rules, "first": n << 26})
                list_.append(answer["phases"]["insert"]["ns_p50"])
        share = median(times[most]) / median(times[65536])
        mark = self.check("growth", f"64 K to {most >> 20} M", share, GROWTH, "{:.3f}")
        self.result["growth"] = times
        self.say(f"64 K rules {median(times[65536]):.1f} ns, {most >> 20} M {median(times[most]):.1f} ns: {share:.3f} <= "
                 f"{GROWTH}{mark}")

    def cost(self):
        for name in [OURS] + self.peers:
            server = self.fresh(name, **{"queues": 64, "queue-size": 128})
            driver = OURS if name == OURS else DEBIAN
            try:
                answers = [server.ask("cost", driver, rules=65536) for _ in range(5)]
            except Refused as e:
                self.refused("4 x 4 templates, 64 queues", name, e)
                self.say(f"table of 4 x 4 templates for 64 K rules, 64 queues: {name} refused")
                continue
            finally:
                server.close()
            table, pattern = (median([a[k] for a in answers]) for k in ("table_ms", "pattern_ms"))
            mark = ""
            if name == OURS:
                mark = self.check("4 x 4 templates, 64 queues", "ms", table, TABLE_MS, "{:.2f}")
                mark += self.check("pattern template", "ms", pattern, PATTERN_MS, "{:.4f}")
            self.result.setdefault("cost", {})[name] = answers
            self.say(f"table of 4 x 4 templates for 64 K rules, 64 queues: {name} {table:.2f} ms, "
                     f"{answers[0]['bytes'] / 1e6:.1f} MB; pattern template {pattern:.4f} ms{mark}")
        self.notes("4 x 4 templates, 64 queues")

    def end_to_end(self):
        options = {**DEFAULTS, "actions": "queue"}
        del options["stepped"]
        if self.args.quick:
            options["rules"] = 8192
        figures = {name: [] for name in [OURS] + self.peers}
        for n in range(self.rounds):
            for name, list_ in figures.items():
                list_.append(self.ask(name, **options, first=n << 26)["phases"]["insert"]["ns_p50"])
        best = min(self.peers, key=lambda p: median(figures[p]))
        more = 1 + (spread(figures[OURS]) + spread(figures[best])) / 100
        share = median(figures[OURS]) / median(figures[best])
        mark = self.check("end to end", "against the peer", share, more, "{:.3f}")
        self.result["end_to_end"] = figures
        self.say("end to end, device on another core: " + ", ".join(
            f"{n} {median(v):.0f} ns ±{spread(v):.0f}%" for n, v in figures.items()) + f": {share:.3f} <= {more:.3f}{mark}")
        if not self.result["rows"]:
            return
        first = self.result["rows"][0]["figures"]
        device, peer = median(first[OURS]["device"]), self.faster(first, "insert")
        mark = self.check("softcx", "ns for a rule", device, peer, "{:.1f}")
        self.say(f"softcx alone takes a rule in {device:.1f} ns, the peer makes one in {peer:.1f}{mark}")

    def instructions(self):
        if shutil.which("valgrind") is None:
            self.say("instructions: valgrind is not installed")
            return
        figure = {}
        for name in [OURS] + self.peers:
            program, plugins = self.peer_starts.get(name, (PROGRAM, [ours_plugin()]))
            figure[name] = count_instructions(program, OUR_DEVICE if name == OURS else MLX5_DEVICE, plugins)
        figure[NULL] = count_instructions(PROGRAM, OUR_DEVICE, [ours_plugin()], driver=NULL)
        for what in ("insert", "delete"):
            share = figure[OURS][what] / min(figure[p][what] for p in self.peers)
            mark = self.check("instructions", what, share, INSTRUCTIONS, "{:.3f}")
            self.say(f"instructions, {what}: " + ", ".join(f"{n} {f[what]:.1f}" for n, f in figure.items()) +
                     f": {share:.3f} <= {INSTRUCTIONS:.3f}{mark}")
        self.result["instructions"] = figure

    # ---- plot

    def plot(self, path):
        drivers = [OURS] + self.peers
        script = ["set terminal svg size 1100,460 dynamic background 'white'", f"set output '{path}'",
                  "set multiplot layout 1,2", "set logscale x 2", "set yrange [0:*]", "set ylabel 'ns per rule'",
                  "set key top left", "set grid"]
        with tempfile.TemporaryDirectory() as folder:
            for label, option, values in (("rules in the table", "rules", PLOT_RULES), ("burst", "burst", PLOT_BURSTS)):
                points = {v: self.runs(f"plot, {option} {v}", {**DEFAULTS, "actions": "queue", option: v}, 3, drivers)
                          for v in values}
                series = [(n, w) for n in drivers if all(n in f for f in points.values()) for w in ("insert", "delete")]
                data = f"{folder}/{option}"
                with open(data, "w", encoding="ascii") as f:
                    for v, figures in points.items():
                        f.write(" ".join([str(v)] + [f"{median(figures[n][w]):.2f}" for n, w in series]) + "\n")
                self.result.setdefault("plot", {})[option] = {
                    v: {f"{n} {w}": median(f[n][w]) for n, w in series} for v, f in points.items()}
                curves = ", ".join(f"'{data}' using 1:{i + 2} with linespoints title '{n} {w}'"
                                   for i, (n, w) in enumerate(series))
                script += [f"set xlabel '{label}'", f"plot {curves}"]
            gnuplot(script)
        self.say(f"plot: {path}")

    def close(self):
        for server, _ in {id(s): (s, d) for s, d in self.who.values()}.values():
            server.close()


def count_instructions(program, device, plugins, rules=2112, items=TUPLE, actions="queue", driver=None):
    """{"insert", "delete"}: instructions a rule of what the clock would cover, under callgrind."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(program, [device], plugins, mem=512, wrap=callgrind(folder), **{**SERVER, "counters": 8192})
        server.ask("run", driver or (OURS if device == OUR_DEVICE else DEBIAN),
                   **{**DEFAULTS, "rules": rules, "items": items, "actions": actions})
        server.close()
        total = {"insert": 0, "delete": 0}
        for phase, number in profiles(folder):
            if phase in total:
                total[phase] += number
    return {phase: n / (rules - DEFAULTS["burst"]) for phase, n in total.items()}


def shapes(text):
    kind, _, number = text.partition(":")
    if kind != "random" or not number.isdigit() or int(number) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not random:N")
    return int(number)


def main():
    parser = argparse.ArgumentParser(prog="mlx5hws-flow-perf compare", description=__doc__.split("\n", maxsplit=1)[0])
    arguments(parser, PARTS)
    parser.add_argument("--shapes", metavar="random:N", type=shapes, default=0, help="also N drawn shapes")
    parser.add_argument("--seed", type=at_least(0), default=1, help="of the first drawn shape")
    parser.add_argument("--most", type=at_least(1 << 17), help="rules of the growth row (8 M; quick: 1 M)")
    args = parse(parser)
    measure(Compare, args, {p: m for p, m in PARTS.items() if not args.only or p in args.only})


PARTS = {"table": Compare.table, "shapes": Compare.random_shapes, "instructions": Compare.instructions,
         "memory": Compare.memory, "bus": Compare.bus, "queues": Compare.queues, "threads": Compare.threads,
         "growth": Compare.growth, "cost": Compare.cost, "device": Compare.end_to_end}

if __name__ == "__main__":
    main()
