#!/usr/bin/env bash
# run.sh [PART...]: tests, after set-up: all parts, or those named.
# Each part runs even where an earlier one failed; the exit status is 1 if any did. The closing line counts them.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/node_modules/.bin:$PATH
# What tests compile of our sources, and what they start: as cli/main.ts keeps it.
export NODE_COMPILE_CACHE=$PWD/build/compile-cache
part_failed=()
# Why tests were skipped, or inconclusive, a line for each.
skipped=$(mktemp)
# What tests of time waited for a calm machine, over all of them (calm_machine.ts, test/native/timing.sh).
export TRILANE_TEST_WAITS=$(mktemp)
# End-to-end files that passed whole, a line each.
passed=$(mktemp)
# Those that failed, a line each.
failed=$(mktemp)
# C tests that failed, a line each.
failed_natives=$(mktemp)
# What each file took (bounded.ts).
export TRILANE_TEST_TIMES=$PWD/build/test-times.tsv
mkdir -p build && : >"$TRILANE_TEST_TIMES"
# What tests write is in memory if that has room and takes programs: recordings and results are written through to the disk, which
# most tests would only wait for.
memory=
if [ "$(df --output=fstype /dev/shm 2>/dev/null | tail -n 1)" = tmpfs ] && [ "$(df --output=avail -k /dev/shm | tail -n 1)" -ge 4000000 ] &&
  ! findmnt -no OPTIONS -T /dev/shm | grep -qw noexec; then
  # As /tmp is: some tests act as another user.
  memory=$(mktemp -d /dev/shm/trilane-test-XXXX) && chmod 1777 "$memory" && export TMPDIR=$memory
fi
trap 'rm -rf "$skipped" "$passed" "$failed" "$failed_natives" "$TRILANE_TEST_WAITS" ${memory:+"$memory"}' EXIT
say() { printf '\ntest: %s\n' "$*" >&2; }
# CI ends everything, set-up included, after 90 minutes, and who is ended cannot tell why. These leave 20 for set-up on a new machine.
all_s=4200
# within SECONDS COMMAND...: ended after so long, or when the time for all tests is over. 124: it was.
within() {
  local limit=$1 left=$((all_s - SECONDS)) status
  shift
  [ "$limit" -le "$left" ] || limit=$((left > 1 ? left : 1))
  timeout --foreground --kill-after=30 "$limit" "$@"
  status=$?
  # Killed, it is 137.
  [ $status -eq 124 ] || [ $status -eq 137 ] || return $status
  say "not ended within $limit s: what was still to come did not run"
  return 124
}
parts=(checks c timing units slow e2e wide)
took=()
run() { # run PART NAME COMMAND...: if the part is wanted
  local part=$1 started=$SECONDS name=$2
  shift 2
  [[ " ${wanted[*]} " == *" $part "* ]] || return 0
  say "$name"
  if "$@"; then say "$name: passed ($((SECONDS - started)) s)"; else
    part_failed+=("$name")
    say "$name: FAILED ($((SECONDS - started)) s)"
  fi
  took+=("$part $((SECONDS - started)) s")
}

