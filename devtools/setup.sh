#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# setup.sh: everything from a fresh Debian machine to a finished build in build/.
#
#   devtools/setup.sh [--no-build]
#
# Installs Debian packages, fetches the driver SDK headers that belong to the installed libdpdk where its package lacks
# them, configures and builds with meson. Runs again at no cost. Not root: says what root has to install.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(gcc libc6-dev meson ninja-build pkg-config dpdk dpdk-dev libdpdk-dev libibverbs-dev ibverbs-providers
	libpcap-dev libcmocka-dev python3-pytest python3-scapy python3-pyelftools tcpdump iproute2 ethtool
	util-linux xz-utils dpkg-dev valgrind linux-headers-generic-for-mlx5)
say() { printf 'setup: %s\n' "$*" >&2; }

# The kernel's public header linux/mlx5/mlx5_ifc.h (a witness of our layouts) comes with any linux-headers-*-common.
kernel_headers() {
	apt-cache depends linux-headers-"$(dpkg --print-architecture)" 2>/dev/null |
		sed -n 's/.*Depends: *\(linux-headers-[0-9].*\)/\1/p' | head -1 |
		xargs -r apt-cache depends 2>/dev/null | sed -n 's/.*Depends: *\(linux-headers-.*-common\)/\1/p' | head -1
}

missing() {
	local p
	for p in "$@"; do
		dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q '^install ok installed' || printf '%s\n' "$p"
	done
}

install_packages() {
	local want=("${packages[@]/linux-headers-generic-for-mlx5/}") lacking
	mapfile -t lacking < <(missing ${want[@]})
	local have_ifc
	have_ifc=$(ls /usr/src/linux-headers-*-common/include/linux/mlx5/mlx5_ifc.h 2>/dev/null | head -1 || true)
	[[ ${#lacking[@]} == 0 && -n $have_ifc ]] && return
	if [[ $(id -u) != 0 ]]; then
		say "not root. As root: apt-get install ${lacking[*]} and, for one test, linux-headers-*-common"
		[[ ${#lacking[@]} == 0 ]] && return
		exit 1
	fi
	say "installing packages"
	apt-get update -qq
	[[ -n $have_ifc ]] || lacking+=("$(kernel_headers)")
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${lacking[@]}" >/dev/null
}

# The release a folder of headers belongs to must be the one installed: layouts differ between releases.
dpdk_version() { pkg-config --modversion libdpdk; }

fetch_sdk() {
	local version sdk=build/sdk include work source
	version=$(dpdk_version)
	include=$(pkg-config --variable=includedir libdpdk)
	[[ -f $include/dpdk/ethdev_driver.h || -f $include/ethdev_driver.h ]] && return
	[[ -f $sdk/version && $(<"$sdk/version") == "$version" ]] && return
	[[ $(id -u) == 0 ]] || say "not root: fetching the source package as a user"
	say "fetching the driver SDK headers of DPDK $version"
	source=$(dpkg-query -W -f='${source:Version}' libdpdk-dev)
	work=$(mktemp -d)
	trap 'rm -rf "$work"' RETURN
	mkdir -p "$work/lists/partial" "$work/parts"
	# deb-src lines out of the machine's own binary sources: same mirrors, same keys
	apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk '$2 ~ /^[a-z]+(-updates|-security)?$/ { print "deb-src", $0 }' |
		sort -u >"$work/sources.list"
	local apt=(-o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts="$work/parts"
		-o Dir::State::Lists="$work/lists" -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache=
		-o APT::Sandbox::User=root)
	apt-get "${apt[@]}" update -qq
	(cd "$work" && apt-get "${apt[@]}" source -qq --download-only "dpdk=$source")
	mkdir -p "$sdk"
	tar -xf "$work"/dpdk_*.orig.tar.* -C "$sdk" --wildcards --transform='s,.*/,,' \
		'*/lib/ethdev/ethdev_driver.h' '*/lib/ethdev/ethdev_vdev.h' '*/lib/ethdev/ethdev_pci.h' \
		'*/lib/eal/include/dev_driver.h' '*/lib/eal/include/bus_driver.h' \
		'*/drivers/bus/vdev/bus_vdev_driver.h' '*/drivers/bus/pci/bus_pci_driver.h' \
		'*/drivers/bus/auxiliary/bus_auxiliary_driver.h'
	printf '%s\n' "$version" >"$sdk/version"
}

install_packages
mkdir -p build
fetch_sdk
[[ ${1:-} == --no-build ]] && exit 0
[[ -f build/build.ninja ]] || meson setup build >build/setup.log || { cat build/setup.log >&2; exit 1; }
ninja -C build
