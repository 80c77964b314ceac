#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""mlx5hws-pkt-perf compare: a packet in our driver alone beside other drivers, on one software device; see doc/datapath.md.

A process has a port of ours and one of Debian's mlx5, with the same arguments; a peer of another DPDK has its own. They take
turns, run by run, so that what disturbs the machine disturbs all of them. A figure is the median of the runs; beside it stand
the floor (buffers to and from their pool, the bytes of descriptors and completions) and DPDK's net_null.
"""

import argparse
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from perf_compare import (DEBIAN, HERE, MLX5_DEVICE, NULL, OUR_DEVICE, OURS, Checks, Failed, Refused, Server,  # noqa: E402
                          arguments, callgrind, gnuplot, measure, median, ours_plugin, parse, profiles, spread)

PROGRAM = f"{HERE}/mlx5hws-pkt-perf"
INLINE = "txqs_min_inline=1"
MPRQ = "mprq_en=1,rxqs_min_mprq=1"
PLAIN, COMPRESSED = "rxq_cqe_comp_en=0", "rxq_cqe_comp_en=1"
SHARE, OVER_FLOOR = 0.7, 1.3  # of the faster peer, or of the floor, whichever is larger

# What a run is, the devargs of its ports (of all drivers), what its floor writes, whether it is in --quick.
ROWS = [
    ("rx", PLAIN, dict(loop="rx"), {}, True),
    ("rx, hash and checksum", PLAIN, {"loop": "rx", "rx-offloads": "hash,checksum"}, {}, False),
    ("rx, all offloads", PLAIN, {"loop": "rx", "rx-offloads": "hash,checksum,vlan,timestamp", "mark": True, "tx-offloads": "vlan",
                                 "ask": "vlan"}, {}, True),
    ("rx, compressed", COMPRESSED, dict(loop="rx"), {}, True),
    ("rx, compressed, checksum and tag", COMPRESSED, {"loop": "rx", "rx-offloads": "hash,checksum,vlan", "tx-offloads": "vlan",
                                                      "ask": "vlan"}, {}, False),
    ("rx, scattered, one buffer", PLAIN, {"loop": "rx", "mtu": 3500, "rx-offloads": "segments"}, {}, False),
    ("rx, 1,500 bytes in two buffers", PLAIN, {"loop": "rx", "size": 1500, "segments": 2, "buffer": 1024,
                                               "tx-offloads": "segments", "rx-offloads": "segments"}, {}, True),
    ("rx, MPRQ", MPRQ, {"loop": "rx", "rx-desc": 4096}, {"copy": True}, True),
    ("tx, pointers, fast free", "", {"loop": "tx", "tx-offloads": "fast"}, {}, True),
    ("tx, pointers", "", {"loop": "tx"}, {}, True),
    ("tx, pointers, checksums", "", {"loop": "tx", "tx-offloads": "checksum", "ask": "checksum"}, {}, False),
    ("tx, inline", INLINE, {"loop": "tx"}, {"wqe-bytes": 64, "copy": True}, True),
    ("tx, inline, fast free", INLINE, {"loop": "tx", "tx-offloads": "fast"}, {"wqe-bytes": 64, "copy": True}, False),
    ("tx, one packet a WQE", "txq_mpw_en=0", {"loop": "tx"}, {"wqe-bytes": 64}, False),
    ("tx, one packet a WQE, inline", "txq_mpw_en=0," + INLINE, {"loop": "tx"}, {"wqe-bytes": 96, "copy": True}, False),
    ("tx, tag inserted", "", {"loop": "tx", "tx-offloads": "vlan", "ask": "vlan"}, {"wqe-bytes": 64}, False),
    ("tx, 1,500 bytes in two segments", "", {"loop": "tx", "size": 1500, "segments": 2, "tx-offloads": "segments"},
     {"wqe-bytes": 64}, True),
    ("tx, TSO of 32 KB", "", {"loop": "tx", "size": 32822, "segments": 17, "tso": 1448, "burst": 8, "tx-desc": 1024,
                              "tx-offloads": "segments,checksum,tso"}, {"wqe-bytes": 384}, True),
    ("io forwarding", "", {"loop": "io"}, {}, True),
    ("io forwarding, fast free", "", {"loop": "io", "tx-offloads": "fast"}, {}, False),
    ("macswap forwarding", "", {"loop": "macswap"}, {}, False),
    ("csum forwarding", "", {"loop": "csum", "tx-offloads": "checksum", "rx-offloads": "checksum"}, {}, False),
]


def wire(options):
    """Only what comes back needs a wire that loops."""
    return "null" if options["loop"] == "tx" else "loop"


def device(base, devargs):
    return ",".join(a for a in (base, devargs) if a)


class Compare(Checks):
    def __init__(self, args):
        super().__init__(args)
        self.rounds = args.rounds or (3 if args.quick else 9)
        self.size = {"bursts": 400 if args.quick else 1000}
        self.starts = {}
        for n, text in enumerate(args.peer):
            program, *plugins = text.split(",")
            self.starts[f"peer {n}"] = (program, plugins)
        self.result["dpdk"] = {}
        self.open, self.who = None, {}

    def servers(self, devargs, options, **more):
        """{name: (server, driver)}; ours and Debian's in one process. Rows that ask for the same share them."""
        key = devargs, wire(options), options.get("buffer"), more
        if key != self.open:
            self.close()
            self.open, self.who = key, self.start(devargs, options, **more)
        return self.who

    def start(self, devargs, options, **more):
        main = Server(PROGRAM, [device(OUR_DEVICE, devargs), device(MLX5_DEVICE, devargs)], [ours_plugin()], wire=wire(options),
                      mem=512, extra=["--vdev=net_null0,size=60"], **more)
        who = {OURS: (main, OURS), DEBIAN: (main, DEBIAN)}
        self.result["dpdk"][OURS] = self.result["dpdk"][DEBIAN] = main.dpdk
        for program, plugins in self.starts.values():
            server = Server(program, [device(MLX5_DEVICE, devargs)], plugins, wire=wire(options), mem=512, **more)
            name = "mlx5 " + server.dpdk.replace("DPDK ", "")
            self.result["dpdk"][name] = server.dpdk
            who[name] = (server, DEBIAN)
        if NULL in main.ports:
            who[NULL] = (main, NULL)
        return who

    def close(self):
        for server in {id(s): s for s, _ in self.who.values()}.values():
            server.close()
        self.open, self.who = None, {}

    def rows(self):
        return [r for r in ROWS if (r[4] or not self.args.quick) and (not self.args.row or any(w in r[0] for w in self.args.row))]

    def one(self, name, devargs, options, floor):
        who = self.servers(devargs, options)
        figures, modes, floors = {n: [] for n in who}, {}, []
        for _ in range(self.rounds):
            for n in list(figures):
                server, driver = who[n]
                try:
                    answer = server.ask("run", driver, **{"stepped": True, **self.size, **options, **(
                        {"rx-offloads": "", "tx-offloads": ""} if driver == NULL else {})})
                except Refused as e:
                    if driver != NULL:
                        self.refused(name, n, e)
                    del figures[n]
                    continue
                figures[n].append(answer["ns"])
                modes[n] = answer["tx_mode"] if options["loop"] == "tx" else answer["rx_mode"]
            floors.append(who[OURS][0].ask("floor", OURS, **{**self.size, **options, **floor})["floor"])
        return {"name": name, "devargs": devargs, **options, "figures": figures, "modes": modes, "floor": floors}

    def table(self):
        self.say(f"nanoseconds a packet, driver alone (burst calls; device stepped): median of {self.rounds} runs ± half the "
                 "distance of the 10th and 90th percentile")
        for name, devargs, options, floor, _ in self.rows():
            row = self.one(name, devargs, options, floor)
            self.result["rows"].append(row)
            ours, floor_ns = median(row["figures"].get(OURS)), median(row["floor"])
            peers = {n: median(v) for n, v in row["figures"].items() if n not in (OURS, NULL)}
            cells = " ".join(f"{n} {median(v):.2f} ±{spread(v):.0f}%" for n, v in row["figures"].items())
            text = f"{name:32} {cells} floor {floor_ns:.2f}"
            if OURS in row["figures"] and peers:
                best = min(peers.values())
                limit = max(SHARE * best, OVER_FLOOR * floor_ns)
                mark = self.check(name, "ns", ours, limit, "{:.2f}")
                row["ratio"] = {"peer": ours / best, "floor": ours / floor_ns}
                text += f"  ours/peer {ours / best:.3f} ours/floor {ours / floor_ns:.2f} <= {limit:.2f} ns{mark}"
            self.say(text)
            self.notes(name)

    def bus(self):
        """Bytes and doorbells as softcx counts them under trapped doorbells."""
        for name, devargs, options, _, _ in self.rows():
            who = self.servers(devargs, options, uar="trap")
            figure = {}
            for n, (server, driver) in who.items():
                if driver == NULL:
                    continue
                try:
                    answer = server.ask("run", driver, **{**options, "stepped": True, "bursts": 64, "alike": True})
                except Refused as e:
                    self.refused("bus, " + name, n, e)
                    continue
                figure[n] = answer["bus_bytes"], answer["doorbells"]
            text = ", ".join(f"{n} {b:.1f} bytes {d:.5f} doorbells" for n, (b, d) in figure.items())
            mark = ""
            peers = [v for n, v in figure.items() if n != OURS]
            if OURS in figure and peers:
                mark = self.check("bus, " + name, "bytes", figure[OURS][0], min(p[0] for p in peers), "{:.1f}")
                mark += self.check("bus, " + name, "doorbells", figure[OURS][1], min(p[1] for p in peers), "{:.5f}")
            self.result.setdefault("bus", {})[name] = figure
            self.say(f"bus, {name}: {text} a packet{mark}")
            self.notes("bus, " + name)

    def instructions(self):
        if shutil.which("valgrind") is None:
            self.say("instructions: valgrind is not installed")
            return
        for name, devargs, options, _, _ in self.rows():
            figure = {n: count_instructions(*start, options) for n, start in {
                OURS: (PROGRAM, device(OUR_DEVICE, devargs), [ours_plugin()]),
                DEBIAN: (PROGRAM, device(MLX5_DEVICE, devargs), []),
                **{n: (p, device(MLX5_DEVICE, devargs), plugins) for n, (p, plugins) in self.starts.items()}}.items()}
            self.result.setdefault("instructions", {})[name] = figure
            self.say(f"instructions, {name}: " + ", ".join(f"{n} {f:.1f}" if f else f"{n} failed" for n, f in figure.items()))

    def plot(self, path):
        rows = self.result["rows"]
        if not rows:
            raise Failed("--plot draws the table, which has no row here (--only, --row)")
        names = [n for n in self.result["dpdk"] if any(n in row["figures"] for row in rows)]
        with tempfile.TemporaryDirectory() as folder:
            data = f"{folder}/rows"
            with open(data, "w", encoding="utf-8") as f:
                for row in rows:
                    cells = [median(row["figures"].get(n)) for n in names] + [median(row["floor"])]
                    f.write(f'"{row["name"]}" ' + " ".join(f"{c:.3f}" for c in cells) + "\n")
            bars = ", ".join(f"'{data}' using {i + 2}:xtic(1) title '{n}'" for i, n in enumerate(names + ["floor"]))
            script = ["set terminal svg size 1300,520 dynamic background 'white'", f"set output '{path}'", "set style data histogram",
                      "set style fill solid", "set yrange [0:*]", "set ylabel 'ns a packet'", "set xtics rotate by -30",
                      "set grid ytics", f"plot {bars}"]
            gnuplot(script)
        self.say(f"plot: {path}")


def count_instructions(program, devargs, plugins, options, bursts=32):
    """Instructions a packet of what the clock would cover, under callgrind; None where the driver cannot run the row."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(program, [devargs], plugins, mem=512, wire=wire(options), wrap=callgrind(folder))
        driver = OURS if OUR_DEVICE in devargs else DEBIAN
        try:
            answer = server.ask("run", driver, **{**options, "stepped": True, "bursts": bursts})
        except Refused:
            return None
        finally:
            server.close()
        return sum(n for phase, n in profiles(folder) if phase == "loop") / answer["packets"]


def main():
    parser = argparse.ArgumentParser(prog="mlx5hws-pkt-perf compare", description=__doc__.split("\n", maxsplit=1)[0])
    arguments(parser, PARTS)
    parser.add_argument("--row", metavar="TEXT", action="append", help="rows whose name holds this")
    args = parse(parser)
    measure(Compare, args, {p: m for p, m in PARTS.items()
                            if (p in args.only if args.only else p != "instructions" or not args.quick)})


PARTS = {"table": Compare.table, "bus": Compare.bus, "instructions": Compare.instructions}

if __name__ == "__main__":
    main()
