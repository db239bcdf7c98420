// `trilane`: finds the command, prints its errors as one line, sets the exit status. No command's logic.
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { allCommands } from "./commands/all.ts";
import { moduleOf } from "./commands/command.ts";
import { EndedEarlyError, endedEarlyStatus, RunError, UserError } from "./errors.ts";
import { say } from "./terminal.ts";
import { version } from "./version.ts";

/** The call that explains what was called: the command's own help where there is such a command. */
function helpFor(word: string | undefined): string {
  const known = allCommands.some((command) => command.usage.split(" ")[0] === word);
  return known ? `trilane ${word} --help` : "trilane --help";
}

/** One line and exit status for an error that names a thing the user can mend; null for a fault of ours. */
function explain(error: unknown): { line: string; status: number } | null {
  if (error instanceof UserError) return { line: error.message, status: 2 };
  if (error instanceof EndedEarlyError) return { line: error.message, status: endedEarlyStatus };
  if (error instanceof RunError) return { line: error.message, status: 1 };
  // What yargs finds before it asks our `fail`: an option without its value.
  if (error instanceof Error && error.name === "YError")
    return { line: `${error.message}; see \`${helpFor(hideBin(process.argv)[0])}\``, status: 2 };
  if (!(error instanceof Error) || !("syscall" in error)) return null;
  const { code, path, message } = error as NodeJS.ErrnoException;
  const where = path ? `${path}: ` : "";
  if (code === "ENOSPC")
    return { line: `${where}no space left: free some, or name another folder with --home`, status: 1 };
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return { line: `${where}may not be written or read: name another folder with --home`, status: 2 };
  if (code === "ENOENT") return { line: `${where}no such file or folder`, status: 2 };
  return { line: message, status: 1 };
}

/** An error is one line. */
const sayError = (line: string): void => say(`trilane: ${line.replaceAll("\n", "; ")}`);

/** Options that may be given several times; yargs would make a list of any other, too. */
const repeatable = new Set([
  "--page",
  "--remove-host",
  "--remove-url",
  "--replace-body",
  "--resolve",
  "--sbatch",
  "--sweep",
  "--trust",
]);

function refuseRepeated(words: readonly string[]): void {
  const end = words.indexOf("--");
  const seen = new Set<string>();
  for (const word of end < 0 ? words : words.slice(0, end)) {
    const [name = ""] = word.split("=");
    if (!name.startsWith("--") || repeatable.has(name)) continue;
    if (seen.has(name)) throw new UserError(`${name} is given more than once: give it once`);
    seen.add(name);
  }
}

async function main(words: string[]): Promise<void> {
  refuseRepeated(words);
  const parser = yargs(words)
    .scriptName("trilane")
    .usage("trilane COMMAND\n\nRaces a web page over HTTP/1.1, HTTP/2 and HTTP/3 on an emulated link.")
    .option("home", { type: "string", describe: "folder of recordings and results (default: TRILANE_HOME, or XDG)" })
    .option("json", { type: "boolean", default: false, describe: "one JSON document, or lines of events" })
    .parserConfiguration({ "populate--": true, "camel-case-expansion": true })
    .wrap(Math.min(100, process.stdout.columns ?? 80))
    .version(version)
    .help()
    .alias("help", "h")
    .strict()
    .demandCommand(1, "name a command")
    .recommendCommands()
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? new UserError(`${message}; see \`${helpFor(words[0])}\``);
    });
  for (const command of allCommands) parser.command(moduleOf(command));
  await parser.parseAsync();
}

// A reader that went away (`trilane list | head`) is no error of ours. Nor is a terminal that was closed (EIO), and
// there is work then that is ended cleanly.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EIO") return;
    if (error.code === "EPIPE") process.exit(0);
    // Nothing can be said where standard error is what fails.
    if (stream === process.stdout)
      sayError(
        `standard output: ${error.code === "ENOSPC" ? "no space left: free some, or write elsewhere" : error.message}`,
      );
    process.exit(1);
  });
}

try {
  await main(hideBin(process.argv));
} catch (error) {
  const explained = explain(error);
  if (!explained) throw error;
  sayError(explained.line);
  process.exitCode = explained.status;
}
