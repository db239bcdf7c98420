#!/usr/bin/env bash
# Prints the folder with quiche, BoringSSL and nghttp2: one that cli/install/quic.sh made earlier of the same sources with
# the same C compilers, whatever Rust there is now; where there is none, quic.sh makes it. With --complete nothing is made:
# exit status 1 where there is none.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
crate=$root/native-host/quic
cache=${TRILANE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/trilane}
cross=${TRILANE_CROSS:-}
cc=${cross:+$cross-g}cc
cxx=${cross:+$cross-g++}
cxx=${cxx:-c++}

# All that decides what is built but Rust's version, which a linker does not see in the library.
sources() {
  command -v "$cc" >/dev/null && command -v "$cxx" >/dev/null || return 1
  {
    cat "$crate/Cargo.toml" "$crate/Cargo.lock" "$crate/src/lib.rs" "$crate"/quiche/* "$root"/cli/install/{quic.sh,quiche_build.sh,quiche_lines.py}
    "$cc" --version | head -n 1
    "$cxx" --version | head -n 1
    printf '%s\n' "${cross:-$(uname -m)}"
  } | sha256sum | cut -c1-64
}
built_earlier() {
  local folder wanted
  wanted=$(sources) || return 1
  for folder in "$cache"/quic-*/; do
    folder=${folder%/}
    [ -f "$folder/complete" ] && [ "$(cat "$folder/sources" 2>/dev/null)" = "$wanted" ] || continue
    touch "$folder" 2>/dev/null || true # build_cache.sh removes those that none uses
    printf '%s\n' "$folder"
    return 0
  done
  return 1
}

if built_earlier; then exit 0; fi
[ "${1:-}" != --complete ] || exit 1
folder=$(bash "$root/cli/install/quic.sh") || exit
# A cache that is another user's is used as it is.
[ ! -w "$folder" ] || sources >"$folder/sources"
printf '%s\n' "$folder"
