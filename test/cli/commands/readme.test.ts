// What the documents say must be so: each command in them can be given, and each link has a file and a heading at its end.
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { declaredCommands } from "../../../cli/commands/all.ts";
import { readWords } from "../../../cli/commands/words.ts";
import { wordsOf } from "../../docs_console.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const documents = globSync(["*.md", "{cli,docs,extension,native-host,schemas,shaper}/**/*.md"], { cwd: root });
const textOf = (document: string): string => readFileSync(join(root, document), "utf8");
const commands = await declaredCommands();

test("each command that a document shows can be given", () => {
  let count = 0;
  for (const document of documents)
    for (const [, block = ""] of textOf(document).matchAll(/^```sh\n(.*?)^```/gms))
      for (const [, line = ""] of block.matchAll(/^(?:npx )?trilane (.*)$/gm)) {
        count++;
        assert.doesNotThrow(() => readWords(commands, wordsOf(line)), `${document}: trilane ${line}`);
      }
  assert.ok(count > 50, `${count} commands`);
});

test("each link to a file of ours leads to it, and to a heading there", () => {
  const anchorsOf = (text: string): string[] =>
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    );
  for (const document of documents)
    for (const [, target = ""] of textOf(document).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? document : join(dirname(document), path);
      assert.ok(existsSync(join(root, file)), `${document}: ${target}`);
      if (anchor !== undefined) assert.ok(anchorsOf(textOf(file)).includes(anchor), `${document}: ${target}`);
    }
});
