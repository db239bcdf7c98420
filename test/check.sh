#!/usr/bin/env bash
# Formatters, linters (.biome.jsonc, .clang-tidy), and types, for both languages. With --fix it writes what can be mended.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/node_modules/.bin:$PATH
fix=${1:-}

mapfile -t c_files < <(git ls-files --cached --others --exclude-standard '*.c' '*.h')
# Of a checkout that is another user's git lists nothing.
[ ${#c_files[@]} -gt 0 ] || {
  echo "check: git lists no files of C: run it as the owner of the checkout, in a clone" >&2
  exit 1
}
if [ "$fix" = --fix ]; then
  clang-format -i "${c_files[@]}"
  biome check --write --log-level=warn .
else
  clang-format --dry-run -Werror "${c_files[@]}"
  biome check --log-level=warn .
fi
bash cli/install/generate.sh
node --disable-warning=ExperimentalWarning test/clocks.ts
node --disable-warning=ExperimentalWarning test/plain_words.ts ${fix:+"$fix"}
commands=build/native/compile_commands.json
[ -e $commands ] || {
  echo "check: the C programs are not built: run \`npm run setup\`" >&2
  exit 1
}
# Pages and service worker see a browser and no Node; their tests see both.
for project in . extension test/extension; do tsc --noEmit -p $project; done

# once NAME COMMAND...: as long as nothing that standard input says has changed since the step passed, it would pass again.
once() {
  local passed=build/$1-passed digest
  digest=$(sha256sum)
  [ "$digest" != "$(cat "$passed" 2>/dev/null)" ] || return 0
  "$@"
  printf '%s\n' "$digest" >"$passed"
}
# By how set-up compiles each file.
tidy() {
  git ls-files --cached --others --exclude-standard '*.c' |
    xargs -P "$(nproc)" -n 20 clang-tidy -p build/native --quiet 2>/dev/null
}
# Every header compiles alone: each is a file that includes nothing else, and many are compiled by one call.
headers() {
  local folder quic header
  folder=$(mktemp -d)
  quic=$(bash cli/install/quic_folder.sh)
  for header in $(git ls-files --cached --others --exclude-standard '*.h'); do
    printf '#include "%s"\n' "$PWD/$header" >"$folder/${header//\//-}.c"
  done
  find "$folder" -name '*.c' -print0 |
    xargs -0 -P "$(nproc)" -n 40 cc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Inative-host -I. -I"$quic/include" -fsyntax-only ||
    {
      echo "check: a header does not compile alone: its name stands above, with a dash for each slash" >&2
      rm -rf "$folder"
      return 1
    }
  rm -rf "$folder"
}
# A lock file that leaves out another platform's packages pleases `npm install`, and then fails every fresh clone. In a folder
# of its own: Debian 12's npm empties node_modules even in a dry run.
lock() {
  local clone
  clone=$(mktemp -d)
  cp package.json package-lock.json .npmrc "$clone"
  (cd "$clone" && timeout 300 npm ci --dry-run --ignore-scripts --no-fund --no-audit --loglevel=error >/dev/null) || {
    rm -rf "$clone"
    return 1
  }
  rm -rf "$clone"
}
{ clang-tidy --version && cat .clang-tidy test/check.sh $commands "${c_files[@]}"; } | once tidy
{ cc --version && cat test/check.sh "${c_files[@]}"; } | once headers
{ npm --version && cat package.json package-lock.json .npmrc; } | once lock
echo "check: formats, lints, types and headers are in order" >&2
