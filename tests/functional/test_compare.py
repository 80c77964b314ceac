# SPDX-License-Identifier: BSD-3-Clause
"""mlx5hws-flow-perf compare: wrong arguments and peers that go wrong end in a sentence, refusals stand in the table."""

import os
import subprocess

import pytest

DIES = """#!/usr/bin/python3
import os, sys
print('{"dpdk": "DPDK 99.1", "ports": [{"id": 0, "driver": "mlx5_pci"}]}', flush=True)
sys.stdin.readline()
print("flow-perf: port 0 (mlx5_pci): no such thing here", file=sys.stderr, flush=True)
print('{"error": -95}', flush=True)
sys.stdin.readline()
print("cannot go on", file=sys.stderr, flush=True)
os.abort()
"""


def compare(build, *words):
    """@return (status, stdout, stderr)"""
    done = subprocess.run([os.path.join(build, "app/mlx5hws-flow-perf"), "compare", *words], capture_output=True, text=True,
                          timeout=120, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("words, says", [
    (["--only", "nothing"], "invalid choice: 'nothing'"), (["--rounds", "0"], "'0' is no number from 1 on"),
    (["--seed", "-1"], "expected one argument|'-1' is no number"), (["--most", "x"], "'x' is no number from 131072 on"),
    (["--shapes", "drawn:3"], "'drawn:3' is not random:N"), (["--peer", "/no/such"], "'/no/such' is no program"),
    (["--peer", ","], "'' is no program")], ids=lambda v: "_".join(v) if isinstance(v, list) else "")
def test_wrong_arguments(build, words, says):
    status, _, said = compare(build, *words)
    assert status == 2 and any(s in said for s in says.split("|")), said


@pytest.mark.parametrize("text, says", [("#!/bin/sh\nexit 3\n", "ended (status 3)"),
                                        ("#!/bin/sh\necho '{\"hello\": 1}'\n", "is no flow-perf of this version")])
def test_no_peer(build, tmp_path, text, says):
    peer = tmp_path / "peer"
    peer.write_text(text)
    peer.chmod(0o755)
    status, _, said = compare(build, "--quick", "--only", "table", "--peer", str(peer))
    assert status == 1 and says in said, said


def test_peer_refuses_and_dies(build, tmp_path):
    """The row says so, the note below it why; what a dying peer said last is in the message."""
    peer = tmp_path / "peer"
    peer.write_text(DIES)
    peer.chmod(0o755)
    status, table, said = compare(build, "--quick", "--only", "table", "--rounds", "1", "--peer", str(peer))
    assert status == 1 and "ended (signal 6)" in said and "cannot go on" in said, said
    rows = [line for line in table.splitlines() if line.startswith("4-tuple")]
    assert len(rows) == 1 and rows[0].split().count("refused") == 1, table
    assert "refused by mlx5 99.1: no such thing here" in table
