// Writes schemas/generated/NAME.ts from each schemas/NAME.schema.json, so that types and contracts are one thing. A type
// that another schema defines is imported from there. Beside them message_rules.c, by which trilane-host checks messages,
// and transport_settings.h and .c, the options of trilane-replay for TCP and QUIC.
// With --check it writes nothing and fails where a generated file is not what its schema says.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { compileFromFile } from "json-schema-to-typescript";
import { modulesOf } from "./generated_modules.ts";
import { messageRules } from "./message_rules.ts";
import { transportSettings } from "./transport_settings.ts";

const schemas = join(import.meta.dirname, "..", "..", "schemas");
const generated = join(schemas, "generated");
const check = process.argv.includes("--check");
mkdirSync(generated, { recursive: true });

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

const written = new Map([...modulesOf(types)].map(([name, text]) => [`${name}.ts`, text]));
const read = (file: string): unknown => JSON.parse(readFileSync(join(schemas, file), "utf8"));
written.set("message_rules.c", messageRules(read));
for (const [name, text] of transportSettings(read)) written.set(name, text);

let stale = 0;
for (const [name, text] of written) {
  const path = join(generated, name);
  let before = "";
  try {
    before = readFileSync(path, "utf8");
  } catch {
    // not generated yet
  }
  if (before === text) continue;
  if (check) {
    stale++;
    console.error(`schemas/generated/${name} is not what its schema says: run \`npm run generate\``);
  } else {
    writeFileSync(path, text);
    console.log(`schemas/generated/${name}`);
  }
}
process.exitCode = stale > 0 ? 1 : 0;
