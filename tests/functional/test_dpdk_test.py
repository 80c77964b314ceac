# SPDX-License-Identifier: BSD-3-Clause
"""Stock dpdk-test on our port: the suites that move packets through it, and those that stand beside it in one process."""

import collections
import os
import re

import pytest
from harness.dut import unique
from harness.process import Process

pytestmark = pytest.mark.one_model

TOTALS = re.compile(r"Tests (Total|Skipped|Executed|Unsupported|Passed|Failed) *: +(\d+)")


class Run:
    """One dpdk-test: exit status, what it said, and the totals of its suites."""

    def __init__(self, dut, build, folder, *commands, megabytes=256, seconds=240, **settings):
        driver, model = dut
        words = {"model": model, "wire": "loop", "uar": "trap", "trace": f"{folder}/trace.txt",
                 "census": f"{folder}/census.txt", **settings}
        argv = driver.command(build, words, [], unique("d"), None, "dpdk-test", commands, megabytes)
        process = Process(argv, {**os.environ, "DPDK_TEST": ""}, f"{folder}/dpdk-test.txt")
        try:
            self.status = process.wait(seconds)
            self.text = process.text
        finally:
            process.close()
        self.totals = collections.Counter()
        for name, number in TOTALS.findall(self.text):
            self.totals[name.lower()] += int(number)

    def passed(self):
        assert self.status == 0 and "Test OK" in self.text and "Test Failed" not in self.text, self.text
        assert self.totals["failed"] == self.totals["skipped"] == 0, self.totals
        return self

    def number(self, expression):
        found = re.findall(expression, self.text)
        assert found, f"{expression!r} is not in\n{self.text}"
        return [int(n) for n in found]


@pytest.fixture
def run(dut, build, tmp_path):
    def go(*commands, **how):
        return Run(dut, build, str(tmp_path), *commands, **how)
    return go


# DPDK's mlx5 makes no default rules before rte_flow_configure() when dv_flow_en=2 (mlx5_flow_hw.c: "if (!priv->dr_ctx)"), and
# these suites do not call it: not a packet arrives.
@pytest.fixture
def receives(dut):
    if dut[0].name == "mlx5":
        pytest.skip("mlx5 with dv_flow_en=2 receives nothing before rte_flow_configure(), which dpdk-test does not call")


@pytest.mark.parametrize("mode, anchor, mbps", [("vector", "rxtx", 1000), ("scalar", "rxonly", 100), ("full", "txonly", 100)])
def test_pmd_perf_continuous(run, receives, mode, anchor, mbps):
    """As many packets as two seconds of line rate. Of 2,048 as many go round as the receive ring of 1,024 has buffers for, which
    are given back in batches of up to 64."""
    done = run(f"set_rxtx_mode {mode}", f"set_rxtx_anchor {anchor}", "pmd_perf_autotest", speed=str(mbps)).passed()
    packets = 2 * (mbps * 1000 * 1000 // (84 * 8))
    assert done.number(r"after at least (\d+) packets") == [packets]
    assert done.number(r"(\d+) packet, \d+ drop")[0] >= packets
    assert done.number(r"packet, (\d+) drop") == [0]
    assert 1024 - 64 <= done.number(r"free (\d+) \(expected")[0] <= 1024
    assert f"Link up at {'1 Gbps' if mbps == 1000 else '100 Mbps'} FDX" in done.text


def test_pmd_perf_burst(run, receives):
    """2,048 packets are sent before the first is asked for: the ring of 2,048 holds them all."""
    done = run("set_rxtx_sc poll_after_xmit", "pmd_perf_autotest").passed()
    assert done.number(r"(\d+) packets lost") == [0]


@pytest.mark.parametrize("suites, cases", [
    (["link_bonding_autotest"], 65), (["link_bonding_rssconf_autotest", "event_eth_tx_adapter_autotest"], 10),
    (["latencystats_autotest", "bitratestats_autotest", "ring_pmd_autotest", "ethdev_link_status"], 24)],
    ids=lambda v: v[0] if isinstance(v, list) else "")
def test_beside_other_ports(run, suites, cases):
    """Suites that make ports of their own: ours is there first, and number 0."""
    done = run(*suites, megabytes=512).passed()
    assert done.totals["passed"] == cases and done.text.count("Test OK") == len(suites), done.text


# These ask for 524,288 buffers for each port: 2.2 GB on pages of 4 KB.
ADAPTER = {"megabytes": 2400, "seconds": 1200}


def passes_alone(suite, folder):
    """A suite whose timing is its own affair: without any port of a NIC."""
    argv = ["dpdk-test", "--no-huge", "-m", "512", "--no-pci", "--no-telemetry", "-l", "0-1", f"--file-prefix={unique('a')}"]
    process = Process(argv, {**os.environ, "DPDK_TEST": suite}, f"{folder}/alone.txt")
    try:
        return process.wait(240) == 0
    finally:
        process.close()


@pytest.mark.long
@pytest.mark.parametrize("suite, cases, how", [("event_eth_rx_adapter_autotest", 10, ADAPTER),
                                               ("link_bonding_mode4_autotest", 8, {"megabytes": 512, "seconds": 600})])
def test_long(run, suite, cases, how, tmp_path):
    done = run(suite, **how)
    if done.status != 0 and suite == "link_bonding_mode4_autotest" and not passes_alone(suite, tmp_path):
        pytest.skip(f"{suite} makes its own ring ports, and fails on this machine with no other port in the process")
    assert done.passed().totals["passed"] == cases, done.totals


@pytest.mark.long
def test_rx_adapter_by_interrupts(dut, run):
    """64 queues of the port, each with a descriptor of its own, in the event adapter's epoll set and out of it."""
    done = run("event_eth_rx_intr_adapter_autotest", **ADAPTER)
    if dut[0].name == "mlx5":
        # Its interrupt handle tells the kind that has one descriptor for all queues, so only queue 0 was added; and
        # disabling an interrupt that did not come is -EAGAIN there.
        assert "adapter_intr_queue_add_del line 850 failed: Expected 0 got -11" in done.text and done.totals["failed"] == 2
        return
    assert done.passed().totals["passed"] == 2, done.totals


@pytest.mark.parametrize("suite", ["inline_ipsec_autotest", "inline_ipsec_sg_autotest"])
def test_no_ipsec(run, suite):
    """What asks a port without a security context skips all of it."""
    done = run(suite, megabytes=512)
    assert done.status == 77 and done.totals["skipped"] == done.totals["total"] > 0, done.text
