#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# check-deep.sh: what takes too long for every change.
#
#   devtools/check-deep.sh [--build DIR] [--out DIR] [--only LIST] [--fuzz SECONDS] [--quick]
#
# Parts (--only takes a comma list of them):
#
#   asan       unit tests with AddressSanitizer, UndefinedBehaviorSanitizer and leak detection
#   functional the functional suite the same way (leaks cannot be told there: stock programs are not instrumented)
#   tsan       unit tests and the threaded proofs with ThreadSanitizer, without a suppression
#   valgrind   uninitialised values, in the tests of hws, softcx and flow
#   long       tests/prove at full length: a million rules ten times, exactly once, the naive twin, threads; ten million packets through
#              every way to send, ten million between our driver and DPDK's mlx5 (about 4 minutes)
#   fuzz       tests/fuzz with libFuzzer, --fuzz seconds each (60)
#
# --build: a finished plain build, set-up is left out. --out: where the instrumented builds and the logs go (build/deep).
# --quick: everything short, to see that the parts work. Root, for the functional part and for what is installed.
# Last line: `N passed, N failed, N skipped`; exit status 1 when something failed.
set -uo pipefail
cd "$(dirname "$0")/.."

build= out= only=asan,functional,tsan,valgrind,long,fuzz fuzz=60 quick=
while [[ $# -gt 0 ]]; do
	case $1 in
	--build) build=$(realpath "$2"); shift 2 ;;
	--out) out=$2; shift 2 ;;
	--only) only=$2; shift 2 ;;
	--fuzz) fuzz=$2; shift 2 ;;
	--quick) quick=1; fuzz=5; shift ;;
	*) sed -n '5,22s/^# \{0,1\}//p' "$0"; exit 2 ;;
	esac
