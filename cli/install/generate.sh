#!/usr/bin/env bash
# Makes docs/reference.md and schemas/generated (generate_types.ts), which is not committed, if a schema, a generator or what was made has changed: a checkout
# of an earlier commit, which had these files, takes them away. Needs set-up's Node and npm packages.
set -euo pipefail
cd "$(dirname "$0")/../.."
made_of=schemas/generated/made-of
sources=(schemas/*.schema.json package-lock.json cli/install/{exported_rows,generate_types,generated_modules,message_rules,transport_settings}.ts cli/install/generate.sh)
# Of all that it is made of, and of all that was made (each has a dot in its name, the file of the digest has none).
digest() { { cat "${sources[@]}" schemas/generated/*.* 2>/dev/null || true; } | sha256sum; }
# docs/reference.md shows what commands declare, which a digest of schemas does not see.
reference() { node_modules/.bin/node --disable-warning=ExperimentalWarning cli/commands/reference.ts; }
[ ! -e $made_of ] || [ "$(digest)" != "$(cat $made_of)" ] || { reference && exit 0; }
# A run that is ended half-way leaves no digest.
rm -f $made_of
node_modules/.bin/node --disable-warning=ExperimentalWarning cli/install/generate_types.ts
digest >$made_of
reference
