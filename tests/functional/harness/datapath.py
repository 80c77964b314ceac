# SPDX-License-Identifier: BSD-3-Clause
"""Ports for the data path: one for each set of devargs and settings, what the bus saw, and what a driver has not yet."""

import os
import re

import pytest

from .eth import EthPort

# Features of the data path that a driver does not have yet, by the name a case asks with. The case is then skipped by that
# name; whoever builds the feature takes the word out of here.
HWS_NOT_YET = set()
NOT_YET = {"mlx5": set(), "hws-pci": HWS_NOT_YET, "hws-vdev": HWS_NOT_YET}


def needs(dut, *features):
    """Skip, by name, a case that asks for what the driver does not have yet."""
    missing = NOT_YET[dut[0].name].intersection(features)
    if missing:
        pytest.skip(f"{dut[0].name} has no {', '.join(sorted(missing))} yet (harness/datapath.py)")


def rows_of(text):
    """kind=operations/bytes,... as {kind: (operations, bytes)}"""
    rows = (row.split("=") for row in text.split(","))
    return {kind: tuple(int(n) for n in numbers.split("/")) for kind, numbers in rows}


class DataPort(EthPort):
    """An EthPort that tells what the device moved over the bus."""

    def bus(self):
        """Kind -> (operations, bytes) since power-on."""
        return rows_of(self.order("bus 0"))

    def queues_moved(self, way, action):
        """The same of each rx or tx queue during action(): a list, the queue that moved most packet data first."""
        def all_queues():
            return dict((q.partition(":")[0], rows_of(q.partition(":")[2])) for q in self.order(f"queues 0 {way}").split(";"))
        before = all_queues()
        action()
        after = all_queues()
        moved = [{kind: tuple(a - b for a, b in zip(after[q][kind], before[q][kind])) for kind in after[q]} for q in after]
        return sorted(moved, key=lambda q: -q["data read" if way == "tx" else "data write"][1])

    def asked(self, field):
        """The values that a field had in the commands so far, as the trace shows them."""
        with open(os.path.join(self.folder, "trace.txt"), encoding="ascii") as f:
            return {int(v, 16) for v in re.findall(rf"^ +{field} = 0x([0-9a-f]+)$", f.read(), re.M)}

    def moved(self, kind, action):
        """(operations, bytes) of one kind during action()."""
        before = self.bus()[kind]
        action()
        after = self.bus()[kind]
        return after[0] - before[0], after[1] - before[1]


@pytest.fixture(scope="module")
def ports(dut, build, tmp_path_factory):
    """make(devargs=(), testpmd_args=(), settings={}, queues=4): a port, kept as long as the next one asked for is like it."""
    box = {}

    def close():
        if "port" in box:
            box.pop("port").close()

    def make(devargs=(), testpmd_args=(), settings=None, queues=4):
        key = (tuple(devargs), tuple(testpmd_args), tuple((settings or {}).items()), queues)
        port = box.get("port")
        if port is None or box["key"] != key or port.testpmd.process.master is None:
            close()
            box["key"] = key
            box["port"] = DataPort(*dut, build, str(tmp_path_factory.mktemp("data")), queues=queues, devargs=devargs,
                                   testpmd_args=testpmd_args, settings=settings)
        return box["port"]

    make.close = close
    yield make
    close()


@pytest.fixture(autouse=True)
def no_broken_port(request):
    """A port that a test has broken is not used again."""
    yield
    if getattr(request.node, "broken", False) and "ports" in request.fixturenames:
        request.getfixturevalue("ports").close()
