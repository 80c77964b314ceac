#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# prelink.sh OUT.a IN.a...: one object of all archives, with every symbol local but rte_pmd_mlx5hws_*, as an archive. So it
# links beside DPDK's own mlx5 driver, which also defines mlx5dr_* functions. Constructors need no name: take the archive
# whole (-Wl,--whole-archive).
set -eu
out=$1
shift
object=${out%.a}.o
${LD:-ld} -r -o "$object" --whole-archive "$@"
${OBJCOPY:-objcopy} --wildcard --keep-global-symbol='rte_pmd_mlx5hws_*' "$object"
rm -f "$out"
${AR:-ar} rcs "$out" "$object"
rm -f "$object"
