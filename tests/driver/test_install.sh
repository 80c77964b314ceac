#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# test_install.sh BUILD: `meson install` into an empty folder, then example.c built by nothing but pkg-config mlx5hws runs on
# a software port; so does stock testpmd with the installed plugin, and a program built by pkg-config softcx.
set -eu
# What is installed and linked is never built with a sanitizer.
[ -z "${CHECK_DEEP_LINK:-}" ] || exit 77
build=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "$build/install.XXXXXX")
trap 'rm -rf "$work"' EXIT
DESTDIR="$work/root" meson install -C "$build" --no-rebuild --quiet >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
pc=$(find "$work/root" -name mlx5hws.pc)
[ -n "$pc" ] || { echo "no mlx5hws.pc is installed"; exit 1; }
# The folder stands for /: only the file's own prefix moves, libdpdk stays where it is.
prefix=$(pkg-config --variable=prefix "$pc")
sed -i "s,^prefix=.*,prefix=$work/root$prefix," "$pc" "$(dirname "$pc")/softcx.pc"
# Also where a DPDK of his own needs them.
PKG_CONFIG_PATH=$(dirname "$pc")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
lib=$(pkg-config --variable=libdir mlx5hws)
cc $(pkg-config --cflags mlx5hws) -o "$work/example" "$here/example.c" $(pkg-config --libs mlx5hws)
eal="--no-huge -m 256 --no-pci --no-shconf --no-telemetry --lcores 0@0,1@0"
LD_LIBRARY_PATH="$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$work/example" $eal --vdev=net_softcx0,wire=loop | tee "$work/said"
grep -q "^port 0: net_softcx, [0-9]* Rx queues$" "$work/said"
plugin=$(pkg-config --variable=plugin mlx5hws)
echo quit | timeout 60 dpdk-testpmd $eal --file-prefix "install$$" -d "$plugin" --vdev=net_softcx0,wire=loop -- -i \
	--total-num-mbufs=2048 >"$work/testpmd" 2>&1 || { cat "$work/testpmd"; exit 1; }
grep -q "mlx5hws: port 0 is softcx0" "$work/testpmd"
"$work/root$prefix/bin/softcx-run" --lib "$lib/libsoftcx.so" --settings | grep -q "^ *wire" || { echo "the installed softcx-run does not run"; exit 1; }

# A program of softcx.h alone, in C and in C++.
cat >"$work/own.c" <<'END'
#include <softcx.h>

int
main(void)
{
	char error[256];
	int port = softcx_port_create("wire=loop,exec=stepped", error, sizeof(error));

	if (port < 0 || softcx_step(0) < 0 || softcx_port_destroy((unsigned int)port) != 0)
		return 1;
	puts("stepped");
	return 0;
}
END
cc -Wall -Werror $(pkg-config --cflags softcx) -o "$work/own" "$work/own.c" $(pkg-config --libs softcx)
[ "$(LD_LIBRARY_PATH="$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$work/own")" = stepped ] || { echo "a program of softcx.h does not run"; exit 1; }
if command -v c++ >/dev/null; then
	c++ -x c++ -Wall -Werror -fsyntax-only $(pkg-config --cflags softcx) "$work/own.c"
fi
