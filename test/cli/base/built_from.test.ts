// Whether programs are of the sources beside them: by what the sources say, not by when they were written.
import assert from "node:assert/strict";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { olderPrograms, sourcesDigest } from "../../../cli/base/built_from.ts";
import { tempFolder } from "../../temp_folder.ts";

const root = tempFolder("trilane-built-from-");

const older = "the C programs are older than this checkout: run `npm run setup`";

function write(path: string, text: string): void {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
}

test("programs of other sources are older; another time of a file, a generated one and an example change nothing", () => {
  write("native-host/a/a.c", "int a;");
  write("shaper/b.c", "int b;");
  write("schemas/message.schema.json", "{}");
  assert.equal(olderPrograms({}, root), older, "built before set-up wrote what they are of");
  write("build/native/built-from", `${sourcesDigest(root)}\n`);
  assert.equal(olderPrograms({}, root), null);
  utimesSync(join(root, "shaper/b.c"), 1, 1);
  write("schemas/generated/a.json", "{}");
  write("schemas/examples/a.json", "{}");
  write("native-host/README.md", "text");
  assert.equal(olderPrograms({}, root), null);
  write("schemas/message.schema.json", '{"a": 1}');
  assert.equal(olderPrograms({}, root), older);
  const elsewhere = join(root, "elsewhere");
  assert.equal(olderPrograms({ TRILANE_PROGRAMS: elsewhere }, root), null, "of others' programs nothing is known");
  write("elsewhere/built-from", "other");
  assert.equal(olderPrograms({ TRILANE_PROGRAMS: elsewhere }, root), older);
});
