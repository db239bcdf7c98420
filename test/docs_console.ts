// The commands in docs/ and what they print. A block ```console holds commands after `$ ` with their output; a line `...` stands for
// any number of lines. ```console loads: its numbers are measured, so each number equals any other one.
import { type ExecFileException, execFile } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "..");
export const pages = globSync("docs/*.md", { cwd: root }).toSorted();
export const textOf = (page: string): string => readFileSync(join(root, page), "utf8");

export interface Shown {
  readonly page: string;
  readonly command: string;
  readonly output: string;
  readonly isMeasured: boolean;
}

/** As a shell splits it, of what documents use: quotes, comments, a pipe or redirection, a second command. */
export function wordsOf(line: string): string[] {
  const [command = ""] = line.split(/ #| [|>]|>>| && /);
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? "",
  );
}

/** In the order of the pages. */
export function shownCommands(of: readonly string[] = pages): Shown[] {
  return of.flatMap((page) =>
    [...textOf(page).matchAll(/^```console( loads)?\n(.*?)^```/gms)].flatMap(([, loads, block = ""]) =>
      block
        .split(/^\$ trilane /m)
        .slice(1)
        .map((part) => {
          const [command = "", ...lines] = part.split("\n");
          return { page, command, output: lines.join("\n"), isMeasured: loads !== undefined };
        }),
    ),
  );
}

/** A folder as the pages suppose it: a HAR, and each plan that a page shows. */
export function documentFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(root, "test/fixtures/har/chrome-devtools.har"), join(folder, "shop.har"));
  for (const page of pages)
    for (const [, plan = ""] of textOf(page).matchAll(/^```json\n(.*?)^```/gms)) {
      const { name } = JSON.parse(plan) as { readonly name: string };
      writeFileSync(join(folder, `${name}.json`), plan);
    }
  return folder;
}

/** What the command printed on standard output; on standard error where it failed. */
export function outputOf(command: string, folder: string, home: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const env = { ...process.env, TRILANE_HOME: home, NO_COLOR: "1", COLUMNS: "80" };
  const ended = (error: ExecFileException | null, stdout: string, stderr: string): void =>
    resolve(stdout === "" && error ? stderr : stdout);
  execFile(
    join(root, "cli", "trilane"),
    wordsOf(command),
    { cwd: folder, env, maxBuffer: 1e8, timeout: 400_000 },
    ended,
  );
  return promise;
}

/** Days, sums and folders differ from run to run; of what is measured, all numbers and what is drawn by them. */
function normal(text: string, isMeasured: boolean): string {
  const same = text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?/g, "DAY")
    .replaceAll(/\b[0-9a-f]{16,64}\b/g, "SUM")
    .replaceAll(/(?:~|\/[\w.-]+)(?:\/[\w.-]+)*\/(?=[\w.-]+)/g, "");
  const measured = isMeasured
    ? same
        .replaceAll(/[.|*-]{20,}/g, "TRACK")
        .replaceAll(/[-−]?\d+(?:\.\d+)?(?: (?=[kM]?(?:B|bit)\b))?/g, "N")
        .replaceAll(/N(?:[kM]?(?:bit\/s|bit|B)\b)/g, "N SIZE")
        // Of a busy machine.
        .replaceAll(
          / N of N attempts? do(?:es)? not count(?:: the machine disturbed (?:it|them)|; the machine disturbed N of them)\./g,
          "",
        )
    : same;
  return measured.trim();
}

/** Null: the output is as shown. Else the part that it has not, or not in its place. */
export function difference({ output, isMeasured }: Shown, actual: string): string | null {
  const given = normal(actual, isMeasured);
  const parts = output.split(/^\.\.\.$/m).map((part) => normal(part, isMeasured));
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const found = isLast && parts.length > 1 ? given.lastIndexOf(part) : given.indexOf(part, at);
    if (found < at || (index === 0 && found > 0)) return part;
    at = found + part.length;
    if (isLast && part !== "" && at < given.length) return `${part} (the end)`;
  }
  return null;
}
