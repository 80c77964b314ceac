#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# test.sh: set up this machine, build, and run all tests.
#
#   devtools/test.sh [--build DIR] [--drivers LIST] [--models LIST]
#
# Needs root (taps) for the functional suite; where it cannot run it fails, it does not skip. With --build the set-up is
# left out and the given build folder, built by whoever gives it, is tested. --drivers and --models choose what the
# functional suite runs (all). Last line: `N passed, N failed, N skipped`, over everything; exit status 1 when
# something failed.
set -uo pipefail
cd "$(dirname "$0")/.."

build= drivers=mlx5,hws-pci,hws-vdev models=cx7,cx6dx
while [[ $# -gt 0 ]]; do
	case $1 in
	--build) build=$2; shift 2 ;;
	--drivers) drivers=$2; shift 2 ;;
	--models) models=$2; shift 2 ;;
	--help) sed -n '5,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
	*) echo "test.sh: $1 is not an option (--help lists them)" >&2; exit 2 ;;
	esac
done
step() { printf '\n== %s (%d s)\n' "$1" "$SECONDS"; }

if [[ -z $build ]]; then
	step "set-up"
	build=build
	if ! devtools/setup.sh; then
		devtools/tally "part:set-up and build:1"
		exit 1
	fi
fi

step "layers"
devtools/check-layers
layers=$?

step "unit tests"
rm -f "$build/meson-logs/testlog.json"
meson test -C "$build" --no-rebuild --print-errorlogs

step "functional tests: $drivers on $models"
rm -f "$build/functional.xml"
/usr/bin/python3 -B -m pytest tests/functional --build="$build" --drivers="$drivers" --models="$models" -q --tb=short \
	--junitxml="$build/functional.xml" -o junit_logging=no

step "result"
devtools/tally "part:check-layers:$layers" "meson:$build/meson-logs/testlog.json" "junit:$build/functional.xml"
