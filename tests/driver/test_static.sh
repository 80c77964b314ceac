#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# test_static.sh ARCHIVE: a program linked statically with DPDK (its mlx5 driver among it) and with ours registers both
# drivers, and ours runs. Debian's archive also defines mlx5dr_* functions: the link is the test of our symbols.
# CHECK_DEEP_LINK: how the archive wants to be linked where it was built with a sanitizer.
set -eu
archive=$1
build=$(dirname "$archive")
work=$(mktemp -d "$build/static.XXXXXX")
trap 'rm -rf "$work"' EXIT
cat >"$work/both.c" <<'PROGRAM'
#include <stdio.h>
#include <rte_bus_vdev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>

int
main(int argc, char **argv)
{
	struct rte_eth_dev_info info;

	if (rte_eal_init(argc, argv) < 0 || rte_eth_dev_count_avail() != 1 || rte_eth_dev_info_get(0, &info) != 0)
		return 1;
	printf("port 0: %s\n", info.driver_name);
	return rte_eth_dev_close(0) != 0 || rte_eal_cleanup() != 0;
}
PROGRAM
# Libraries that only the static list names and whose development files may be missing are not needed by what we use.
libs=$(pkg-config --static --libs libdpdk | tr ' ' '\n' | grep -vx -e '-lsystemd' | tr '\n' ' ')
cc ${CHECK_DEEP_LINK:-} $(pkg-config --cflags libdpdk) -o "$work/both" "$work/both.c" \
	-Wl,--whole-archive "$archive" -Wl,--no-whole-archive $libs -ldl -lpthread -rdynamic
nm "$work/both" | grep -q ' [tT] mlx5dr_context_open$' || { echo "no mlx5dr_ function in the program"; exit 1; }
strings "$work/both" | grep -q '^mlx5_pci$' || { echo "DPDK's mlx5 driver is not in the program"; exit 1; }
cp "$build/libsoftcx.so" "$work/" # beside the program, where the driver looks
"$work/both" --no-huge -m 64 --no-pci --no-shconf -l 0 --vdev=net_softcx0,wire=loop
