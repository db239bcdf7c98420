#!/usr/bin/env bash
# Builds the C programs into build/native (for use) or, with --sanitize, build/sanitize (for tests).
# Quiet when nothing is to be done. Does not install anything.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
kind=native
sanitize=OFF
if [ "${1:-}" = --sanitize ]; then
  kind=sanitize
  sanitize=ON
fi
build=$root/build/$kind
quic=$(bash "$root/cli/install/quic_folder.sh") || exit
step() { bash "$root/cli/install/run_step.sh" "$@"; }
# Two of these programs' sources come from schemas.
bash "$root/cli/install/generate.sh"

# Configured again only when the QUIC build changed: ninja sees all other changes itself.
if [ ! -f "$build/build.ninja" ] || [ "$(cat "$build/quic-dir" 2>/dev/null)" != "$quic" ]; then
  mkdir -p "$build"
  step "$build/cmake.log" "configuring the C programs" \
    cmake -S "$root/native-host" -B "$build" -G Ninja -DTRILANE_QUIC="$quic" -DTRILANE_SANITIZE=$sanitize
  printf '%s\n' "$quic" >"$build/quic-dir"
fi
step "$build/ninja.log" "building the C programs" ninja -C "$build"
