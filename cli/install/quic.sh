#!/usr/bin/env bash
# Builds quiche, its BoringSSL and nghttp2 (native-host/quic) once into a cache outside the checkout and prints
# the folder: lib/libtrilane_quic.a and include/, and an empty file `controllers` if that quiche calls our congestion
# controllers (quiche_build.sh). Keyed by sources and compilers, so a second clone builds nothing. Does not install anything.
# With TRILANE_CROSS=aarch64-linux-gnu it builds for arm64, by the compilers of that prefix.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
crate=$(dirname "$(dirname "$here")")/native-host/quic
cache=${TRILANE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/trilane}
fail() {
  echo "setup: building quiche failed: $*" >&2
  exit 1
}

rust=$(bash "$here/find_rust.sh") || fail "Rust 1.88 or newer is missing; install it with rustup (https://rustup.rs)"
PATH=$rust:$PATH
# The one that was tried, whatever else lies where bindgen would look.
LIBCLANG_PATH=$(python3 "$here/libclang.py") || fail "no libclang that bindgen can use; install libclang-dev"
export LIBCLANG_PATH CARGO_NET_RETRY=${CARGO_NET_RETRY:-5}
rust_version=$(rustc --version)
cross=${TRILANE_CROSS:-}
cc=cc cxx=c++ strip=strip
if [ -n "$cross" ]; then
  cc=$cross-gcc cxx=$cross-g++ strip=$cross-strip
  target=${cross%%-*}-unknown-linux-gnu
  export CARGO_BUILD_TARGET=$target "BINDGEN_EXTRA_CLANG_ARGS_${target//-/_}=-isystem /usr/$cross/include"
  export "CC_${target//-/_}=$cc" "CXX_${target//-/_}=$cxx" "AR_${target//-/_}=$cross-ar"
  linker=CARGO_TARGET_${target^^}_LINKER
  export "${linker//-/_}=$cc"
fi
key=$({
  cat "$crate/Cargo.toml" "$crate/Cargo.lock" "$crate/src/lib.rs" "$crate"/quiche/* "$here"/{quic.sh,quiche_build.sh,quiche_lines.py}
  printf '%s\n' "$rust_version"
  "$cc" --version | head -n 1
  "$cxx" --version | head -n 1
  printf '%s\n' "${cross:-$(uname -m)}"
} | sha256sum | cut -c1-16)
out=$cache/quic-$key

# Reads of cargo's messages where the headers lie that its crates made: a line of shell for each.
headers() {
  python3 - "$1" <<'PY'
import json, os, shlex, sys
found = {}
for line in open(sys.argv[1]):
    message = json.loads(line)
    if message["reason"] == "build-script-executed":
        if "boring-sys" in message["package_id"]:
            found["boringssl"] = os.path.join(message["out_dir"], "boringssl", "include")
        if "libnghttp2-sys" in message["package_id"]:
            found["nghttp2"] = os.path.join(message["out_dir"], "i", "include")
    if message["reason"] == "compiler-artifact" and message["target"]["name"] == "quiche":
        found["quiche"] = os.path.join(os.path.dirname(message["manifest_path"]), "include")
for name, path in found.items():
    print(f"{name}={shlex.quote(path)}")
PY
}

if [ ! -f "$out/complete" ]; then
  mkdir -p "$cache"
  # Two set-ups at once (two clones, CI beside a developer) must not build into each other.
  exec 9>"$cache/quic-$key.lock"
  flock -n 9 || {
    echo "setup: another set-up builds quiche: waiting for it" >&2
    flock -w 3600 9 || fail "$cache/quic-$key.lock is held for an hour; end who holds it (fuser $cache/quic-$key.lock), and run this again"
  }
fi
if [ ! -f "$out/complete" ]; then
  echo "setup: building quiche, BoringSSL and nghttp2 into $out (3 to 6 minutes, once for this machine)" >&2
  work=$cache/quic-$key.work
  rm -rf "$out"
  mkdir -p "$work" "$out/lib" "$out/include"
  # cargo counts its steps only in a progress bar.
  CARGO_TERM_PROGRESS_WHEN=always CARGO_TERM_PROGRESS_WIDTH=100 CARGO_TERM_COLOR=never \
    bash "$here/run_step.sh" "$cache/quic-$key.log" "building quiche" bash "$here/quiche_build.sh" "$crate" "$work"
  found=$(headers "$work/messages.json") || fail "cargo's messages cannot be read (in $work/messages.json)"
  eval "$found"
  cp -r "${boringssl:?}/openssl" "${nghttp2:?}/nghttp2" "${quiche:?}/quiche.h" "$out/include/" || fail "its headers are not where they should be (see $work)"
  cp "$work/target/${CARGO_BUILD_TARGET:-.}/release/libtrilane_quic.a" "$out/lib/"
  "$strip" --strip-debug "$out/lib/libtrilane_quic.a"
  if [ -e "$work/without" ]; then
    echo "setup: $(cat "$work/without"); everything but --quic-congestion cubic-n1 and its like works" >&2
  else
    touch "$out/controllers"
  fi
  touch "$out/complete"
  rm -rf "$work"
fi
printf '%s\n' "$out"
