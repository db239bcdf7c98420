#!/usr/bin/env bash
# Checks what requirements.txt lists by trying it (with --run only what running takes, with --ci what CI's tests take too), and installs what is missing with apt, as root or through
# sudo; on a system without apt it prints the list and stops. Does not upgrade what is there, but for a Rust that is too old.
# What passed is not tried again until a package is installed or removed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(dirname "$(dirname "$here")")/build
say() { printf 'setup: %s\n' "$*" >&2; }
PATH=$PATH:/usr/sbin:/sbin

# Each check does what the requirement is for. They are few processes where all is well.
compiler() {
  printf 'int main(void) { return 0; }\n' | cc -x c -o /dev/null - &&
    printf '#include <string>\nint main(int n, char **words) { return std::string(words[0]).size() + n == 0; }\n' |
    c++ -x c++ -o /dev/null -
}
library() { # library PKG-CONFIG-NAME HEADER
  local flags
  flags=$(pkg-config --cflags --libs "$1") || return
  # shellcheck disable=SC2086 # flags are words
  printf '#include <stddef.h>\n#include <stdarg.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <%s>\nint main(void) { return 0; }\n' "$2" |
    cc -x c -o /dev/null - $flags
}
# Where native-host/CMakeLists.txt looks.
llhttp() {
  local folder
  library libllhttp llhttp.h && return
  for folder in /usr/share/llhttp /usr/share/nodejs/llhttp/build/c; do
    [ -e $folder/llhttp.c ] || continue
    printf '#include <llhttp.h>\n' | cc -fsyntax-only -I/usr/share/include/llhttp -I$folder -x c - && return
  done
  return 1
}
python() { python3 -c 'import ctypes, json'; }
# As test/fuzz/run.sh finds it.
clang_runtime() {
  local clang
  clang=$(compgen -c | grep -E '^clang(-[0-9]+)?$' | sort -uV | tail -n 1) &&
    printf 'int LLVMFuzzerTestOneInput(const char *b, long n);\nint LLVMFuzzerTestOneInput(const char *b, long n) { return !b && n; }\n' |
    "$clang" -x c -fsanitize=fuzzer,address,undefined -o /dev/null -
}
libclang() { python3 "$here/libclang.py"; }
# cli/base/programs.ts has the same paths.
chromium() {
  local path
  for path in "${TRILANE_BROWSER:-${TRILANE_CHROMIUM:-/usr/lib/chromium/chromium}}" /usr/lib/chromium-browser/chromium-browser /opt/google/chrome/chrome \
    /usr/bin/chromium /usr/bin/google-chrome; do
    [ ! -x "$path" ] || return 0
  done
  return 1
}
font() { [ -n "$(find -L /usr/share/fonts /usr/local/share/fonts -name '*.[to]tf' -print -quit 2>/dev/null)" ]; }
# shellcheck disable=SC2086 # a check is words
passes() {
  case $1 in
  @*) ${1#@} ;;
  *) command -v $1 | { mapfile -t found && [ ${#found[@]} -eq "$(wc -w <<<"$1")" ]; } ;;
  esac >/dev/null 2>&1
}

# A build of quiche in the cache needs neither Rust nor Python nor libclang.
uses=" build run test "
if [ "${1:-}" = --run ]; then
  uses=" run "
else
  bash "$here/quic_folder.sh" --complete >/dev/null || uses+="quic "
  [ "${1:-}" != --ci ] || uses+="ci "
fi

# All that what passed depends on: the list, these checks, where programs are looked for, and the system's packages.
key() { printf '%s\n' "$uses" "$PATH" "${TRILANE_BROWSER:-}" "${TRILANE_CHROMIUM:-}" "${LIBCLANG_PATH:-}" "${PKG_CONFIG_PATH:-}"; cat "$here/requirements.txt" "$0"; stat -c '%Y %s' /var/lib/dpkg/status; }
passed=$build/system-passed
if [ -e /var/lib/dpkg/status ] && [ -e "$passed" ] && [ "$(key | sha256sum)" = "$(cat "$passed")" ]; then exit 0; fi

# Sets `missing` to the packages that the checks ask for, and `rust_is_missing`.
look() {
  local use package check why
  missing=()
  while IFS='|' read -r use package check why; do
    read -r use <<<"$use" || true
    [[ -n "$use" && $use != "#"* && $uses = *" $use "* ]] || continue
    read -r package <<<"$package"
    read -r check <<<"$check"
    passes "$check" || [[ " ${missing[*]} " = *" $package "* ]] || missing+=("$package")
  done <"$here/requirements.txt"
  rust_is_missing=
  [[ $uses != *" quic "* ]] || bash "$here/find_rust.sh" >/dev/null 2>&1 || rust_is_missing=yes
}

# Of packages that hold the same, in systems of different ages, the first that apt has; else the last.
choose_missing() {
  local index name
  for index in "${!missing[@]}"; do
    for name in ${missing[index]//\// }; do [ -z "$(candidate "$name")" ] || break; done
    missing[index]=$name
  done
}
candidate() { LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: \([^(].*\)/\1/p'; }
new_enough() { [ -n "$1" ] && [ "$(printf '1.88\n%s\n' "$1" | sort -V | head -n 1)" = 1.88 ]; }
# Sets `rust` to the packages of a Rust that is new enough; Debian's rustc-web, made for its browsers, is newer than rustc. Not if
# apt would remove another package than an older Rust for it. rustup, where apt has it, downloads a newer one than apt's.
choose_rust() {
  rust=()
  [ -n "$rust_is_missing" ] || return 0
  local packages removed
  for packages in "rustc cargo" "rustc-web cargo-web"; do
    new_enough "$(candidate "${packages%% *}")" || continue
    # shellcheck disable=SC2086 # two words
    removed=$(LC_ALL=C apt-get -s install -y --no-install-recommends $packages 2>/dev/null | sed -n 's/^Remv \([^ ]*\).*/\1/p') || continue
    if grep -qvE '^(rustc|cargo|libstd-rust.*|rust-[a-z]+|$)$' <<<"$removed"; then continue; fi
    read -ra rust <<<"$packages"
    [ -z "$removed" ] || say "$packages replaces an older Rust: ${removed//$'\n'/ }"
    return 0
  done
  if ! command -v rustup >/dev/null && [ -n "$(candidate rustup)" ]; then rust=(rustup); fi
}
say_rust_is_missing() {
  say "Rust 1.88 or newer is missing (quiche needs it; found: $(bash "$here/find_rust.sh" 2>&1 || true)): install it with rustup (https://rustup.rs), then run this again"
  exit 2
}

look
if [ ${#missing[@]} -gt 0 ] || [ -n "$rust_is_missing" ]; then
  say "missing: ${missing[*]}${rust_is_missing:+ Rust-1.88}"
  if ! command -v apt-get >/dev/null; then
    [ ${#missing[@]} -eq 0 ] || say "this system has no apt: install what these Debian packages hold, then run this again"
    [ -z "$rust_is_missing" ] || say_rust_is_missing
    exit 2
  fi
  as_root=()
  if [ "$(id -u)" != 0 ]; then
    # Without a terminal there is no one to type a password.
    if ! command -v sudo >/dev/null || { ! sudo -n true 2>/dev/null && { [ ! -t 0 ] || ! sudo -v; }; }; then
      choose_missing
      choose_rust
      [ $((${#missing[@]} + ${#rust[@]})) -eq 0 ] || say "run as root: apt-get install ${missing[*]} ${rust[*]}"
      [ -z "$rust_is_missing" ] || [ ${#rust[@]} -gt 0 ] || command -v rustup >/dev/null || say_rust_is_missing
      exit 2
    fi
    as_root=(sudo)
  fi
  # A mirror that stumbles, or another program that installs, is waited for. Nothing asks: not debconf, not needrestart.
  apt_get() {
    local what=$1
    shift
    bash "$here/run_step.sh" "$build/log/apt-$what.log" "apt-get $what" "${as_root[@]}" \
      env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 LC_ALL=C.UTF-8 \
      apt-get -q -o APT::Status-Fd=1 -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold "$what" "$@"
  }
  apt_get update || exit 2
  choose_missing
  choose_rust
  if [ $((${#missing[@]} + ${#rust[@]})) -gt 0 ]; then
    say "installing with apt: ${missing[*]} ${rust[*]}"
    apt_get install -y --no-install-recommends "${missing[@]}" "${rust[@]}" || exit 2
  fi
  hash -r
  if [ -n "$rust_is_missing" ] && ! bash "$here/find_rust.sh" >/dev/null 2>&1 && command -v rustup >/dev/null; then
    # The user's default toolchain stays what it is.
    bash "$here/run_step.sh" "$build/log/rustup.log" "rustup toolchain install stable" \
      rustup toolchain install stable --profile minimal || say_rust_is_missing
  fi
  look
  [ -z "$rust_is_missing" ] || say_rust_is_missing
  if [ ${#missing[@]} -gt 0 ]; then
    say "still missing after installing them: ${missing[*]}; \`bash -x cli/install/system_packages.sh\` shows which check fails"
    exit 2
  fi
fi
mkdir -p "$build"
[ ! -e /var/lib/dpkg/status ] || key | sha256sum >"$passed"
