#!/usr/bin/env bash
# Prints the folder of a cargo and rustc that are new enough for quiche; exit status 1 if there are none, with what there is
# instead on standard error. Looks on the PATH, in ~/.cargo/bin (a shell that did not read its profile lacks it) and at
# rustup's toolchains, whose default may be older. Installs and changes nothing.
set -euo pipefail
oldest=1.88.0
found=

try() { # try FOLDER: prints it if the programs in it start and are new enough
  local version
  [ -x "$1/cargo" ] && [ -x "$1/rustc" ] || return 1
  version=$("$1/rustc" --version 2>/dev/null | cut -d' ' -f2) && "$1/cargo" --version >/dev/null 2>&1 || return 1
  [ -n "$version" ] || return 1
  found="Rust $version in $1"
  [ "$(printf '%s\n%s\n' "$oldest" "${version%%-*}" | sort -V | head -n 1)" = "$oldest" ] || return 1
  printf '%s\n' "$1"
}

on_path=$(command -v rustc || true)
if try "${on_path%/*}"; then exit 0; fi
if try "$HOME/.cargo/bin"; then exit 0; fi
for rustc in "${RUSTUP_HOME:-$HOME/.rustup}"/toolchains/*/bin/rustc; do
  if try "${rustc%/*}"; then exit 0; fi
done
printf '%s\n' "${found:-no Rust}" >&2
exit 1
