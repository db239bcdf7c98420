// The commands in docs/: each runs once and prints what the page shows; of those that load pages, send flows or fetch objects, whatever
// the numbers. With TRILANE_KEEP_OUTPUT=FILE they stay there, to be put into the pages.
// Beside others: what a busy machine changes are numbers.
// Long: a whole race is among its commands.
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { difference, documentFolder, outputOf, shownCommands } from "../docs_console.ts";
import { tempFolder } from "../temp_folder.ts";

const folder = documentFolder(tempFolder("trilane-docs-"));
const commands = shownCommands();

/** Of commands that use nothing that others stored. They run in a second home, beside the rest. A plan in a file names recordings. */
const standsAlone = /^(?:fetch|flows|shell|compare|links|plan(?! \S+\.json)|trace) /;

/** In each home one after another, in the order of the pages. A page may show what another one showed. */
const outputs = new Map<string, Promise<string>>();
const newest = new Map<string, Promise<string>>();
for (const { command } of commands) {
  if (outputs.has(command)) continue;
  const home = join(folder, standsAlone.test(command) ? "second" : "home");
  const output = (newest.get(home) ?? Promise.resolve("")).then(() => outputOf(command, folder, home));
  outputs.set(command, output);
  newest.set(home, output);
}

test("docs/ shows commands that measure nothing, too", () => {
  assert.ok(commands.filter(({ isMeasured }) => !isMeasured).length >= 8);
});

for (const shown of commands)
  test(`${shown.page}: trilane ${shown.command}`, async () => {
    const actual = (await outputs.get(shown.command)) ?? "";
    if (process.env.TRILANE_KEEP_OUTPUT)
      appendFileSync(process.env.TRILANE_KEEP_OUTPUT, `$ trilane ${shown.command}\n${actual}\n`);
    assert.equal(difference(shown, actual), null, actual);
  });
