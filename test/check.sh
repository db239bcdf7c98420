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
# As long as nothing of it has changed since it passed, it would again. It goes by how set-up compiles each file.
commands=build/native/compile_commands.json
[ -e $commands ] || {
  echo "check: the C programs are not built: run \`npm run setup\`" >&2
  exit 1
}
tidy=$({ clang-tidy --version && cat .clang-tidy $commands "${c_files[@]}"; } | sha256sum)
[ "$tidy" = "$(cat build/tidy-passed 2>/dev/null)" ] || {
  git ls-files --cached --others --exclude-standard '*.c' |
    xargs -P "$(nproc)" -n 20 clang-tidy -p build/native --quiet 2>/dev/null
  printf '%s\n' "$tidy" >build/tidy-passed
}
tsc --noEmit
# Pages and service worker see a browser and no Node; their tests see both.
tsc --noEmit -p extension
tsc --noEmit -p test/extension
# A lock file that leaves out another platform's packages pleases `npm install`, and then fails every fresh clone. In a folder
# of its own: Debian 12's npm empties node_modules even in a dry run.
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
cp package.json package-lock.json .npmrc "$clone"
(cd "$clone" && timeout 300 npm ci --dry-run --ignore-scripts --no-fund --no-audit --loglevel=error >/dev/null)
# Every header compiles alone.
quic=$(bash cli/install/quic_folder.sh)
for header in $(git ls-files --cached --others --exclude-standard '*.h'); do
  printf '#include "%s"\n' "$PWD/$header" |
    cc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Inative-host -I. -I"$quic/include" -x c -fsyntax-only - || {
    echo "check: $header does not compile alone" >&2
    exit 1
  }
done
echo "check: formats, lints, types and headers are in order" >&2
