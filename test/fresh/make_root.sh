#!/usr/bin/env bash
# make_root.sh FOLDER CHECKOUT SUITE PACKAGE...: makes FOLDER the root file system of a new machine: Debian's SUITE with apt, the
# PACKAGEs, a user "fresh" with sudo, and what is committed in CHECKOUT at /home/fresh/trilane. Packages come from where this
# machine has its own from, and npm and cargo are told what they are told here. Needs root and mmdebstrap. main.ts runs it in
# namespaces of its own, with which all mounts and processes go.
set -euo pipefail
root=$1
checkout=$2
suite=$3
shift 3
packages=$*

# uri LABEL: this machine's mirror of Debian's archive, or of its security updates
uri() { apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | sed -n "s/^Debian|$1|//p" | head -n 1; }
archive=$(uri Debian)
security=$(uri Debian-Security)
mirrors=()
if [ -n "$archive" ] && [ -n "$security" ]; then
  mirrors=("deb $archive $suite main" "deb $archive $suite-updates main" "deb $security $suite-security main")
fi
options=()
while IFS= read -r line; do options+=("--aptopt=$line"); done < <(
  apt-config dump Acquire | grep -E '^Acquire::(https?::|Check-)' | grep -v ' "";$' || true
)
mmdebstrap --quiet --mode=root --variant=apt --include="ca-certificates passwd ${packages}" "${options[@]}" "$suite" "$root" "${mirrors[@]}"

chroot "$root" useradd --create-home --shell /bin/bash fresh
echo 'fresh ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/fresh"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
home=$root/home/fresh
for folder in "$root/root" "$home"; do
  # Tokens stay here.
  for file in /etc/npmrc "$HOME/.npmrc"; do
    [ ! -e "$file" ] || grep -E '^(registry|cafile|(https?-)?proxy|@[^:]*:registry) *=' "$file" >>"$folder/.npmrc" || true
  done
  cargo=${CARGO_HOME:-$HOME/.cargo}/config.toml
  [ ! -e "$cargo" ] || install -D -m 644 "$cargo" "$folder/.cargo/config.toml"
done
git clone --quiet --no-hardlinks "$checkout" "$home/trilane"
# What `npm run packages` made and is installed there.
for package in "$checkout"/build/packages/*.{deb,tgz}; do [ ! -e "$package" ] || install -D -t "$home/trilane/build/packages" "$package"; done
chroot "$root" chown -R fresh:fresh /home/fresh
