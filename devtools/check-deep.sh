#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# check-deep.sh: what takes too long for every change: sanitizers.
#
#   devtools/check-deep.sh [--keep]
#
# Address and undefined-behaviour sanitizer over unit and functional tests, thread sanitizer over the unit tests of hca,
# hws and softcx, in build folders of their own under build/ (--keep: they stay). Call devtools/setup.sh before. Last line:
# `deep: N passed, N failed, N skipped`; exit status 1 when something failed.
set -uo pipefail
cd "$(dirname "$0")/.."

keep=
[[ ${1:-} == --keep ]] && keep=1
step() { printf '\n== %s (%d s)\n' "$1" "$SECONDS"; }
runtime() { gcc -print-file-name="$1"; }

# configure and build build/NAME with a sanitizer. The DPDK headers that set-up fetched are in build/sdk.
build() {
	local name=$1 sanitize=$2
	[[ -f build/$name/build.ninja ]] || meson setup "build/$name" -Db_sanitize="$sanitize" -Db_lundef=false \
		-Ddpdk_sdk="$PWD/build/sdk" >"build/$name.log" || { cat "build/$name.log"; return 1; }
	ninja -C "build/$name"
}

words=()
# gcc's leak check stumbles over thread-local storage of libraries that are loaded while threads run
export LSAN_OPTIONS=use_tls=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

step "address and undefined-behaviour sanitizer: unit tests"
if build asan address,undefined; then
	meson test -C build/asan --no-rebuild --print-errorlogs --timeout-multiplier 4
	words+=("meson:build/asan/meson-logs/testlog.json")

	step "address and undefined-behaviour sanitizer: functional tests"
	# testpmd is not built with it: the runtime comes first. Leaks of EAL itself are none of ours; softcx's census counts.
	LD_PRELOAD="$(runtime libasan.so) $(runtime libubsan.so)" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
		/usr/bin/python3 -B -m pytest tests/functional --build=build/asan -q --tb=short --junitxml=build/asan/functional.xml \
		-o junit_logging=no
	words+=("junit:build/asan/functional.xml")
else
	words+=("part:build with address sanitizer:1")
fi

step "thread sanitizer: unit tests of hca, hws, softcx"
if build tsan thread; then
	mapfile -t tests < <(meson test -C build/tsan --no-rebuild --list 2>/dev/null | sed 's/.* \/ //' | grep -E '^(hca|hws|softcx)')
	TSAN_OPTIONS=halt_on_error=1 meson test -C build/tsan --no-rebuild --print-errorlogs --timeout-multiplier 8 "${tests[@]}"
	words+=("meson:build/tsan/meson-logs/testlog.json")
else
	words+=("part:build with thread sanitizer:1")
fi

step "result"
result=$(devtools/tally "${words[@]}")
status=$?
sed '$s/^/deep: /' <<<"$result"
[[ -n $keep ]] || rm -rf build/asan build/tsan
exit "$status"
