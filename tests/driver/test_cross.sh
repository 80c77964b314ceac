#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# test_cross.sh PROGRAM BUILD [packets=N] [seed=N] [only=RUN]: test_cross on three functions of softcx, the first two joined by a
# cable, the third one hearing itself. Doorbells are trapped while there are few packets, so that one that is forgotten shows.
set -eu
program=$1 build=$2
shift 2
[ "$(id -u)" = 0 ] || { echo "DPDK's mlx5 needs root (netdevs): not shown"; exit 77; }
preload=
case ${CHECK_DEEP_LINK:-} in
*thread*) exit 77 ;; # DPDK's mlx5 has threads that are not instrumented
*address*) # must come first; what DPDK's mlx5 leaks is its own
	preload="--preload $(gcc -print-file-name=libasan.so)"
	export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" ;;
esac
# shellcheck disable=SC2086
exec "$build/app/softcx-run" $preload --ports 3 --wire0 pair:1 --wire1 pair:0 --wire2 loop --uar "${CROSS_UAR:-trap}" -- \
	"$program" "$build/librte_net_mlx5hws.so" "$build/libsoftcx.so" "$@"
