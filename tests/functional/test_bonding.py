# SPDX-License-Identifier: BSD-3-Clause
"""DPDK's bonding driver on top of our ports: the modes with one switch (ports that hear themselves), LACP between two bonds."""

import os
import re
import time

import pytest
from harness.dut import eal_args, unique
from harness.testpmd import Testpmd

pytestmark = pytest.mark.one_model

QUEUES, BURST = 2, 8


class Bond:
    """testpmd on bonds alone; ports 0..n-1 are net_softcx<n> with these wires, bonds the ports behind them."""

    def __init__(self, build, folder, wires, *bonds):
        self.census = folder / "census.txt"
        vdevs = [f"--vdev=net_softcx{i},wire={w},uar=trap" + (f",census={self.census}" if i == 0 else "")
                 for i, w in enumerate(wires)]
        vdevs += [f"--vdev=net_bonding{i},{bond}" for i, bond in enumerate(bonds)]
        ports = ",".join(str(len(wires) + i) for i in range(len(bonds)))
        argv = ["dpdk-testpmd", *eal_args(512), "--file-prefix", unique("b"), "--no-pci", "-d",
                os.path.join(build, "librte_net_mlx5hws.so"), *vdevs, "--", "-i", f"--rxq={QUEUES}", f"--txq={QUEUES}",
                "--total-num-mbufs=16384", f"--burst={BURST}", "--nb-cores=1", f"--portlist={ports}", "--no-flush-rx"]
        self.testpmd = Testpmd(argv, log=str(folder / "testpmd.txt"))
        self.do = self.testpmd.do

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            assert self.testpmd.quit() == 0
            assert "left behind" not in self.census.read_text()
        self.testpmd.close()

    def stats(self, port):
        return {k: int(v) for k, v in re.findall(r"([RT]X-\w+): +(\d+)", self.testpmd.command(f"show port stats {port}"))}

    def until(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while not condition() and time.monotonic() < end:
            time.sleep(0.1)
        assert condition()

    def sends(self, *ports, least=100):
        """That many packets more leave by these ports."""
        def sent():
            return sum(self.stats(port)["TX-packets"] for port in ports)
        wanted = sent() + least
        self.until(lambda: sent() >= wanted)


@pytest.mark.parametrize("mode, used", [(0, [(0,), (1,)]), (1, [(0,)]), (2, [(0,), (1,)]), (5, [(0, 1)]), (6, [(0, 1)])],
                         ids=["round-robin", "active-backup", "balance", "tlb", "alb"])
def test_switch(build, tmp_path, mode, used):
    """What a bond sends comes back on the port it left by. Round robin and a hash over many flows use both, load decides in two.

    Packets go round where the bond listens to both ports; in tlb it does to one (rte_eth_bond_pmd.c)."""
    made = mode in (2, 5)
    with Bond(build, tmp_path, ["loop", "loop"], f"mode={mode},slave=net_softcx0,slave=net_softcx1,xmit_policy=l34") as bond:
        bond.do("set fwd flowgen" if made else "set fwd io")
        bond.do("start" if made else "start tx_first 2")
        for ports in used:
            bond.sends(*ports)
        bond.do("stop", "Done")
        for port in (0, 1, 2):
            stats = bond.stats(port)
            assert stats["TX-errors"] == stats["RX-errors"] == stats["RX-nombuf"] == 0, stats
        total = bond.stats(2)
        assert total["TX-packets"] == sum(bond.stats(p)["TX-packets"] for p in (0, 1)), total


def test_failover(build, tmp_path):
    """Active-backup: the link of the active port goes, the other takes over; and back, when it is made primary again."""
    with Bond(build, tmp_path, ["loop", "loop"], "mode=1,slave=net_softcx0,slave=net_softcx1,primary=net_softcx0") as bond:
        bond.do("set fwd txonly")
        bond.do("start")
        bond.sends(0)
        assert bond.stats(1)["TX-packets"] == 0
        bond.testpmd.command("set link-down port 0")
        bond.until(lambda: "Active Slaves (1): [1]" in bond.testpmd.command("show bonding config 2"))
        bond.sends(1)
        bond.testpmd.command("set link-up port 0")
        bond.until(lambda: re.search(r"Active Slaves \(2\): \[[01] [01]\]", bond.testpmd.command("show bonding config 2")))
        bond.sends(0)
        bond.do("stop", "Done")


def test_lacp(build, tmp_path):
    """Two bonds of two ports each, cables between them: LACP brings both up, then packets go round."""
    bonds = ("mode=4,slave=net_softcx0,slave=net_softcx1,xmit_policy=l34", "mode=4,slave=net_softcx2,slave=net_softcx3,xmit_policy=l34")
    with Bond(build, tmp_path, ["pair:2", "pair:3", "pair:0", "pair:1"], *bonds) as bond:
        bond.do("set fwd flowgen")
        bond.do("start")
        for port in (0, 1, 2, 3):
            bond.sends(port, least=1000)
        bond.do("stop", "Done")
        for port in (4, 5):
            assert bond.stats(port)["RX-packets"] > 1000
