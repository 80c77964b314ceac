# SPDX-License-Identifier: BSD-3-Clause
"""testpmd's own engines and makers of packets on a port that hears itself, or whose frames go to a capture."""

import collections
import re
import time

import pytest
from harness.dut import launch
from scapy.utils import RawPcapReader

pytestmark = pytest.mark.one_model

QUEUES = 2
BURST = 8  # harness/dut.py


class Session:
    """testpmd with a wire that needs nobody at its other end."""

    def __init__(self, dut, build, folder, wire, *testpmd_args, cores=None):
        self.out = f"{folder}/out.pcap"
        self.testpmd, _, _ = launch(*dut, build, folder, settings={"wire": wire.format(out=self.out)}, queues=QUEUES,
                                    testpmd_args=testpmd_args, cores=cores)
        self.census = f"{folder}/census.txt"
        self.do = self.testpmd.do
        try:
            self.do("port stop 0", "Done")
            self.do("flow configure 0 queues_number 1 queues_size 64 counters_number 0 aging_counters_number 0 meters_number 0 "
                    "flags 0", "Configure flows on port 0")
            self.do("port start 0", "Done", seconds=30)
        except BaseException:
            self.testpmd.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            self.testpmd.close()
            return
        assert self.testpmd.quit() == 0
        with open(self.census, encoding="utf-8") as f:
            assert "left behind" not in f.read()

    def stats(self):
        text = self.testpmd.command("show port stats 0")
        return {k: int(v) for k, v in re.findall(r"([RT]X-\w+): +(\d+)", text)}

    def forward(self, mode, start, seconds=0.5, least=1):
        """Some time in a mode, until at least so many packets were sent. @return the port's counters when all have arrived."""
        self.do(f"set fwd {mode}", f"Set {mode}")
        self.do("clear port stats 0", "cleared")
        self.do(start)
        end = time.monotonic() + 20
        time.sleep(seconds)
        while self.stats()["TX-packets"] < least and time.monotonic() < end:
            time.sleep(0.1)
        self.do("stop", "Done")
        self.do("set fwd rxonly", "Set rxonly")
        self.do("start")
        stats = self.quiet()
        self.do("stop", "Done")
        return stats

    def quiet(self):
        before = None
        while True:
            now = self.stats()
            if now == before:
                return now
            before = now
            time.sleep(0.1)

    def lengths(self):
        """Length -> number, of the frames that left; the last ones of a capture that is still open may be missing."""
        return collections.Counter(len(frame) for frame, _ in RawPcapReader(self.out))


@pytest.fixture(scope="module")
def loop(dut, build, tmp_path_factory):
    with Session(dut, build, str(tmp_path_factory.mktemp("loop")), "loop") as session:
        yield session


@pytest.mark.parametrize("mode", ["io", "mac", "macswap", "csum", "5tswap", "noisy"])
def test_round(loop, mode):
    """Two bursts for each queue go round: every packet that leaves comes back, and none is lost."""
    stats = loop.forward(mode, "start tx_first 2", least=4 * QUEUES * BURST)
    assert stats["TX-packets"] == stats["RX-packets"] >= 4 * QUEUES * BURST, stats
    assert stats["RX-missed"] == stats["RX-errors"] == stats["RX-nombuf"] == stats["TX-errors"] == 0, stats


@pytest.mark.parametrize("mode", ["rxonly", "icmpecho"])
def test_end(loop, mode):
    """Engines that keep what comes: the packets go round once."""
    stats = loop.forward(mode, "start tx_first 3")
    assert stats["TX-packets"] == stats["RX-packets"] == 3 * QUEUES * BURST, stats


def test_flowgen(loop):
    stats = loop.forward("flowgen", "start", least=1000)
    assert stats["TX-packets"] == stats["RX-packets"] + stats["RX-missed"] and stats["TX-errors"] == 0, stats


@pytest.mark.parametrize("offloads, split, lengths", [
    ("0x8000", "off", {1160}), ("0x8000", "rand", {60, 160, 1160}), ("0x18000", "off", {1160})],
    ids=["segments", "rand", "fast-free"])
def test_txonly_segments(dut, build, tmp_path, offloads, split, lengths):
    with Session(dut, build, str(tmp_path), "pcap:out={out}", f"--tx-offloads={offloads}") as session:
        session.do("set txpkts 60,100,1000")
        session.do(f"set txsplit {split}")
        stats = session.forward("txonly", "start", least=1000)
        assert stats["TX-errors"] == 0, stats
    assert session.lengths().keys() == lengths
    assert session.lengths().total() == stats["TX-packets"]


def test_txonly_segments_unannounced(dut, build, tmp_path):
    """Chains on queues that were asked for fast free and no segments, which testpmd sends: whole, and buffers stay whole too."""
    with Session(dut, build, str(tmp_path), "pcap:out={out}", "--tx-offloads=0x10000") as session:
        session.do("set txpkts 60,100,1000")
        session.forward("txonly", "start", least=1000)
        session.do("set txpkts 80")
        session.forward("txonly", "start", least=1000)
    assert session.lengths().keys() == {80, 1160}, f"frames of {sorted(session.lengths())} bytes"


def test_txonly_flows(dut, build, tmp_path):
    with Session(dut, build, str(tmp_path), "pcap:out={out}", "--txonly-multi-flow") as session:
        session.forward("txonly", "start", least=1000)
    sources = {frame[26:30] for frame, _ in RawPcapReader(session.out)}
    assert len(sources) > 100


def test_cores(dut, build, tmp_path):
    """Two forwarding cores, a queue each, in either order of the list."""
    with Session(dut, build, str(tmp_path), "loop", "--nb-cores=2", cores="0@0,1@0,2@1") as session:
        for cores in ("1,2", "2,1"):
            session.do(f"set corelist {cores}")
            stats = session.forward("io", "start tx_first 2", least=4 * QUEUES * BURST)
            assert stats["TX-packets"] == stats["RX-packets"] and stats["RX-missed"] == stats["TX-errors"] == 0, stats
            assert f"Logical Core {cores[0]}" in session.testpmd.command("show config fwd")


# What testpmd asks for, and what the port hashes by (rte_ethdev.h's bits): what it cannot is taken out, and said.
@pytest.mark.parametrize("word, configured", [("all", None), ("ip", None), ("udp", None), ("tcp", None), ("none", None),
                                              ("sctp", 0), ("vxlan", 0), ("mpls", 0), ("level-inner", 0)])
def test_rss_words(loop, word, configured):
    text = loop.do(f"port config all rss {word}", r"rss_hf 0x|rss_hf 0")
    text = text.string
    assert "Fail" not in text and "fail" not in text, text
    if configured is not None:
        assert f"configured:{configured}" in text, text


@pytest.mark.parametrize("command", ["dump_struct_sizes", "dump_devargs", "dump_ring", "dump_mempool", "dump_log_types",
                                     "show port info 0", "show port 0 rx_offload capabilities"])
def test_shown(loop, command):
    loop.do(command)
