# SPDX-License-Identifier: BSD-3-Clause
"""Devargs of the counter service: a thread of its own on service_core reads the counters every svc_cycle_time."""

import os

import pytest
from harness.dut import launch
from harness.frames import IP, UDP, frame
from harness.peer import LEAVES
from harness.port import Expect, Port
from harness.threads import threads

DST = "eth / ipv4 dst mask 255.255.255.255"
CPU = max(os.sched_getaffinity(0))


@pytest.fixture
def served(dut, build, tmp_path):
    testpmd, wire, host = launch(dut[0], dut[1], build, str(tmp_path),
                                 devargs=(f"service_core={CPU}", "svc_cycle_time=50", "reclaim_mem_mode=1"))
    port = Port(testpmd, wire, host, str(tmp_path), queues=4, leaves=LEAVES[dut[0].name])
    port.configure(flow_queues=2)
    port.start()
    yield port
    port.close()


def threads_on(pid, cpu):
    """Threads that may run on this CPU only, but for those that testpmd and the device bring along."""
    return [t for t in threads(pid) if t.cpus == str(cpu) and t.name not in ("rte-worker-1", "dpdk-worker1", "softcx")]


def test_service_core(served):
    """Counts are right, the reading thread runs where it was told to, and a new configuration has one again."""
    port = served
    for _ in range(2):
        port.enter_groups()
        with port.flows() as flows:
            table = flows.table([DST], ["count / queue"])
            rule = flows.rule(table, "eth / ipv4 dst spec 10.0.0.1", "count / queue index 1")
            sent = [frame(IP(dst="10.0.0.1"), UDP()) for _ in range(7)]
            port.exchange(sent, [Expect(queue=1)] * 7)
            flows.wait_count(rule, 7, sum(len(p) for p in sent))
        assert len(threads_on(port.testpmd.process.child.pid, CPU)) == 1
        port.leave_groups()
        port.testpmd.do("stop")
        port.configure(flow_queues=2)
        port.start()
    assert port.testpmd.quit() == 0
