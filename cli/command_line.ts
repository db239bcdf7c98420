// Finds the command, prints its errors as one line, sets the exit status. No command's logic.
import { inspect } from "node:util";
import type { CommandError } from "../schemas/generated/error.ts";
import { olderPrograms } from "./base/built_from.ts";
import { debugParts, isDebugged } from "./base/debug.ts";
import { explain, UserError } from "./base/errors.ts";
import { closedPipe } from "./base/interruption.ts";
import { printLines, say, terminalJson } from "./base/terminal_text.ts";
import { version } from "./base/version.ts";
import { declaredCommand, declaredCommands, declaredSections, loadCommand } from "./commands/all.ts";
import type { CommonOptions } from "./commands/command.ts";
import type { Declaration } from "./commands/declared.ts";
import { helpOf, programHelp } from "./commands/help.ts";
import { type Answer, readWords } from "./commands/words.ts";

/** `help race` is `race --help`. */
function withHelp([first, ...rest]: readonly string[]): string[] {
  return first === "help" ? [...rest, "--help"] : first === undefined ? [] : [first, ...rest];
}

const words = withHelp(process.argv.slice(2));
const end = words.indexOf("--");
const ours = end < 0 ? words : words.slice(0, end);

const asJson = ours.includes("--json") || ours.includes("--json=true");

/** An error is one line; with --json a document of schemas/error.schema.json, on standard error too. */
function sayError(text: string, status: number, stack: readonly string[] = []): void {
  const message = text.replaceAll(/\s*\n\s*/g, "; ");
  const document: CommandError = { schema: "trilane/error/1", status, message };
  if (asJson) say(terminalJson(stack.length === 0 ? document : { ...document, stack: [...stack] }));
  else for (const line of [...stack, `trilane: ${message}`]) say(line);
}

/** What nothing explains is a fault of ours: it is shown with where it arose, and ends what may still be under way. */
function endBadly(error: unknown): void {
  const explained = explain(error);
  // Behind it, as it may be another's fault.
  const older = error instanceof UserError ? null : olderPrograms();
  if (explained) {
    const stack = ours.includes("--debug") && error instanceof Error ? (error.stack ?? "").split("\n") : [];
    sayError(older ? `${explained.line} (${older})` : explained.line, explained.status, stack);
    process.exitCode = explained.status;
    return;
  }
  if (older) sayError(`${older} (${error instanceof Error ? error.message : inspect(error)})`, 1);
  else if (asJson) sayError(inspect(error), 1);
  else for (const line of inspect(error).split("\n")) say(line);
  process.exit(1);
}

const widestHelp = 120;

const debugRows = () => debugParts().map(({ name, about }) => [name, about] as const);

/** What is printed in place of running a command. */
async function answerText(answer: Answer, command: Declaration | null): Promise<string> {
  if (answer === "version") return version;
  const size = { columns: Math.min(widestHelp, process.stdout.columns ?? 80), isAll: answer === "help-all" };
  if (command) return helpOf(command, size);
  return programHelp(await declaredSections(), debugRows(), size);
}

async function main(): Promise<void> {
  isDebugged("");
  const named = await declaredCommand(words[0] ?? "");
  // Words that do not begin with a command name one later, or a mistake.
  const { command, answer, values } = readWords(named ? [named] : await declaredCommands(), words);
  if (answer) return printLines((await answerText(answer, command)).split("\n"));
  const found = await loadCommand(command?.name ?? "");
  // The values are as the command declares its options.
  await found?.run(values as unknown as CommonOptions, {
    pageSource: async () => (await import("./pages/source.ts")).pages,
    report: async (results, sweep) => await (await import("./instruments/all.ts")).reportOfAny(results, sweep, {}),
    plannedPages: async (...given) => await (await import("./instruments/all.ts")).plannedPages(...given),
    bundled: async (kind) => await (await import("./instruments/all.ts")).bundledSweeps(kind),
  });
}

const pipe = closedPipe(process);

// A terminal that was closed (EIO) is no error of ours either, and there is work then that is ended cleanly.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EIO" || (pipe.isClosed() && error.code === "ERR_STREAM_DESTROYED")) return;
    if (error.code === "EPIPE") return pipe.close();
    // Nothing can be said where standard error is what fails.
    if (stream === process.stdout)
      sayError(
        `standard output: ${error.code === "ENOSPC" ? "no space left: free some, or write elsewhere" : error.message}`,
        1,
      );
    process.exit(1);
  });
}

// As of a timer or a stream, which no command awaits.
process.on("uncaughtException", (error) => {
  endBadly(error);
  process.exit();
});

try {
  await main();
} catch (error) {
  endBadly(error);
}
