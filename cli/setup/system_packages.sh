#!/usr/bin/env bash
# Says which system packages are missing and installs them with apt, as root or through sudo; on a system without apt
# it prints the list and stops. Does not upgrade what is there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
say() { printf 'setup: %s\n' "$*" >&2; }

# What is needed, the package that has it (Debian and Ubuntu), and a test for it that costs no process where possible.
missing=()
needs() { # needs PACKAGE FILE-OR-COMMAND...: the package is missing unless one of them is there
  local package=$1 thing
  shift
  for thing in "$@"; do
    case $thing in
    /*) compgen -G "$thing" >/dev/null && return 0 ;;
    *) command -v "$thing" >/dev/null && return 0 ;;
    esac
  done
  missing+=("$package")
}
PATH=$PATH:$HOME/.cargo/bin
needs build-essential c++
needs cmake cmake
needs ninja-build ninja
needs pkg-config pkg-config
needs git git
needs libsqlite3-dev /usr/include/sqlite3.h
needs libjansson-dev /usr/include/jansson.h
needs zlib1g-dev /usr/include/zlib.h
needs libbrotli-dev /usr/include/brotli/decode.h
needs libzstd-dev /usr/include/zstd.h
needs libpsl-dev /usr/include/libpsl.h
needs libcmocka-dev /usr/include/cmocka.h
needs node-llhttp /usr/share/llhttp/llhttp.c /usr/share/nodejs/llhttp/build/c/llhttp.c
needs clang-format clang-format
needs chromium /usr/lib/chromium/chromium /usr/lib/chromium-browser/chromium-browser /opt/google/chrome/chrome "${TRILANE_CHROMIUM:-/nonexistent}"
needs fonts-liberation "/usr/share/fonts/truetype/*/*.ttf"

# Only what builds quiche needs Rust, Python and libclang; a build of it in the cache does not.
quic_is_built() { bash "$here/quic_folder.sh" --complete >/dev/null; }
# quiche needs a newer Rust than Debian 12 and 13 or Ubuntu 24.04 have by default; where the system has rustup, that
# brings it.
rust_is_new_enough() {
  command -v cargo >/dev/null && [ "$(printf '%s\n1.88.0\n' "$(rustc --version | cut -d' ' -f2)" | sort -V | head -n 1)" = 1.88.0 ]
}
rust_is_wanted=
if ! quic_is_built; then
  needs python3 python3
  needs libclang-14-dev "/usr/lib/llvm-*/lib/libclang*.so*"
  rust_is_new_enough || rust_is_wanted=yes
  [ -z "$rust_is_wanted" ] || needs rustup rustup
fi

# Sets `available` to what apt can install of what is missing: Ubuntu has other LLVM releases than Debian 12, and
# Debian 12 has no rustup, of which is said below what to do.
choose_available() {
  local package
  available=()
  for package in "${missing[@]}"; do
    if [ "$package" = libclang-14-dev ] && ! has_candidate "$package"; then package=libclang-dev; fi
    if [ "$package" = rustup ] && ! has_candidate "$package"; then continue; fi
    available+=("$package")
  done
}
# A package that others only mention has a record but no version.
has_candidate() { LC_ALL=C apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'; }
say_rust_is_missing() {
  say "Rust 1.88 or newer is missing (quiche needs it): install it with rustup (https://rustup.rs), then run this again"
}

if [ ${#missing[@]} -gt 0 ]; then
  say "missing system packages: ${missing[*]}"
  if ! command -v apt-get >/dev/null; then
    say "this system has no apt: install what these Debian packages hold, then run this again"
    exit 2
  fi
  as_root=()
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      choose_available
      [ ${#available[@]} -eq 0 ] || say "run as root: apt-get install ${available[*]}"
      [[ -z "$rust_is_wanted" || " ${available[*]} " = *" rustup "* ]] || command -v rustup >/dev/null || say_rust_is_missing
      exit 2
    fi
    as_root=(sudo)
  fi
  # A mirror that stumbles, or another program that installs, is waited for.
  apt_get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)
  "${apt_get[@]}" update >&2
  choose_available
  [ ${#available[@]} -eq 0 ] || "${apt_get[@]}" install -y --no-install-recommends "${available[@]}" >&2 || {
    say "apt-get could not install: ${available[*]}"
    exit 2
  }
fi

[ -n "$rust_is_wanted" ] || exit 0
if ! rust_is_new_enough && command -v rustup >/dev/null; then
  say "Rust through rustup"
  rustup toolchain install stable --profile minimal >&2
  rustup default stable >&2
fi
if ! rust_is_new_enough; then
  say_rust_is_missing
  exit 2
fi
