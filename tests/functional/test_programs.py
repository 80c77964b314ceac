# SPDX-License-Identifier: BSD-3-Clause
"""Stock programs that ask for what our driver does not do: refused by name, without harm.

Secondary processes need huge pages, so the primary has them too.
"""

import os
import subprocess

import pytest
from harness.dut import DRIVERS, eal_args, unique
from harness.testpmd import Testpmd

PAGES = 140  # of 2 MB: testpmd's memory, and the EAL's own
NUMBER = "/proc/sys/vm/nr_hugepages"
REFUSAL = "mlx5hws: net_softcx0: secondary processes are not served yet"


def reserve(pages):
    """@return how many there are now."""
    with open(NUMBER, "w", encoding="ascii") as f:
        f.write(str(pages))
    with open(NUMBER, encoding="ascii") as f:
        return int(f.read())


@pytest.fixture(scope="module")
def huge(tmp_path_factory):
    """A folder of huge pages, reserved for the time of the tests; skips where a machine gives none."""
    folder = str(tmp_path_factory.mktemp("huge"))
    try:
        with open(NUMBER, encoding="ascii") as f:
            before = int(f.read())
        got = reserve(before + PAGES)
    except OSError as e:
        pytest.skip(f"no huge pages: {e}")
    try:
        if got < before + PAGES:
            pytest.skip(f"no {PAGES} huge pages can be had")
        if subprocess.run(["mount", "-t", "hugetlbfs", "nodev", folder], check=False).returncode != 0:
            pytest.skip("hugetlbfs cannot be mounted")
        yield folder
        subprocess.run(["umount", folder], check=True)
    finally:
        reserve(before)


@pytest.fixture
def primary(huge, build, tmp_path):
    prefix = unique("s")
    settings = {"wire": "loop", "uar": "trap", "census": str(tmp_path / "census.txt")}
    argv = DRIVERS["hws-vdev"].argv(build, settings, [], ["--rxq=2", "--txq=2"], prefix, None)
    at = argv.index("--no-huge")
    argv[at:at + 1] = ["--huge-dir", huge]
    testpmd = Testpmd(argv, log=str(tmp_path / "testpmd.txt"))
    testpmd.prefix, testpmd.census = prefix, tmp_path / "census.txt"
    try:
        yield testpmd
    finally:
        testpmd.close()


@pytest.mark.parametrize("program, words, status", [
    ("dpdk-proc-info", ["--", "--stats"], 1), ("dpdk-pdump", ["--", "--pdump", "port=0,queue=*,rx-dev=/dev/null"], 1),
    ("dpdk-testpmd", ["--proc-type=secondary", "-l", "0,1", "--", "-i", "--num-procs=2", "--proc-id=1"], 0)],
    ids=lambda v: v if isinstance(v, str) else "")
def test_refused(build, huge, primary, program, words, status):
    primary.do("set fwd io")
    primary.do("start tx_first")
    done = subprocess.run([program, "--huge-dir", huge, "--file-prefix", primary.prefix, "--no-telemetry", "--no-pci", "-d",
                           os.path.join(build, "librte_net_mlx5hws.so"), *words], stdin=subprocess.DEVNULL, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    assert done.returncode == status and REFUSAL in done.stdout, done.stdout
    before = primary.do("show port stats 0", r"RX-packets: (\d+)")[1]
    primary.command("# a while later")
    primary.do("show port stats 0", r"RX-packets: (\d+)")
    primary.do("stop", "Done")
    after = primary.do("show port stats 0", r"RX-packets: (\d+)")[1]
    assert int(after) > int(before) > 0
    assert primary.quit() == 0
    assert "left behind" not in primary.census.read_text()


def test_flow_perf(build):
    """DPDK's benchmark inserts by rte_flow_create(), one call a rule; ours (app/flow-perf) by template tables."""
    argv = [*eal_args(512), "--file-prefix", unique("s"), "--no-pci", "-d", os.path.join(build, "librte_net_mlx5hws.so"),
            "--vdev=net_softcx0,wire=loop", "--", "--ingress", "--group=1", "--ether", "--ipv4", "--queue", "--rules-count=2000",
            "--rules-batch=1000"]
    done = subprocess.run(["dpdk-test-flow-perf", *argv], stdin=subprocess.DEVNULL, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120)
    assert done.returncode == 1, done.stdout
    assert "synchronous rules are not supported yet, use template tables" in done.stdout, done.stdout
