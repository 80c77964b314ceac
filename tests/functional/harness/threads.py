# SPDX-License-Identifier: BSD-3-Clause
"""The threads of a program that the suite started, as /proc shows them."""

import glob
from typing import NamedTuple


class Thread(NamedTuple):
    name: str
    state: str  # R: runs, S: sleeps...
    cpus: str   # where it may run: "0-3"


def family(pid):
    """The process and all below it."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [pid] + [p for child in f.read().split() for p in family(int(child))]


def threads(pid):
    """Of the program and its launcher."""
    found = []
    for task in (t for p in family(pid) for t in glob.glob(f"/proc/{p}/task/*")):
        with open(task + "/status", encoding="ascii") as f:
            fields = dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
        found.append(Thread(fields["Name"], fields["State"][0], fields["Cpus_allowed_list"]))
    return found
