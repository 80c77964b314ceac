# SPDX-License-Identifier: BSD-3-Clause
"""The virtual device needs no privilege: testpmd as nobody, without capabilities and huge pages, frames from a capture."""

import os
import shutil
import tempfile
import time

import pytest
from harness.dut import TESTPMD_ARGS, unique
from harness.frames import ARP, IP, TCP, UDP, IPv6, frame
from harness.testpmd import Testpmd
from scapy.utils import rdpcap, wrpcap

NOBODY = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups", "--bounding-set=-all"]
MAC = "02:5c:00:00:00:00"


@pytest.fixture
def folder():
    """A place that nobody may write to."""
    path = tempfile.mkdtemp(prefix="softcx-nobody.")
    os.chmod(path, 0o777)
    yield path
    shutil.rmtree(path)


@pytest.mark.parametrize("model", ["cx7", "cx6dx"])
def test_probe_forward_quit(build, folder, model):
    sent = [frame(*layers, dst=MAC) for _ in range(20) for layers in
            ((IP(dst="10.0.0.1"), UDP()), (IP(dst="10.0.0.1"), TCP()), (IPv6(), UDP()), (ARP(),))]
    wrpcap(f"{folder}/in.pcap", sent)
    os.chmod(f"{folder}/in.pcap", 0o644)
    wire = f"[pcap:in={folder}/in.pcap,out={folder}/out.pcap,gate={folder}/go]"
    argv = [*NOBODY, "env", f"XDG_RUNTIME_DIR={folder}", "dpdk-testpmd", "--no-huge", "-m", "256", "--no-pci", "--no-telemetry",
            "-l", "0,1", "--file-prefix", unique("n"), "-d", os.path.join(build, "librte_net_mlx5hws.so"),
            f"--vdev=net_softcx0,model={model},wire={wire},census={folder}/census.txt", "--", *TESTPMD_ARGS, "--rxq=2", "--txq=2"]
    testpmd = Testpmd(argv, log=f"{folder}/testpmd.txt")
    try:
        testpmd.do("set fwd io")
        testpmd.do("start")
        with open(f"{folder}/go", "wb"):
            pass
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and read(f"{folder}/out.pcap") != expected(sent):
            time.sleep(0.05)
        assert read(f"{folder}/out.pcap") == expected(sent)
        assert testpmd.quit() == 0
    finally:
        testpmd.close()
    with open(f"{folder}/census.txt", encoding="utf-8") as f:
        assert "left behind" not in f.read()


def expected(packets):
    return sorted(bytes(p) for p in packets)


def read(path):
    """Frames of a capture, sorted; a capture that is still being written gives what is there."""
    try:
        return expected(rdpcap(path))
    except Exception:  # pylint: disable=broad-except
        return []