done
results=()
step() { printf '\n== %s (%d s)\n' "$1" "$SECONDS"; }
wanted() { [[ ,$only, == *,$1,* ]]; }
part() { # NAME COMMAND...: one test with an exit status; its words go to a file, the last ones to the screen
	local name=$1 log=$out/${1// /-}.log status
	shift
	"$@" >"$log" 2>&1
	status=$?
	printf '%s: %s\n' "$name" "$(grep -v '^$' "$log" | tail -n 1 | cut -c 1-200)"
	if [[ $status -ne 0 ]]; then
		grep -E -A12 'ERROR: |WARNING: Thread|runtime error' "$log" | head -n 40
		printf '%s: exit status %d, all of it in %s\n' "$name" "$status" "$log"
	fi
	results+=("part:$name:$status")
}
configured() { # DIR OPTION...: a build folder with these options
	local dir=$1
	shift
	[[ -f $dir/build.ninja ]] || meson setup "$dir" . ${sdk:+-Ddpdk_sdk="$sdk"} "$@" >"$out/${dir##*/}-setup.log" 2>&1
}
built() { # DIR [TARGET...]
	if ! ninja -C "$1" "${@:2}" >"$out/${1##*/}-build.log" 2>&1; then
		tail -n 20 "$out/${1##*/}-build.log"
		results+=("part:build ${1##*/}:1")
		return 1
	fi
}
tests() { # DIR MESON-ARGUMENT...: unit tests of a build
	rm -f "$1/meson-logs/testlog.json"
	meson test -C "$1" --no-rebuild --print-errorlogs --timeout-multiplier 10 "${@:2}" | grep -vE ' OK |^$' | cut -c 1-200
	cp "$1/meson-logs/testlog.json" "$out/${1##*/}-tests.json" 2>/dev/null
	results+=("meson:$out/${1##*/}-tests.json")
}

if [[ -z $build ]]; then
	step "set-up"
	if ! devtools/setup.sh; then
		devtools/tally "part:set-up and build:1"
		exit 1
	fi
	build=$PWD/build
fi
out=${out:-$build/deep}
mkdir -p "$out" || exit 1
out=$(realpath "$out")
sdk=
for folder in "$build/sdk" build/sdk; do
	[[ -f $folder/ethdev_driver.h ]] && sdk=$(realpath "$folder") && break
done
plugin=$build/librte_net_mlx5hws.so softcx=$build/libsoftcx.so

need=()
wanted fuzz && ! command -v clang >/dev/null && need+=(clang)
wanted fuzz && ! ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-x86_64.a >/dev/null 2>&1 && need+=(libclang-rt-dev)
wanted valgrind && ! command -v valgrind >/dev/null && need+=(valgrind)
if [[ ${#need[@]} -gt 0 ]]; then
	step "install ${need[*]}"
	DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${need[@]}" >"$out/install.log" 2>&1 ||
		tail -n 5 "$out/install.log"
fi

# Nothing of ours: what EAL keeps for good (log_register of a static one), and what the loader reaches by thread-local storage.
cat >"$out/lsan.supp" <<-EOS
	leak:librte_
	leak:log_register
	leak:_dl_map_object_deps
	leak:add_name_to_object
EOS
ubsan=halt_on_error=1:print_stacktrace=1

if wanted asan || wanted functional; then
	step "build for AddressSanitizer and UndefinedBehaviorSanitizer"
	configured "$out/asan" -Db_sanitize=address,undefined -Db_lundef=false && built "$out/asan"
	asan_built=$?
fi
if wanted asan && [[ $asan_built -eq 0 ]]; then
	step "unit tests with AddressSanitizer"
	# The trapped doorbell is a SIGSEGV of ours. gcc's leak check stumbles over thread-local storage of libraries that are loaded
	# while threads run (use_tls).
	ASAN_OPTIONS=detect_leaks=1:handle_segv=0:allow_user_segv_handler=1 UBSAN_OPTIONS=$ubsan \
		LSAN_OPTIONS=use_tls=0:suppressions=$out/lsan.supp:print_suppressions=0 CHECK_DEEP_LINK=-fsanitize=address,undefined \
		tests "$out/asan"
fi
if wanted functional && [[ $asan_built -eq 0 ]]; then
	step "functional tests with AddressSanitizer"
	rm -f "$out/functional.xml"
	LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" UBSAN_OPTIONS=$ubsan \
		ASAN_OPTIONS=detect_leaks=0:handle_segv=0:allow_user_segv_handler=1 PYTHONMALLOC=malloc \
		/usr/bin/python3 -B -m pytest tests/functional --build="$out/asan" --drivers=mlx5,hws-pci,hws-vdev \
		--models="$([[ $quick ]] && echo cx7 || echo cx7,cx6dx)" --every-model ${quick:+-k steer} -q --tb=short \
		--junitxml="$out/functional.xml" -o junit_logging=no
	results+=("junit:$out/functional.xml")
fi

if wanted tsan; then
	step "build for ThreadSanitizer"
	if configured "$out/tsan" -Db_sanitize=thread -Db_lundef=false && built "$out/tsan"; then
		step "unit tests with ThreadSanitizer"
		export TSAN_OPTIONS=halt_on_error=0:exitcode=66
		CHECK_DEEP_LINK=-fsanitize=thread tests "$out/tsan"
		step "threaded proofs with ThreadSanitizer"
		p=("$out/tsan/librte_net_mlx5hws.so" "$out/tsan/libsoftcx.so")
		part "tsan threads" timeout 600 "$out/tsan/tests/prove/prove_threads" "${p[@]}" seconds=$([[ $quick ]] && echo 4 || echo 60)
		part "tsan once" timeout 600 "$out/tsan/tests/prove/prove_once" "${p[@]}" runs=$([[ $quick ]] && echo 20 || echo 200)
		part "tsan twin" timeout 600 "$out/tsan/tests/prove/prove_twin" "${p[@]}" runs=8
		LIBSOFTCX=$out/tsan/libsoftcx.so part "tsan twin with updates" timeout 600 "$out/tsan/tests/hws/twin_hws" \
			rules=50000 ops=100000
		unset TSAN_OPTIONS
	fi
fi

if wanted valgrind; then
	step "valgrind"
	v=(valgrind -q --error-exitcode=99 --child-silent-after-fork=yes)
	for name in hws/test_hws_definer hws/test_hws_program hws/test_hws_rule hws/test_hws_packet softcx/nic/test_softcx_nic_send \
		softcx/nic/test_softcx_nic_receive softcx/steer/test_softcx_steer_walk softcx/steer/test_softcx_steer_twin; do
		[[ -x $build/tests/$name ]] || { results+=("part:valgrind $name is not built:1"); continue; }
		LIBSOFTCX=$softcx part "valgrind ${name##*/}" timeout 600 "${v[@]}" "$build/tests/$name"
	done
fi

if wanted long; then
	step "long runs"
	prove=$build/tests/prove
	part "mass" timeout 1200 "$prove/prove_mass" "$plugin" "$softcx" ${quick:+rules=100000 rounds=3}
	part "mass, one queue" timeout 1200 "$prove/prove_mass" "$plugin" "$softcx" queues=1 rules=300000 rounds=3
	part "once" timeout 2400 "$prove/prove_once" "$plugin" "$softcx" runs=$([[ $quick ]] && echo 50 || echo 1000)
	part "once, silent queues" timeout 600 "$prove/prove_once" "$plugin" "$softcx" runs=$([[ $quick ]] && echo 2 || echo 20) silent=100
	# Under poll the doorbells cost nothing; trapped, as the unit test has them, each is 17 us.
	CROSS_UAR=poll part "cross" timeout 3600 tests/driver/test_cross.sh "$build/tests/driver/test_driver_cross" "$build" \
		packets=$([[ $quick ]] && echo 200000 || echo 10000000)
	part "twin" timeout 1200 "$prove/prove_twin" "$plugin" "$softcx" runs=$([[ $quick ]] && echo 8 || echo 200)
	LIBSOFTCX=$softcx part "twin with updates" timeout 1200 "$build/tests/hws/twin_hws" ${quick:+rules=100000 ops=100000}
	part "tx" timeout 3600 "$build/tests/driver/test_driver_tx" "$plugin" "$softcx" packets=$([[ $quick ]] && echo 200000 || echo 10000000)
	part "dpdk-test" timeout 7200 /usr/bin/python3 -B -m pytest tests/functional/test_dpdk_test.py --long -m long --build="$build" \
		--models="$([[ $quick ]] && echo cx7 || echo cx7,cx6dx)" ${quick:+--drivers=hws-vdev -k mode4} -q --tb=short
	part "threads" timeout 300 "$prove/prove_threads" "$plugin" "$softcx" seconds=$([[ $quick ]] && echo 4 || echo 60)
fi

if wanted fuzz; then
	step "build for libFuzzer"
	targets=(text frame capture device)
	if CC=clang configured "$out/fuzz" -Db_sanitize=address,undefined -Db_lundef=false -Dwerror=false \
		-Dc_args=-fsanitize=fuzzer-no-link && built "$out/fuzz" "${targets[@]/#/tests/fuzz/fuzz_}"; then
		step "fuzzing, $fuzz s each"
		for name in "${targets[@]}"; do
			program=$out/fuzz/tests/fuzz/fuzz_$name corpus=$out/corpus-$name
			mkdir -p "$corpus" "$out/found"
			# Objects that an input makes and a dead device keeps are the device target's own.
			leaks=$([[ $name == device ]] && echo 0 || echo 1)
			FUZZ_SAMPLES=$corpus "$program" -runs=0 >/dev/null 2>&1
			ASAN_OPTIONS=detect_leaks=$leaks:handle_segv=1 UBSAN_OPTIONS=$ubsan part "fuzz $name" timeout $((fuzz * 2 + 120)) \
				"$program" "$corpus" -max_total_time="$fuzz" -max_len=16384 -len_control=0 -rss_limit_mb=4000 -verbosity=1 \
				-print_final_stats=0 -artifact_prefix="$out/found/$name-"
		done
	fi
fi

step "result"
devtools/tally "${results[@]}"
