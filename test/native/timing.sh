#!/usr/bin/env bash
# timing.sh NAME PROGRAM [FUNCTIONAL]...: runs a test of time. One that passes has passed. One that fails while nothing disturbed the machine has
# failed. One that fails while it was disturbed waits for a calm machine and runs again, up to three times; where calm does not
# come it ends as inconclusive (status 77), which test/run.sh counts apart and names. It never loosens a tolerance. A sanitizer's
# finding, in the program or in one that it starts, is a failure however disturbed the machine was; so are a crash and a failure
# of one of the program's tests that is named as FUNCTIONAL: it holds nothing to time.
#
# Disturbed is: of the CPUs' time more was used by others than by the test and the machine itself, or stolen by a hypervisor, than
# a calm machine has; and a machine that computes much slower after it slept (slept.ts). TRILANE_TEST_WAITS names a file that adds up what all tests of a run waited.
set -uo pipefail
name=$1 program=$2
shift 2
functional=("$@")
slept=$(dirname "$0")/../slept.ts
tries=3 wait_s=60 all_waits_ms=720000

found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
found_status=99
# UBSan beside ASan has no log_path.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}log_path=$found/report
export UBSAN_OPTIONS=${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}exitcode=$found_status

# "USED STOLEN": of all CPUs since boot, in hundredths of a second.
machine() { awk '/^cpu / { print $2 + $3 + $4 + $7 + $8, $9 }' /proc/stat; }
# Of this shell's children that have ended, in hundredths of a second.
own() { awk '{ sub(/.*\) /, ""); print $14 + $15 }' /proc/$$/stat; }
# Those of /proc/stat: a container may be given fewer, and sees the use of all of them.
cpus=$(grep -c '^cpu[0-9]' /proc/stat)
waited() { awk '{ sum += $1 } END { print sum + 0 }' "${TRILANE_TEST_WAITS:-/dev/null}"; }

# disturbance USED STOLEN OWN SECONDS: what is beyond a calm machine's, in words; nothing where nothing is.
disturbance() {
  awk -v used="$1" -v stolen="$2" -v own="$3" -v time="$4" -v cpus="$cpus" 'BEGIN {
    if (time < 0.01) time = 0.01
    time *= 100
    others = (used - own) / (time * cpus); stolen = stolen / (time * cpus)
    if (others > 0.1) printf "other programs used %.0f %% of %d CPUs", others * 100, cpus
    else if (stolen > 0.005) printf "the hypervisor took %.1f %% of %d CPUs", stolen * 100, cpus
  }'
}

# Until one second is calm; fails where the time to wait is over.
until_calm() {
  local waited_s=0 used stolen used_after stolen_after
  while [ "$waited_s" -lt "$wait_s" ] && [ "$(waited)" -lt "$all_waits_ms" ]; do
    read -r used stolen < <(machine)
    sleep 1
    read -r used_after stolen_after < <(machine)
    waited_s=$((waited_s + 1))
    [ -z "${TRILANE_TEST_WAITS:-}" ] || echo 1000 >>"$TRILANE_TEST_WAITS"
    [ -n "$(disturbance $((used_after - used)) $((stolen_after - stolen)) 0 1)" ] || return 0
  done
  return 1
}

# Whether a sanitizer found something. What a failed test did not come to release is none: it leaks because it failed.
has_finding() {
  local report status=1
  for report in "$found"/report*; do
    [ -e "$report" ] || continue
    if grep -q 'LeakSanitizer: detected memory leaks' "$report" && grep -q '^\[  FAILED  \] ' "$found/output"; then continue; fi
    cat "$report"
    status=0
  done
  return $status
}

# Whether what cmocka printed is a failure at any time.
has_functional_failure() {
  local test
  ! grep -q '^Test failed with exception:' "$found/output" || return 0
  for test in ${functional[@]+"${functional[@]}"}; do
    if grep -qx "\[  FAILED  \] $test" "$found/output"; then return 0; fi
    # A name that is none would excuse for ever.
    if ! grep -qx "\[ RUN      \] $test" "$found/output"; then
      echo "timing.sh: $name has no test $test"
      return 0
    fi
  done
  return 1
}

for ((try = 1; ; try++)); do
  read -r used stolen < <(machine)
  own_before=$(own) began=$EPOCHREALTIME
  "$program" 2>&1 | tee "$found/output"
  status=${PIPESTATUS[0]}
  [ $status -ne 0 ] || exit 0
  if has_finding || [ $status = $found_status ] || [ $status -ge 128 ]; then exit $status; fi
  if has_functional_failure; then exit $status; fi
  read -r used_after stolen_after < <(machine)
  time=$(awk -v from="$began" -v to="$EPOCHREALTIME" 'BEGIN { print to - from }')
  why=$(disturbance $((used_after - used)) $((stolen_after - stolen)) $(($(own) - own_before)) "$time")
  if [ -z "$why" ]; then
    # Calm as it is, that does not pass.
    why=$(node --disable-warning=ExperimentalWarning "$slept") || true
    [ -n "$why" ] || exit $status
    try=$tries
  fi
  if [ $try -ge $tries ] || ! until_calm; then
    echo "inconclusive: native/$name: disturbed: $why"
    exit 77
  fi
done
