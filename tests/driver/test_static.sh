#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# test_static.sh ARCHIVE: a program (both.c) linked statically with DPDK, its mlx5 driver among it, and with ours runs with
# both: ours on a virtual device; then a port of each driver under softcx-run, where rules go in and frames cross. Debian's
# archive also defines mlx5dr_* functions: the link is the test of our symbols.
set -eu
# What is installed and linked is never built with a sanitizer.
[ -z "${CHECK_DEEP_LINK:-}" ] || exit 77
archive=$1
build=$(dirname "$archive")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "$build/static.XXXXXX")
trap 'rm -rf "$work"' EXIT
# Libraries that only the static list names and whose development files may be missing are not needed by what we use.
libs=$(pkg-config --static --libs libdpdk | tr ' ' '\n' | grep -vx -e '-lsystemd' | tr '\n' ' ')
cc -DALLOW_EXPERIMENTAL_API $(pkg-config --cflags libdpdk) -o "$work/both" "$here/both.c" \
	-Wl,--whole-archive "$archive" -Wl,--no-whole-archive $libs -ldl -lpthread -rdynamic
nm "$work/both" | grep -q ' [tT] mlx5dr_context_open$' || { echo "no mlx5dr_ function in the program"; exit 1; }
strings "$work/both" | grep -q '^mlx5_pci$' || { echo "DPDK's mlx5 driver is not in the program"; exit 1; }
cp "$build/libsoftcx.so" "$work/" # beside the program, where the driver looks
eal="--no-huge -m 256 --no-shconf -l 0"
"$work/both" $eal --no-pci --vdev=net_softcx0,wire=loop

[ "$(id -u)" = 0 ] || { echo "both ports at once need root (netdevs for DPDK's mlx5): not shown"; exit 0; }
"$build/app/softcx-run" --ports 2 --wire pair:1 --wire1 pair:0 -- \
	"$work/both" $eal -a 0000:51:00.0,dv_flow_en=2 -a 0000:51:00.1,pmd=mlx5hws | tee "$work/said"
for line in "port 0: mlx5_pci" "port 1: net_mlx5hws" "port 0: rule inserted" "port 1: rule inserted" \
	"port 0 to 1: 100 of 100 frames" "port 1 to 0: 100 of 100 frames"; do
	grep -qx "$line" "$work/said" || { echo "not said: $line"; exit 1; }
done
