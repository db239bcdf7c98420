// Writes schemas/generated/NAME.ts from each schemas/NAME.schema.json, so that types and contracts are one thing. A type
// that another schema defines is imported from there. Beside them the schemas of an export's rows, message_rules.c, by which
// trilane-host checks messages, and transport_settings.h and .c, the options of trilane-replay for TCP and QUIC. A file that
// stays the same is not touched, so that nothing is compiled again; one that no schema asks for any more is removed.
// generate.sh runs it if something changed.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { compileFromFile } from "json-schema-to-typescript";
import { exportedRows } from "./exported_rows.ts";
import { modulesOf } from "./generated_modules.ts";
import { messageRules } from "./message_rules.ts";
import { transportSettings } from "./transport_settings.ts";

const schemas = join(import.meta.dirname, "..", "..", "schemas");
const generated = join(schemas, "generated");
mkdirSync(generated, { recursive: true });
const obsolete = new Set(readdirSync(generated));

const read = (file: string): unknown => JSON.parse(readFileSync(join(schemas, file), "utf8"));

function put([name, text]: readonly [name: string, text: string]): void {
  const path = join(generated, name);
  if (!obsolete.delete(name) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
}

// First of all: export.schema.json refers to them.
for (const row of exportedRows(read)) put(row);

const files = readdirSync(schemas).filter((name) => name.endsWith(".schema.json"));
const moduleOf = (file: string): string => basename(file, ".schema.json").replaceAll("-", "_");
const types = await Promise.all(
  files.map(async (file) => ({
    name: moduleOf(file),
    text: await compileFromFile(join(schemas, file), {
      cwd: schemas,
      additionalProperties: false,
      bannerComment: `// Generated from ../${file} by \`npm run generate\`: change the schema instead.`,
      style: { printWidth: 120 },
    }),
    refersTo: files
      .filter((other) => other !== file && readFileSync(join(schemas, file), "utf8").includes(`"$ref": "${other}`))
      .map(moduleOf),
  })),
);
for (const [name, text] of modulesOf(types)) put([`${name}.ts`, text]);
put(["message_rules.c", messageRules(read)]);
for (const table of transportSettings(read)) put(table);
for (const name of obsolete) rmSync(join(generated, name));
