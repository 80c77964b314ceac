# SPDX-License-Identifier: BSD-3-Clause
"""The tables of harness/peer.py: each row names a test that exists, and a difference says what and why."""

import glob
import os
import re

from harness.dut import DRIVERS
from harness.peer import DIFFERS, HANGS, LEAVES, REFUSES, RINGS


def test_rows():
    here = os.path.dirname(os.path.abspath(__file__))
    tests = set()
    for path in glob.glob(os.path.join(here, "test_*.py")):
        with open(path, encoding="utf-8") as f:
            tests |= set(re.findall(r"^def (test_\w+)", f.read(), re.M))
    for table in (REFUSES, DIFFERS, HANGS, LEAVES, RINGS):
        assert table.keys() == DRIVERS.keys()
    for table in (REFUSES, DIFFERS, HANGS):
        named = {row.partition("[")[0] for rows in table.values() for row in rows}
        assert named <= tests, named - tests
    for difference in (d for rows in DIFFERS.values() for d in rows.values()):
        re.compile(difference.shows)
        assert difference.does and difference.why
