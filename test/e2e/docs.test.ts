// The commands in docs/ that load pages, send flows or fetch objects: each runs once, in the order of the pages, and prints what the page
// shows, whatever the numbers. With TRILANE_KEEP_OUTPUT=FILE they stay there, to be put into the pages.
// Beside others: what a busy machine changes are numbers.
// Long: a whole race is among its commands.
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { difference, documentFolder, outputOf, shownCommands } from "../docs_console.ts";
import { tempFolder } from "../temp_folder.ts";

const folder = tempFolder("trilane-docs-");
const home = join(folder, "home");
before(() => documentFolder(folder));

// A page may show what another one showed.
const outputs = new Map<string, Promise<string>>();
function runOnce(command: string): Promise<string> {
  const known = outputs.get(command) ?? outputOf(command, folder, home);
  outputs.set(command, known);
  return known;
}

for (const shown of shownCommands().filter(({ isMeasured }) => isMeasured))
  test(`${shown.page}: trilane ${shown.command}`, async () => {
    const actual = await runOnce(shown.command);
    if (process.env.TRILANE_KEEP_OUTPUT)
      appendFileSync(process.env.TRILANE_KEEP_OUTPUT, `$ trilane ${shown.command}\n${actual}\n`);
    assert.equal(difference(shown, actual), null, actual);
  });
