# SPDX-License-Identifier: BSD-3-Clause
"""A port without rules of ours, for what ethdev alone promises; orders to softcx below it (tests/driver/orders.c)."""

import os
import re
import time

import pytest

from .dut import unique
from .peer import LEAVES, RINGS
from .port import Port
from .testpmd import Refused, Testpmd
from .wire import Tap


class EthPort(Port):
    """Frames, settings by testpmd's commands, numbers out of its tables."""

    def __init__(self, driver, model, build, folder, queues=4, testpmd_args=(), settings=None, devargs=()):
        self.orders = os.path.join(folder, "orders")
        os.mkfifo(self.orders)
        self.name, self.model, self.build = driver.name, model, build
        wire, host = unique("ew"), unique("eh")
        words = {"model": model, "wire": f"tap:{wire}", "uar": "trap", "trace": os.path.join(folder, "trace.txt"),
                 "census": os.path.join(folder, "census.txt"), **(settings or {})}
        argv = driver.argv(build, words, devargs, [f"--rxq={queues}", f"--txq={queues}", *testpmd_args], unique("e"), host)
        at = argv.index("dpdk-testpmd") + 1
        argv[at:at] = ["-d", os.path.join(build, "tests/driver/softcx_orders.so")]
        self.argv = argv
        testpmd = Testpmd(argv, env={**os.environ, "SOFTCX_ORDERS": self.orders}, log=os.path.join(folder, "testpmd.txt"))
        try:
            super().__init__(testpmd, wire, host, folder, queues, LEAVES[driver.name])
            self.do = testpmd.do
            self.configure()
            self.mac = self.info(r"MAC address: (\S+)").lower()
            self.start()
            self.check_doorbells()
        except BaseException:
            testpmd.close()
            raise

    def reopen_taps(self):
        """After the device was made anew, and its taps with it."""
        names = self.wire.name, self.host.name
        self.wire.close()
        self.host.close()
        self.wire, self.host = (Tap(n) for n in names)

    # ---- the device ------------------------------------------------------------------------------------------

    def order(self, line, seconds=20):
        """Have softcx do something. @return its answer."""
        out = self.orders + ".out"
        size = os.path.getsize(out) if os.path.exists(out) else 0
        with open(self.orders, "w", encoding="ascii") as f:
            f.write(line + "\n")
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if os.path.exists(out) and os.path.getsize(out) > size:
                with open(out, encoding="ascii") as f:
                    f.seek(size)
                    answer = f.read().strip()
                assert not answer.startswith("failed"), f"{line}: {answer}"
                return answer
            time.sleep(0.01)
        raise AssertionError(f"{line}: no answer")

    def doorbells(self):
        return {k: int(v) for k, v in (w.split("=") for w in self.order("doorbells 0").split())}

    def check_doorbells(self):
        """Every doorbell said something, every record was rung for. Nothing may be on its way."""
        counts = self.doorbells()
        bad = {k: v for k, v in counts.items() if k in ("idle", "mismatch", "stray", "forgotten") and v}
        assert bad.keys() <= RINGS[self.name], f"doorbells: {counts}"

    # ---- testpmd's tables ------------------------------------------------------------------------------------

    def info(self, expression, command="show port info 0"):
        return self.do(command, expression)[1]

    def numbers(self, command):
        """All "name: number" of a command's output."""
        return {k.strip(): int(v) for k, v in re.findall(r"([A-Za-z_][\w -]*?): +(\d+)", self.testpmd.command(command))}

    def stats(self):
        return self.numbers("show port stats 0")

    def clear_stats(self):
        self.do("clear port stats 0", r"cleared")

    def restarted(self, *lines, mode="io"):
        """Settings that want a stopped port: stop, do lines, start, forward again."""
        self.testpmd.command("stop")
        self.do("port stop 0", r"Done")
        for line in lines:
            self.do(line)
        text = self.testpmd.command("port start 0", seconds=30)
        if "Fail to start" in text:
            raise Refused(text)
        self.forward(mode)

    def between(self, *lines):
        """Commands that testpmd takes only while it does not forward."""
        self.testpmd.command("stop")
        for line in lines:
            text = self.do(line)
            assert "stop forwarding first" not in text and "only supported" not in text, text
        self.do("start")

    def forward(self, mode):
        self.testpmd.command("stop")
        self.do(f"set fwd {mode}")
        self.do("start")
        self.silence()

    def free_buffers(self):
        """Of testpmd's only mempool."""
        name = self.info(r"Mempool: (\S+)", "show rxq info 0 0")
        text = self.testpmd.command(f"dump_mempool {name}")
        if "not found" in text:
            text = self.testpmd.command(f"dump mempool {name}")  # DPDK 26.07's word
        return int(re.search(r"total_cache_count=(\d+)", text)[1]) + int(re.search(r"common_pool_count=(\d+)", text)[1])


@pytest.fixture(scope="module")
def eth_factory(dut, build, tmp_path_factory, request):
    """A port made as the module's TESTPMD_ARGS, SETTINGS and DEVARGS say, kept until a test has broken it."""
    box = {}

    def get():
        port = box.get("port")
        if port is None or port.testpmd.process.child.poll() is not None or port.testpmd.process.master is None:
            if port is not None:
                port.close()
            module = request.module
            box["port"] = EthPort(*dut, build, str(tmp_path_factory.mktemp("eth")),
                                  testpmd_args=getattr(module, "TESTPMD_ARGS", ()),
                                  settings=getattr(module, "SETTINGS", None), devargs=getattr(module, "DEVARGS", ()))
        return box["port"]

    yield get
    if "port" in box:
        box["port"].close()


@pytest.fixture
def eth(eth_factory, request):
    """The port, with doorbells looked at afterwards."""
    port = eth_factory()
    failed_before = request.session.testsfailed
    yield port
    if request.session.testsfailed != failed_before or getattr(request.node, "broken", False):
        port.close()
    elif port.testpmd.process.master is not None and port.testpmd.process.child.poll() is None:
        port.check_doorbells()
