#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# test_pmdinfo.sh PLUGIN: DPDK's own tool lists both drivers, and the PCI ids are those of the driver's table.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tool=$(command -v dpdk-pmdinfo.py || true)
[ -n "$tool" ] || { echo "dpdk-pmdinfo.py is not installed"; exit 77; }
listed=$(/usr/bin/python3 "$tool" "$1")
for name in net_mlx5hws net_softcx; do
	printf '%s' "$listed" | grep -q "\"name\": \"$name\"" || { echo "$name is not listed"; exit 1; }
done
wanted=$(sed -n 's/^[[:space:]]*D(0x\([0-9a-f]*\)).*/\1/p' "$here/../../drivers/net/mlx5hws/probe_pci.c" | sort)
got=$(printf '%s\n' "$listed" | sed -n 's/.*"device": "\([0-9a-f]*\)".*/\1/p' | sort)
[ -n "$wanted" ] && [ "$wanted" = "$got" ] || { echo "ids differ: table $wanted, listed $got"; exit 1; }
echo "$(printf '%s\n' "$got" | wc -l) ids listed"
