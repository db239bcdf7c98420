#!/usr/bin/env bash
# ci_gate.sh: what action.yml and examples/gitlab-ci.yml run: compares two versions of a page, and leaves junit.xml, comment.md and
# report.html in a folder. Inputs come by the environment, because words of a pull request are never a shell's:
#   TRILANE_BEFORE, TRILANE_AFTER  two pages: URLs, HAR files or recordings; with TRILANE_PAGE two links or browsers
#   TRILANE_LINK, TRILANE_LANES, TRILANE_RUNS, TRILANE_METRIC, TRILANE_THRESHOLD, TRILANE_BUDGET  as compare's options; empty: its defaults
#   TRILANE_OUT          the folder (default: trilane-gate)
#   TRILANE_REPORT_LINK  where the comment says that the report is
#   TRILANE_UNSURE       "fail" or "pass" (default) if no answer is shown
# Its exit status is that of the gate: 0, or 1 if something became worse; 2 if it could not be run.
set -uo pipefail
out=${TRILANE_OUT:-trilane-gate}
: "${TRILANE_BEFORE:?ci_gate.sh: name the earlier version in TRILANE_BEFORE}"
: "${TRILANE_AFTER:?ci_gate.sh: name the later version in TRILANE_AFTER}"
case ${TRILANE_UNSURE:-pass} in
fail | pass) ;;
*)
  echo "ci_gate.sh: TRILANE_UNSURE is fail or pass" >&2
  exit 2
  ;;
esac
for word in "$TRILANE_BEFORE" "$TRILANE_AFTER"; do
  case $word in -*)
    echo "ci_gate.sh: a version is a page, a link or a browser (got $word)" >&2
    exit 2
    ;;
  esac
done
trilane=${TRILANE_COMMAND:-trilane}
command -v "$trilane" >/dev/null || {
  echo "ci_gate.sh: no trilane here: install its package first" >&2
  exit 2
}
mkdir -p "$out" || exit 2
# Results of other jobs on the machine are not this one's.
export TRILANE_HOME=${TRILANE_HOME:-$PWD/$out/home}
words=(compare "$TRILANE_BEFORE" "$TRILANE_AFTER" --interleaved --junit "$out/junit.xml" --markdown "$out/comment.md")
option() { [ -z "$2" ] || words+=("--$1=$2"); }
option page "${TRILANE_PAGE:-}"
option link "${TRILANE_LINK:-}"
option lanes "${TRILANE_LANES:-}"
option runs "${TRILANE_RUNS:-}"
option metric "${TRILANE_METRIC:-}"
option threshold "${TRILANE_THRESHOLD:-}"
option budget "${TRILANE_BUDGET:-}"
option report-link "${TRILANE_REPORT_LINK:-}"
"$trilane" "${words[@]}"
status=$?
report=$(find "$TRILANE_HOME/reports" -name '*.html' -printf '%T@ %p\n' 2>/dev/null | sort -n | tail -n 1 | cut -d ' ' -f 2-)
[ -z "$report" ] || cp "$report" "$out/report.html"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || [ ! -e "$out/comment.md" ] || cat "$out/comment.md" >>"$GITHUB_STEP_SUMMARY"
case $status in
0) verdict=fine ;;
1) verdict=worse ;;
3) verdict=unsure ;;
*) verdict=failed status=2 ;;
esac
[ -z "${GITHUB_OUTPUT:-}" ] || printf 'verdict=%s\n' "$verdict" >>"$GITHUB_OUTPUT"
if [ $verdict = unsure ] && [ "${TRILANE_UNSURE:-pass}" = pass ]; then exit 0; fi
[ $verdict != unsure ] || exit 1
exit $status
