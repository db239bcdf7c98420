#!/usr/bin/env bash
# All set-up: system packages, Node 24 and npm packages, quiche (cached outside the checkout), the C programs. With --start no more than
# running takes: an installed package's C programs, if they are of the same sources (prebuilt.sh).
# Each step looks before it works, so that a second run takes under a second or two. Prints what it does, only where it
# does something; one at a time in a checkout. Does not touch the user's data.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
say() { printf 'setup: %s\n' "$*" >&2; }

# Two at once would write the same packages and programs. The lock is held by whatever this starts too, so that it is
# kept where this is killed and npm or ninja work on. (Packages' installation may start services, which stay.)
mkdir -p build
exec 8>build/setup.lock
held=75 # flock's exit status where another one has it; any other failure: this file system has no locks, go on without
status=0
flock -n -E "$held" 8 2>/dev/null || status=$?
if [ "$status" = "$held" ]; then
  say "another set-up of this checkout is running: waiting for it"
  flock -w 1800 -E "$held" 8 || {
    say "build/setup.lock is held for half an hour: end who holds it (fuser build/setup.lock), and run this again"
    exit 1
  }
fi

step() { bash cli/install/run_step.sh "$@"; }

# npm may leave its own list of what is installed where it empties the rest.
lacks_npm_packages() {
  [ ! -e node_modules/.package-lock.json ] || [ ! -d node_modules/.bin ] || ! cmp -s package-lock.json build/npm-done
}
# All by which npm chooses what to install.
npm_key() {
  {
    cat package.json package-lock.json .npmrc "${HOME:-}/.npmrc" 2>/dev/null || true
    uname -m
    env | grep -iE '^(npm_config_(omit|include|only|production)|NODE_ENV)=' | sort || true
  } | sha256sum | cut -c1-16
}
npm_packages() {
  rm -rf build/npm-part build/npm-key
  if bash cli/install/build_cache.sh restore npm "$(npm_key)" build/npm-part; then
    say "npm packages and Node 24 (as an earlier set-up installed them)"
    rm -rf node_modules
    mv build/npm-part node_modules
  else
    say "npm packages and Node 24 (by package-lock.json)"
    step build/log/npm.log "npm ci" npm ci --fetch-retries=5 --no-fund --no-audit --loglevel=error
    npm_key >build/npm-key
  fi
  cp package-lock.json build/npm-done
}
# npm waits for its registry while apt and the build of quiche do not: it runs beside them, if there is an npm yet. What it
# says comes when they are done, since two lines of progress would write over one another.
npm=
mkdir -p build/log
if lacks_npm_packages && command -v npm >/dev/null; then
  set -m # a process group of its own, which ends as a whole
  npm_packages 2>build/log/npm-beside.log &
  npm=$!
  set +m
  trap 'kill -- "-$npm" 2>/dev/null || true' EXIT
fi

# What was built here stays in use.
prebuilt=
if [ "${1:-}" = --start ] && [ ! -e build/native/.ninja_log ] && [ ! -e build/native/restored ]; then
  prebuilt=$(bash cli/install/prebuilt.sh) || true
fi
bash cli/install/system_packages.sh ${prebuilt:+--run} 8>&-
[ -n "$prebuilt" ] || [ -z "$npm" ] || bash cli/install/quic_folder.sh >/dev/null
if [ -n "$npm" ]; then
  status=0
  wait "$npm" || status=$?
  trap - EXIT
  cat build/log/npm-beside.log >&2
  [ "$status" = 0 ] || exit "$status"
elif lacks_npm_packages; then
  npm_packages
fi
# Debian's npm 9 does not link the program of an optional dependency.
for node in node_modules/node-linux-*/bin/node; do
  [ -e node_modules/.bin/node ] || ln -s "../${node#node_modules/}" node_modules/.bin/node
done
node_modules/.bin/node --version >/dev/null 2>&1 || {
  say "npm brought no Node 24 that runs on this machine ($(uname -m)): see that .npmrc does not omit optional packages, remove node_modules and run this again"
  exit 2
}
# Kept for the next checkout, now that they are known to work.
[ ! -e build/npm-key ] || bash cli/install/build_cache.sh store npm "$(cat build/npm-key)" node_modules .
rm -f build/npm-key
# npx finds a project's own command only where it is linked like a dependency's.
[ -e node_modules/.bin/trilane ] || ln -s ../../cli/trilane node_modules/.bin/trilane

if [ -z "$prebuilt" ]; then
  bash cli/install/native.sh
elif ! cmp -s "$prebuilt/built-from" build/native/built-from; then
  rm -rf build/native
  cp -r "$prebuilt" build/native
  say "C programs (of the installed package, which has the same sources)"
fi
# The extension and the command line, in a second or two.
node_modules/.bin/node --disable-warning=ExperimentalWarning cli/install/extension.ts
node_modules/.bin/node --disable-warning=ExperimentalWarning cli/install/packages/bundle.ts
# An ordinary user's link keeps its times better with a right that root grants; offered once.
if [ "$(id -u)" != 0 ] && [ "$(ulimit -r)" = 0 ] && [ ! -e build/limits-offered ]; then
  say "for a link that keeps its times beside busy programs: sudo cp cli/install/limits.conf /etc/security/limits.d/trilane.conf, then log in again"
  touch build/limits-offered
fi
