#!/usr/bin/env bash
# run_step.sh LOG WHAT COMMAND...: runs a long step of set-up with its output in LOG. On standard error: how far it is, as a
# line that changes on a terminal and a line every 20 s elsewhere; and if it fails, one line: what failed, why, what to do,
# and where the log is. The exit status is COMMAND's. Asks nothing: standard input is empty.
set -uo pipefail
log=$1
what=$2
shift 2
mkdir -p "$(dirname "$log")"
: >"$log" || exit

# What the end of the log says: apt's percentage, or "143/210" as cargo and ninja count.
progress() {
  local end
  end=$(tail -c 4000 "$log" | tr '\r' '\n' | tr -d '\0')
  if [[ $end =~ .*(dl|pm)status:[^:]*:([0-9]+)[.0-9]*: ]]; then
    printf ': %s %%' "${BASH_REMATCH[2]}"
  elif [[ $end =~ .*[^0-9/]([0-9]+)/([0-9]+)[^0-9/] ]]; then
    printf ': %s of %s steps' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
  fi
}
elapsed() { if [ "$SECONDS" -lt 60 ]; then printf '%s s' "$SECONDS"; else printf '%s min %s s' $((SECONDS / 60)) $((SECONDS % 60)); fi; }
tell() {
  local shown=0
  while sleep 1 2>/dev/null && kill -0 $$ 2>/dev/null; do
    if [ -t 2 ]; then
      printf '\r\033[Ksetup: %s%s, %s' "$what" "$(progress)" "$(elapsed)" >&2
    elif [ $((SECONDS - shown)) -ge 20 ]; then
      shown=$SECONDS
      printf 'setup: %s%s, %s\n' "$what" "$(progress)" "$(elapsed)" >&2
    fi
  done
}
tell 8>&- 9>&- </dev/null >/dev/null &
teller=$!
hush() {
  kill "$teller" 2>/dev/null
  wait "$teller" 2>/dev/null
  [ ! -t 2 ] || printf '\r\033[K' >&2
}
trap hush EXIT
# bash would say itself what killed it.
{ "$@" </dev/null >>"$log" 2>&1; } 2>/dev/null
status=$?
hush
trap - EXIT
[ "$status" != 0 ] || exit 0

# The line that says most: the first of what compilers, apt, npm and cargo call an error, or the last one there is.
telling() {
  local pattern
  for pattern in 'no space left on device' 'unable to find libclang' 'fatal error' '^E: ' 'CMake Error' 'error:' 'error\[' 'npm (err!|error)' \
    'panicked at' 'failed'; do
    # Not in a pipe: grep may leave before the end, of which tr would die.
    grep -aiE -m 1 "$pattern" < <(tr '\r' '\n' <"$log") && return
  done
  tr '\r' '\n' <"$log" | grep -aE '[^[:space:]]' | tail -n 1
}
remedy() {
  case ${1,,} in
  *"no space left"*) echo "free some room" ;;
  *"unable to locate package"* | *"no installation candidate"*) echo "install what it holds in another way (a Chromium elsewhere is named in TRILANE_BROWSER), then run this again" ;;
  *libclang* | *"file not found"*) echo "install libclang-dev" ;;
  # A compiler's line: names in it are of the source, and clock_now_ns is no lock.
  *.[ch]:[0-9]*error:*) echo "see the log; after mending it, run this again" ;;
  *resolv* | *network* | *connect* | *timed\ out* | *timeout* | *fetch* | *download* | *registry*) echo "see that this machine reaches the network (or its proxy), then run this again" ;;
  *lock* | *"dpkg was interrupted"*) echo "let the other installation end, or run dpkg --configure -a as root; then run this again" ;;
  *"cannot allocate memory"* | *killed* | *"signal 9)") echo "free some memory" ;;
  *) echo "see the log; after mending it, run this again" ;;
  esac
}
why=$(telling | cut -c1-200)
[ "$status" -lt 128 ] || why="${why:+$why }(ended by signal $((status - 128)))"
printf 'setup: %s failed: %s; %s (log: %s)\n' "$what" "${why:-exit status $status}" "$(remedy "$why")" "$log" >&2
exit "$status"
