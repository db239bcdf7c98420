// Writes schemas/generated/NAME.ts from each schemas/NAME.schema.json, so that types and contracts are one thing. A type
// that another schema defines is imported from there. Beside them the schemas of an export's rows, message_rules.c, by which
// trilane-host checks messages, and transport_settings.h and .c, the options of trilane-replay for TCP and QUIC.
// With --check it writes nothing and fails where a generated file is not what its schema says.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { compileFromFile } from "json-schema-to-typescript";
import { exportedRows } from "./exported_rows.ts";
import { modulesOf } from "./generated_modules.ts";
import { messageRules } from "./message_rules.ts";
import { transportSettings } from "./transport_settings.ts";

const schemas = join(import.meta.dirname, "..", "..", "schemas");
const generated = join(schemas, "generated");
const check = process.argv.includes("--check");
mkdirSync(generated, { recursive: true });

const read = (file: string): unknown => JSON.parse(readFileSync(join(schemas, file), "utf8"));

function put([name, text]: readonly [name: string, text: string]): void {
  const path = join(generated, name);
  let before = "";
  try {
    before = readFileSync(path, "utf8");
  } catch {
    // not generated yet
  }
  if (before === text) return;
  if (check) {
    process.exitCode = 1;
    console.error(`schemas/generated/${name} is not what its schema says: run \`npm run generate\``);
  } else {
    writeFileSync(path, text);
    console.log(`schemas/generated/${name}`);
  }
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
