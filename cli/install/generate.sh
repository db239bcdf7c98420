#!/usr/bin/env bash
# Makes schemas/generated (generate_types.ts), which is not committed, if a schema or a generator has changed since it was made.
# The digest of what it was made of stands in that folder, so it goes with it. Needs set-up's Node and npm packages.
set -euo pipefail
cd "$(dirname "$0")/../.."
made_of=schemas/generated/made-of
digest=$(cat schemas/*.schema.json package-lock.json cli/install/{exported_rows,generate_types,generated_modules,message_rules,transport_settings}.ts | sha256sum)
[ "$digest" != "$(cat $made_of 2>/dev/null)" ] || exit 0
# A run that is ended half-way leaves no digest.
rm -f $made_of
node_modules/.bin/node --disable-warning=ExperimentalWarning cli/install/generate_types.ts
printf '%s\n' "$digest" >$made_of
