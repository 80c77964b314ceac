# SPDX-License-Identifier: BSD-3-Clause
"""The demonstration of the README: agrees with tcpdump, and notices a rule that was planted wrong."""

import os
import re
import subprocess

PLAY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../devtools/demo/play.py")


def play(build, *words):
    done = subprocess.run(["/usr/bin/python3", "-B", PLAY, "--build", build, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=240)
    return done.returncode, done.stdout.splitlines()


def test_rules_agree(build):
    status, lines = play(build)
    assert status == 0, "\n".join(lines)
    agree = re.fullmatch(r"rules: (\d+) of (\d+) agree", lines[-2])
    assert agree and agree[1] == agree[2] and int(agree[2]) >= 12
    assert re.fullmatch(r"insertion: [\d.]+ M rules/s, deletion: [\d.]+ M rules/s", lines[-1])


def test_wrong_rule_shows(build):
    status, lines = play(build, "--sabotage")
    assert status == 1, "\n".join(lines)
    differ = [line for line in lines if "DIFFERS" in line]
    assert any(line.startswith("TLS") for line in differ), "\n".join(lines)
    assert len(differ) == 2, "\n".join(lines)
