#!/usr/bin/env bash
# quiche_build.sh CRATE WORK: builds the crate (native-host/quic) in the folder WORK, with a copy of quiche that calls our
# congestion controllers; with quiche as it is, and why in WORK/without, where its version is not one that CRATE/quiche
# knows. Leaves WORK/target/release/libtrilane_quic.a and cargo's messages. Installs nothing; quic.sh calls it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
crate=$1
work=$2
cd "$crate" # cargo reads its configuration from here upwards
platform=$(rustc -vV | sed -n 's/^host: //p')

cargo fetch --locked --target "$platform"
quiche=$(cargo metadata --locked --offline --filter-platform "$platform" --format-version 1 | python3 -c '
import json, os, sys
manifests = [p["manifest_path"] for p in json.load(sys.stdin)["packages"] if p["name"] == "quiche"]
print(os.path.dirname(manifests[0]))')
rm -rf "$work/crate" "$work/quiche" "$work/without"
mkdir -p "$work/crate"
cp -r Cargo.toml Cargo.lock src "$work/crate/"
cp -r "$quiche" "$work/quiche"
chmod -R u+w "$work/quiche"

patch=()
status=0
python3 "$here/quiche_lines.py" "$crate/quiche" "$work/quiche" 2>"$work/without" || status=$?
case $status in
0)
  rm "$work/without"
  patch=(--config "patch.crates-io.quiche.path='$work/quiche'")
  # --locked holds all else to what was tried; a package of a path has neither source nor checksum.
  awk '/^\[\[package\]\]/ { quiche = 0 } /^name = "quiche"$/ { quiche = 1 } !(quiche && /^(source|checksum) = /)' \
    Cargo.lock >"$work/crate/Cargo.lock"
  ;;
3) cat "$work/without" ;;
*)
  cat "$work/without" >&2
  exit "$status"
  ;;
esac
exec cargo build --release --locked "${patch[@]}" --manifest-path "$work/crate/Cargo.toml" --target-dir "$work/target" \
  --message-format=json-render-diagnostics >"$work/messages.json"
