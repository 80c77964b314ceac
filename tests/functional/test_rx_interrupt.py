# SPDX-License-Identifier: BSD-3-Clause
"""Receive interrupts: a program that sleeps on its queues (tests/driver/rx_intr.c) wakes when frames come, and only then."""

import os
import re
import time

import pytest
from harness.datapath import needs
from harness.dut import unique
from harness.frames import IP, UDP, frame
from harness.process import Process
from harness.wire import Tap

ASLEEP_MS = 300
MAC = "02:5c:00:00:00:00"  # of softcx's port 0


class Sleeper:
    """The program, and the far end of its wire."""

    def __init__(self, dut, build, folder):
        driver, model = dut
        wire, host = unique("iw"), unique("ih")
        words = {"model": model, "wire": f"tap:{wire}", "uar": "trap", "trace": os.path.join(folder, "trace.txt")}
        argv = driver.argv(build, words, [], [], unique("i"), host)
        argv[argv.index("dpdk-testpmd")] = os.path.join(build, "tests/driver/rx_intr")
        argv = argv[:len(argv) - argv[::-1].index("--")] + [str(ASLEEP_MS)]
        self.process = Process(argv, log=os.path.join(folder, "rx_intr.txt"))
        try:
            self.process.expect(re.compile(r"armed\n"), 30)
            self.wire = Tap(wire)
            self.quiet()
            self.wire.drain()
        except BaseException:
            self.process.close()
            raise

    def quiet(self):
        """Until nothing woke it for a while."""
        self.process.expect(re.compile(r"still asleep\n"), 20)
        self.process.text = ""

    def woken(self, frames):
        """Send frames. @return {queue: packets} and the number of wake-ups until it slept again."""
        for p in frames:
            self.wire.send(bytes(p))
        packets, times = {}, 0
        # On a busy machine it may have fallen asleep before the frames are there.
        for _ in range(20):
            self.process.expect(re.compile(r"still asleep\n"), 20)
            for queue, count in re.findall(r"queue (\d+) woke for (\d+)\n", self.process.before):
                packets[int(queue)] = packets.get(int(queue), 0) + int(count)
                times += 1
            if sum(packets.values()) >= len(frames):
                break
        self.process.text = ""
        return packets, times

    def close(self):
        self.wire.close()
        self.process.close()


@pytest.fixture
def sleeper(dut, build, tmp_path):
    needs(dut, "rx interrupts")
    one = Sleeper(dut, build, str(tmp_path))
    yield one
    one.close()


def flow(number, count=1):
    return [frame(IP(src=f"10.0.{number}.1", dst="10.0.0.2"), UDP(), dst=MAC) for _ in range(count)]


def test_one_at_a_time(sleeper):
    """Each frame wakes one queue, once; the same flow always the same one; all queues wake for many flows."""
    first = None
    for _ in range(5):
        packets, times = sleeper.woken(flow(1))
        assert sum(packets.values()) == 1 and times == 1, packets
        assert first in (None, *packets)
        first, = packets
    packets, _ = sleeper.woken([p for n in range(64) for p in flow(n)])
    assert sum(packets.values()) == 64 and len(packets) == 4, packets


def test_nothing_lost(sleeper):
    """However frames and arming fall together, none stays behind unseen."""
    for count in (2, 3, 31, 32, 33, 150):
        packets, times = sleeper.woken(flow(3, count))
        assert sum(packets.values()) == count and 1 <= times <= count, (packets, times)


def test_asleep(sleeper):
    """Without frames nothing wakes it."""
    started = time.monotonic()
    for _ in range(3):
        packets, times = sleeper.woken([])
        assert not packets and not times
    assert time.monotonic() - started > 3 * ASLEEP_MS / 1000 * 0.8
