#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""libsoftcx.so answers for rdma-core's two libraries: same functions, same version nodes.

usage: test_symbols.py LIBSOFTCX LIBIBVERBS LIBMLX5 [PROGRAM_OR_LIBRARY...]: what the last ones import is there too.
"""

import os
import re
import subprocess
import sys

# Interfaces between libibverbs and its providers, and conversions of rates that need no device.
NOT_OURS = re.compile(r"ibv_cmd_|ibv_copy_|ibv_register_driver|verbs_|__|_verbs|ibv_rate_to|mbps_to|mult_to|execute_ioctl|"
                      r"mlx5_fini|mlx5_init")


def symbols(path, defined):
    """{name: version} of the dynamic functions that path defines (by default) or imports."""
    found = {}
    text = subprocess.run(["readelf", "-W", "--dyn-syms", path], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        words = line.split()
        if len(words) < 8 or words[3] not in ("FUNC", "NOTYPE") or (words[6] != "UND") != defined:
            continue
        name, at, version = words[7].partition("@@" if defined else "@")
        if at:
            found[name] = version
    return found


def main():
    ours = symbols(sys.argv[1], True)
    failed = False
    for path in sys.argv[2:4]:
        real = {n: v for n, v in symbols(path, True).items() if "PRIVATE" not in v and not NOT_OURS.match(n)}
        wrong = {n: v for n, v in real.items() if ours.get(n) != v}
        for name, version in sorted(wrong.items()):
            print(f"{path}: {name}@@{version}: here {ours.get(name, 'missing')}")
        print(f"{os.path.basename(path)}: {len(real) - len(wrong)} of {len(real)} functions under the same version")
        failed |= bool(wrong) or not real
    for path in sys.argv[4:]:
        if not os.path.exists(path):
            continue
        wanted = {n: v for n, v in symbols(path, False).items() if v.startswith(("IBVERBS", "MLX5"))}
        wrong = sorted(n for n, v in wanted.items() if ours.get(n) != v)
        print(f"{os.path.basename(path)}: {len(wanted) - len(wrong)} of {len(wanted)} imports found" +
              (", missing: " + " ".join(wrong) if wrong else ""))
        failed |= bool(wrong)
    sys.exit(failed)


main()
