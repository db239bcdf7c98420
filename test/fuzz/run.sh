#!/usr/bin/env bash
# `npm run fuzz -- TARGET --minutes N --runs N --fresh`: runs a target of this folder with libFuzzer from its stored corpus, for a minute or as
# long as you say, and no more executions than you say. What it finds new lies in build/fuzz/corpus/TARGET; with --keep the smallest set of inputs that reaches as much is stored.
# `npm run fuzz -- TARGET FILE`: runs it over one input, as one that was found. --fresh: nothing is kept from one input to the next (target.h).
# Needs clang with its runtime, which set-up installs.
set -euo pipefail
cd "$(dirname "$0")/../.."
targets=$(sed -nE 's/^trilane_fuzz\(([a-z0-9_]+) .*/\1/p' test/fuzz/CMakeLists.txt | xargs)
fail() { echo "fuzz: $1" >&2 && exit 2; }
target=${1:-}
# Those in TypeScript.
parsers=$(sed -nE 's/^  ([a-z_]+): .*/\1/p' test/fuzz/parsers/targets.ts | xargs)
if [[ " $parsers " == *" $target "* && -n $target ]]; then
  exec node_modules/.bin/node --disable-warning=ExperimentalWarning test/fuzz/parsers/main.ts "$@"
fi
[[ " $targets " == *" $target "* && -n $target ]] || fail "name a target: $targets $parsers"
shift
minutes=1 keep='' runs=-1 file=''
while [ $# -gt 0 ]; do
  case $1 in
    --minutes) minutes=${2:-} && shift 2 || fail "--minutes takes a number" ;;
    --runs) runs=${2:-} && shift 2 || fail "--runs takes a number" ;;
    --keep) keep=yes && shift ;;
    --fresh) export TRILANE_FUZZ_FRESH=1 && shift ;;
    *) [ -f "$1" ] || fail "$1 is not known: --minutes N, --runs N, --keep, --fresh, or an input's file" && file=$1 && shift ;;
  esac
done
[[ $minutes =~ ^[0-9]{1,5}$ && $runs =~ ^(-1|[0-9]{1,12})$ ]] || fail "--minutes and --runs take whole numbers"
clang=$(compgen -c | grep -E '^clang(-[0-9]+)?$' | sort -uV | tail -n 1) || fail "there is no clang: install clang and libclang-rt-dev"

build=build/fuzz
quic=$(bash cli/install/quic_folder.sh)
bash cli/install/generate.sh
mkdir -p $build
[ -f $build/build.ninja ] || CC=$clang cmake -S native-host -B $build -G Ninja -DTRILANE_QUIC="$quic" -DTRILANE_FUZZER=ON >$build/cmake.log ||
  fail "cannot be configured: see $build/cmake.log"
ninja -C $build "fuzz_$target" >$build/ninja.log || fail "cannot be built: see $build/ninja.log"
new=$build/corpus/$target stored=test/fuzz/corpus/$target
mkdir -p "$new" "$stored"
program=$(find $build -type f -name "fuzz_$target" | head -n 1)
# Half the time went to what names an allocation, and to the search for leaks after inputs: what leaks is found at the end.
export ASAN_OPTIONS=${ASAN_OPTIONS:-malloc_context_size=2:quarantine_size_mb=16}
[ -z "$file" ] || exec env TRILANE_FUZZ_FRESH=1 "$program" -timeout=20 -rss_limit_mb=1024 "$file"
[ "$minutes" -eq 0 ] || "$program" -max_total_time=$((minutes * 60)) -runs="$runs" -max_len=4096 -timeout=20 -rss_limit_mb=1024 \
  -detect_leaks=0 -print_final_stats=1 -artifact_prefix="$build/$target-" "$new" "$stored"
[ -z "$keep" ] || { rm -rf "$stored.kept" && mkdir "$stored.kept" && "$program" -merge=1 -max_len=4096 "$stored.kept" "$new" "$stored" && rm -rf "$stored" && mv "$stored.kept" "$stored"; }
