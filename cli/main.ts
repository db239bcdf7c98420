// `trilane`: finds the command, prints its errors as one line, sets the exit status. No command's logic.
import { inspect } from "node:util";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import type { CommandError } from "../schemas/generated/error.ts";
import { closedPipe } from "./closed_pipe.ts";
import { allCommands } from "./commands/all.ts";
import { moduleOf } from "./commands/command.ts";
import { declarationOf } from "./commands/declared.ts";
import { checkWords, commonOptions, refusalOf } from "./commands/words.ts";
import { explain } from "./errors.ts";
import { rareServingOptions } from "./serving/options.ts";
import { say, terminalJson } from "./terminal.ts";
import { version } from "./version.ts";

/** `help race` is `race --help`. */
function withHelp([first, ...rest]: readonly string[]): string[] {
  return first === "help" ? [...rest, "--help"] : first === undefined ? [] : [first, ...rest];
}

const words = withHelp(hideBin(process.argv));
const end = words.indexOf("--");
const ours = end < 0 ? words : words.slice(0, end);

const asJson = ours.includes("--json") || ours.includes("--json=true");

/** An error is one line; with --json a document of schemas/error.schema.json, on standard error too. */
function sayError(text: string, status: number): void {
  const message = text.replaceAll(/\s*\n\s*/g, "; ");
  const document: CommandError = { schema: "trilane/error/1", status, message };
  say(asJson ? terminalJson(document) : `trilane: ${message}`);
}

function sayLines(text: string): void {
  for (const line of text.split("\n")) say(line);
}

/** What nothing explains is a fault of ours: it is told with where it arose, and ends what may still be under way. */
function endBadly(error: unknown): void {
  const explained = explain(error);
  if (explained) {
    if (ours.includes("--debug") && error instanceof Error) sayLines(error.stack ?? "");
    sayError(explained.line, explained.status);
    process.exitCode = explained.status;
    return;
  }
  if (asJson) sayError(inspect(error), 1);
  else sayLines(inspect(error));
  process.exit(1);
}

async function main(): Promise<void> {
  checkWords(allCommands.map(declarationOf), words);
  const isAll = ours.includes("--help-all");
  const parser = yargs(isAll ? [...ours, "--help"] : words)
    .scriptName("trilane")
    .usage("trilane COMMAND\n\nRaces a web page over HTTP/1.1, HTTP/2 and HTTP/3 on an emulated link.")
    .options(commonOptions)
    .parserConfiguration({ "populate--": true, "camel-case-expansion": true })
    .wrap(Math.min(100, process.stdout.columns ?? 80))
    .version(version)
    .alias("version", "V")
    .help()
    .alias("help", "h")
    .option("help-all", { type: "boolean", describe: "show help with the rare options too" })
    .strict()
    .exitProcess(false)
    .fail((message, error) => {
      throw refusalOf(message, error);
    });
  for (const command of allCommands) parser.command(moduleOf(command, isAll ? [] : rareServingOptions));
  await parser.parseAsync();
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