sanitized() {
  within 1200 bash cli/install/native.sh --sanitize && in_sanitize "$@"
}
in_sanitize() {
  local status=0
  rm -f build/sanitize/Testing/Temporary/LastTestsFailed.log
  within 1200 ctest --test-dir build/sanitize --output-on-failure --no-tests=error "$@" || status=1
  # The closing line names them, as the rest of this output may be cut.
  [ $status -eq 0 ] || sed 's/^[0-9]*://' build/sanitize/Testing/Temporary/LastTestsFailed.log >>"$failed_natives" 2>/dev/null
  # test/native/needs.h
  sed -n -e 's/^skipped: //p' -e '/^inconclusive: /p' build/sanitize/Testing/Temporary/LastTest.log >>"$skipped"
  return $status
}
# node_test SECONDS AT-ONCE FILE...: in this order. A test that does not end fails, its file is ended, and the whole, should that
# not help. Files that failed are added to $failed, those that passed whole to $passed.
node_test() {
  local limit=$1 at_once=$2 status reports
  shift 2
  reports=$(mktemp -d) || return
  within "$limit" node --disable-warning=ExperimentalWarning --import ./test/bounded.ts test/run_files.ts "$at_once" 420000 480000 \
    "test/skipped.ts=$reports/skipped" "test/failed_files.ts=$reports/failed" "test/passed_files.ts=$reports/passed" -- "$@"
  status=$?
  cat "$reports/skipped" >>"$skipped"
  cat "$reports/failed" >>"$failed"
  cat "$reports/passed" >>"$passed"
  rm -r "$reports"
  return $status
}
# Files that end with a NUL, a line each: what takes long is seldom small, and begins before the rest, so that no CPU waits at the end.
largest_first() { xargs -0 -r ls -S --; }
# By itself node leaves a CPU free, which on two is half of them. Two more than CPUs, as some wait. Most files share processes.
units() {
  mapfile -t files < <(find test -name '*.test.ts' -not -name '*.slow.test.ts' -not -path 'test/e2e/*' -print0 | largest_first)
  mapfile -t files < <(node --disable-warning=ExperimentalWarning test/together.ts build/test-together $((5 * $(nproc))) "${files[@]}")
  TRILANE_FUZZ_SEEDS=${TRILANE_FUZZ_SEEDS:-25} node_test 1500 "$(($(nproc) + 2))" "${files[@]}"
}
# Of some files only those of which something changed since they passed run (wide.ts).
changed() { node --disable-warning=ExperimentalWarning test/wide.ts "$@"; }
# Units that compute for seconds, as those of statistics' error rates and of mutated input, of which `units` takes little, and
# those of set-up and of the tests' own runner, which few changes touch: not in `npm run test:unit`.
slow() {
  local status=0
  sanitized -L slow -j "$(nproc)" || status=1
  mapfile -t files < <({
    grep -rL --include='*.slow.test.ts' '^// Wide: ' test
    grep -rl --include='*.test.ts' TRILANE_FUZZ_SEEDS test
    changed due slow
  } | sort)
  node_test 1500 "$(nproc)" "${files[@]}" || status=1
  changed passed "$passed" || status=1
  return $status
}
# Takes the files of standard input from those that passed. grep ends with 1 if no other is left, with 2 if it failed.
not_passed() {
  grep -vxF -f - "$passed" >"$passed.whole"
  [ $? -le 1 ] && mv "$passed.whole" "$passed"
}
# Two more than CPUs at a time, as they wait for links and browsers, those whose opening comment says "Beside others:": nothing in
# them goes by how fast the machine is, in some of them but for tests of time, which follow by themselves. The rest one after
# another: two browsers at once would disturb each other's timing on a small machine. So can whatever else the machine does: up to
# three files that failed run once more, by themselves, and are named. Who fails twice has failed.
end_to_end_files() { # end_to_end_files FILE...
  local beside alone timed again status=0
  : >"$failed"
  # A short file may take long ("Long:"), and begins first.
  mapfile -t beside < <({ grep -l '^// Long: ' "$@"; grep -lZ '^// Beside others: ' "$@" | largest_first; } | awk '!seen[$0]++')
  mapfile -t alone < <(grep -L '^// Beside others: ' "$@")
  mapfile -t timed < <(grep -l '^// Beside others: all but tests of time' "$@")
  [ ${#beside[@]} -eq 0 ] || TRILANE_TIMED=later node_test 2700 "$(($(nproc) + 2))" "${beside[@]}" || status=$?
  [ $status -eq 124 ] || [ ${#alone[@]} -eq 0 ] || node_test 2700 1 "${alone[@]}" || status=$?
  # Without its tests of time a file has not passed whole.
  printf "$PWD/%s\n" "${timed[@]}" | not_passed || status=1
  [ $status -eq 124 ] || [ ${#timed[@]} -eq 0 ] || TRILANE_TIMED=only node_test 2700 1 "${timed[@]}" || status=$?
  not_passed <"$failed" || status=1
  mapfile -t again <"$failed"
  # Ended at its limit: what had no turn yet is not among those that failed.
  if [ $status -ne 0 ] && [ $status -ne 124 ] && [ ${#again[@]} -gt 0 ] && [ ${#again[@]} -le 3 ]; then
    say "once more: ${again[*]#"$PWD/"}"
    node_test 1000 1 "${again[@]}" && status=0 && say "FAILED ONCE, then passed: ${again[*]#"$PWD/"}"
  fi
  return $status
}
end_to_end() {
  mapfile -t files < <(grep -L '^// Wide: ' test/e2e/*.test.ts)
  end_to_end_files "${files[@]}"
}
wide() {
  local files status=0
  files=$(changed due wide) || return
  [ -n "$files" ] || return 0
  mapfile -t files <<<"$files"
  end_to_end_files "${files[@]}" || status=1
  changed passed "$passed" || status=1
  return $status
}
name_skipped() {
  local count reason
  grep -v '^inconclusive: ' "$skipped" | sort | uniq -c | while read -r count reason; do
    say "skipped: $count test$([ "$count" = 1 ] || echo s): $reason"
  done
}

# Where CI is set: reasons for which nothing may be skipped, because set-up installs what is missing.
skipped_wrongly() {
  [ -n "${CI:-}" ] || return 0
  local installed
  installed=$(sed -nE 's/^(build|run|test|ci) +\| ([^ |]+) .*/\2/p' cli/install/requirements.txt | paste -sd '|')
  grep -E "^not installed: .*apt install ([^)]* )?($installed)[ )]" "$skipped" | sort -u
}

# Tests of time that this machine let neither pass nor fail.
name_inconclusive() {
  local count
  count=$(grep -c '^inconclusive: ' "$skipped") || return 0
  say "inconclusive: $count test$([ "$count" = 1 ] || echo s), because the machine was disturbed: run them again on a calm one:"
  sed -n 's/^inconclusive: /  /p' "$skipped" >&2
}

wanted=("$@")
[ $# -gt 0 ] || wanted=("${parts[@]}")
for part in "${wanted[@]}"; do
  [[ " ${parts[*]} " == *" $part "* ]] || { say "no part $part: use ${parts[*]}" && exit 2; }
done
run checks "formats, lints, types" within 600 bash test/check.sh
# More at once than CPUs: most of them wait for most of their time.
run c "C units under sanitizers" sanitized -LE 'timing|slow' -j "$((4 * $(nproc)))"
# One after another: they would disturb each other.
run timing "C tests of time under sanitizers" sanitized -L timing -j 1
run units "TypeScript units" units
run slow "slow units of both languages" slow
run e2e "end to end" end_to_end
run wide "end to end, where something changed" wide
name_skipped
name_inconclusive
wrongly=$(skipped_wrongly)
[ -z "$wrongly" ] || part_failed+=("skipped, though set-up installs it: ${wrongly//$'\n'/; }")
# Seconds, of which CPU seconds, file.
name_slowest() {
  [ -s "$TRILANE_TEST_TIMES" ] || return 0
  say "the files that took longest, in seconds (with CPU seconds; all of them: ${TRILANE_TEST_TIMES#"$PWD/"}):"
  sort -rn "$TRILANE_TEST_TIMES" | head -n 10 | awk -F '\t' '{ printf "  %s (%s) %s\n", $1, $2, $3 }' >&2
}
name_slowest
say "took: $(IFS=,; printf '%s' "${took[*]}" | sed 's/,/, /g')"
if [ ${#part_failed[@]} -gt 0 ]; then
  say "failed: ${part_failed[*]} $(xargs <"$failed_natives")"
  exit 1
fi
if grep -q '^inconclusive: ' "$skipped"; then say "passed, but for what was inconclusive"; else say "all passed"; fi
