#!/usr/bin/env bash
# deb.sh: installs the Debian package of build/packages with the browser that it asks for, races a page, removes it all, and says what took how long. Run
# by main.ts in a root without compiler, Node and npm.
set -euo pipefail
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -E "$@"; fi; }
deb=$(echo "$PWD"/build/packages/*.deb)
[ -e "$deb" ] || {
  echo "deb.sh: no package in build/packages: run npm run packages" >&2
  exit 1
}
cd
SECONDS=0
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$deb" fonts-liberation >apt.log 2>&1 || {
  tail -n 5 apt.log
  exit 1
}
installed=$SECONDS
trilane --version
trilane race carlucci-small --runs 1
raced=$SECONDS
trilane doctor || echo "doctor found something"
# Data stay, all else goes.
as_root apt-get purge -qq -y trilane >/dev/null 2>&1
left=$(ls -d /usr/lib/trilane /usr/bin/trilane /etc/apparmor.d/trilane /usr/share/doc/trilane 2>/dev/null || true)
[ -z "$left" ] || {
  echo "purge left $left"
  exit 1
}
echo "installed in $installed s, raced after $raced s, purged"
