#!/usr/bin/env bash
# Builds quiche, its BoringSSL and nghttp2 (native-host/quic) once into a cache outside the checkout and prints
# the folder: lib/libtrilane_quic.a and include/. Keyed by lockfile and compilers, so a second clone builds nothing.
# Does not install anything.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
crate=$root/native-host/quic
cache=${TRILANE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/trilane}

key=$({
  cat "$crate/Cargo.toml" "$crate/Cargo.lock" "$crate/src/lib.rs" "$0"
  rustc --version
  cc --version | head -n 1
  c++ --version | head -n 1
  uname -m
} | sha256sum | cut -c1-16)
out=$cache/quic-$key

if [ ! -f "$out/complete" ]; then
  mkdir -p "$cache"
  # Two set-ups at once (two clones, CI beside a developer) must not build into each other.
  exec 9>"$cache/quic-$key.lock"
  flock 9
fi
if [ ! -f "$out/complete" ]; then
  echo "setup: building quiche, BoringSSL and nghttp2 into $out (3 to 6 minutes, once for this machine)" >&2
  work=$cache/quic-$key.work
  rm -rf "$out"
  mkdir -p "$work" "$out/lib" "$out/include"
  (cd "$crate" && cargo build --release --locked --target-dir "$work" --message-format=json) >"$work/messages.json"
  python=$(command -v python3)
  eval "$("$python" - "$work/messages.json" <<'PY'
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
)"
  cp -r "$boringssl/openssl" "$nghttp2/nghttp2" "$quiche/quiche.h" "$out/include/"
  cp "$work/release/libtrilane_quic.a" "$out/lib/"
  strip --strip-debug "$out/lib/libtrilane_quic.a"
  touch "$out/complete"
  rm -rf "$work"
fi
printf '%s\n' "$out"
