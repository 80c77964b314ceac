#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""doc/softcx.md: its table is what softcx-run --settings prints; its program builds and does what is said of it.

usage: test_doc.py DOC SOFTCX_RUN LIBSOFTCX INCLUDE_DIR CC
"""

import os
import re
import subprocess
import sys
import tempfile

if "CHECK_DEEP_LINK" in os.environ:
    # Neither softcx-run nor the program of the document is built with a sanitizer.
    sys.exit(77)
DOC, RUN, LIB, INCLUDE, CC = sys.argv[1:6]


def printed_settings():
    out = subprocess.run([sys.executable, RUN, "--lib", LIB, "--settings"], capture_output=True, text=True, timeout=30,
                         check=True).stdout.splitlines()
    for first, second in zip(out[::2], out[1::2]):
        default, allowed = second.strip().removeprefix("default ").split("; ", 1)
        yield first[:14].strip(), default, allowed, first[15:]


def documented_settings(text):
    for line in text.splitlines():
        if line.startswith("| `") and line.count(" | ") == 3:
            key, default, allowed, meaning = line.strip("| ").replace("\\|", "/").split(" | ")
            yield key.strip("`"), default, allowed.replace("/", "|"), meaning


def run_program(text, folder):
    program = os.path.join(folder, "program")
    with open(program + ".c", "w", encoding="ascii") as f:
        f.write(re.search(r"```c\n(.*?)```", text, re.S).group(1))
    subprocess.run([CC, "-Wall", "-Werror", "-I" + INCLUDE, program + ".c", LIB, "-Wl,-rpath," + os.path.dirname(LIB),
                    "-o", program], check=True, timeout=60)
    return subprocess.run([program], capture_output=True, text=True, timeout=30, check=True).stdout


def main():
    with open(DOC, encoding="utf-8") as f:
        text = f.read()
    printed, documented = list(printed_settings()), list(documented_settings(text))
    bad = [row for row in printed if row not in documented] + [row for row in documented if row not in printed]
    for row in bad:
        print("NOT in both, table and program:", row)
    with tempfile.TemporaryDirectory() as folder:
        out = run_program(text, folder)
    print(out)
    for line in ("counter 1: made", "counter 2: refused", "counter 3: made", "a step: 0 units of work, 500 ns",
                 "left behind: 1"):
        if line not in out.splitlines():
            bad.append(line)
            print("NOT printed:", line)
    for name in ("pd", "mkey", "flow_counter"):
        if not re.search(rf"^{name} +1 objects", out, re.M):
            bad.append(name)
            print("NOT in the census:", name)
    sys.exit(len(bad) != 0 or not printed)


main()
