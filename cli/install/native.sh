#!/usr/bin/env bash
# Builds the C programs into build/native (for use) or, with --sanitize, build/sanitize (for tests). In a new checkout those
# for use come from the cache (build_cache.sh), if another checkout built them of the same sources.
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

# All that decides what the programs do, but where the checkout is.
programs_key() {
  local file
  {
    find native-host shaper test/native schemas package.json cli/install/native.sh -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
    printf '%s\n' "${quic##*/}" "${CC:-}" "${CFLAGS:-}" "${CPPFLAGS:-}" "${LDFLAGS:-}"
    uname -m
    cc --version | head -n 1
    ldd --version 2>&1 | head -n 1
    pkg-config --modversion jansson sqlite3 zlib libbrotlidec libzstd libpsl
    for file in /usr/share/nodejs/llhttp/build/c/llhttp.c /usr/share/llhttp/llhttp.c /etc/os-release; do [ ! -e $file ] || sha256sum $file; done
  } | sha256sum | cut -c1-16
}
# As CMake's rules name them; neither tests nor fuzz targets are among what is built for use.
programs() { sed -nE 's/^build ([^ :]+): C_EXECUTABLE_LINKER__.*/\1/p' "$build/build.ninja" | grep -v -e /test_ -e '^fuzz/'; }
are_there() { programs | (cd "$build" && xargs ls >/dev/null 2>&1); }
key=
cd "$root"
if [ $kind = native ] && { [ ! -e "$build/.ninja_log" ] || [ -e "$build/restored" ]; }; then key=$(programs_key); fi

# What cli/base/built_from.ts compares, taken before the build: a source that changes meanwhile is not in it.
sources=$(node_modules/.bin/node --disable-warning=ExperimentalWarning --input-type=module -e \
  'import { sourcesDigest } from "./cli/base/built_from.ts"; console.log(sourcesDigest("."))')
note_sources() { printf '%s\n' "$sources" >"$build/built-from"; }

# Configured again only when the QUIC build changed: ninja sees all other changes itself.
if [ ! -f "$build/build.ninja" ] || [ "$(cat "$build/quic-dir" 2>/dev/null)" != "$quic" ]; then
  mkdir -p "$build"
  step "$build/cmake.log" "configuring the C programs" \
    cmake -S "$root/native-host" -B "$build" -G Ninja -DTRILANE_QUIC="$quic" -DTRILANE_SANITIZE=$sanitize
  printf '%s\n' "$quic" >"$build/quic-dir"
fi
# Of programs from the cache ninja knows nothing: it builds them anew once a source has changed.
if [ -n "$key" ]; then
  if [ "$(cat "$build/restored" 2>/dev/null)" = "$key" ] && are_there; then note_sources && exit 0; fi
  rm -f "$build/restored"
  if [ ! -e "$build/.ninja_log" ] && bash cli/install/build_cache.sh restore programs "$key" "$build" && are_there; then
    printf '%s\n' "$key" >"$build/restored"
    note_sources
    echo "setup: C programs (as an earlier set-up built them)" >&2
    exit 0
  fi
fi
[ -e "$build/.ninja_log" ] || echo "setup: building the C programs" >&2
step "$build/ninja.log" "building the C programs" ninja -C "$build"
note_sources
if [ -n "$key" ]; then
  mapfile -t built < <(programs)
  bash cli/install/build_cache.sh store programs "$key" "$build" "${built[@]}"
fi
