// What a command line is refused with, without a process of its own: its words are read and run, and the error explained, as
// cli/command_line.ts does. For words with which a command ends before it measures or prints anything.
import assert from "node:assert/strict";
import { explain } from "../../cli/base/errors.ts";
import { declaredCommands, loadCommand } from "../../cli/commands/all.ts";
import type { CommonOptions } from "../../cli/commands/command.ts";
import { readWords } from "../../cli/commands/words.ts";
import { bundledSweeps } from "../../cli/instruments/all.ts";
import { pages } from "../../cli/pages/source.ts";

async function run(words: readonly string[]): Promise<void> {
  const { command, values } = readWords(await declaredCommands(), words);
  const found = await loadCommand(command?.name ?? "");
  await found?.run(values as unknown as CommonOptions, {
    pageSource: async () => pages,
    report: () => assert.fail("refused words reach no report"),
    plannedPages: () => assert.fail("refused words plan no pages"),
    bundled: bundledSweeps,
  });
}

/** Of what a command prints; the test runner's own reports, which are bytes, pass. */
async function printedBy(work: () => Promise<void>): Promise<string> {
  const { write } = process.stdout;
  let printed = "";
  process.stdout.write = ((chunk: string | Uint8Array, ...rest: []) => {
    if (typeof chunk !== "string") return write.call(process.stdout, chunk, ...rest);
    printed += chunk;
    return true;
  }) as typeof write;
  await work().finally(() => {
    process.stdout.write = write;
  });
  return printed;
}

/** They are refused with status 2 and one line that matches; nothing is printed. */
export async function assertRefused(words: readonly string[], line: RegExp): Promise<void> {
  const printed = await printedBy(() =>
    assert.rejects(run(words), (error) => {
      const explained = explain(error);
      assert.equal(explained?.status, 2, `${words.join(" ")}: ${error}`);
      assert.match(explained.line, /^[^\n]+$/, `${words.join(" ")}: one line`);
      assert.match(explained.line, line);
      return true;
    }),
  );
  assert.equal(printed, "", words.join(" "));
}
