// All that the command line prints. Text from pages, HARs, databases and other hosts is in most of it, and a terminal takes
// control characters for commands: they are shown, not sent. Marks that turn the direction of text round would disguise URLs.

import { once } from "node:events";

const commands = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The same for a file that others show: each of them is a question mark. */
export const plainCharacters = (text: string): string => text.replaceAll(commands, "?");

/** One line, whatever is in it. Colours are put round it afterwards. */
export function terminalText(text: string): string {
  return text.replaceAll(commands, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, "0")}` : `\\u${code.padStart(4, "0")}`;
  });
}

/** JSON in one line. JSON.stringify escapes what is below space, but neither DEL nor C1. */
export function terminalJson(document: unknown): string {
  return JSON.stringify(document).replaceAll(commands, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** To standard output. */
export function printLines(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${terminalText(line)}\n`).join(""));
}

/** A line of which so many first characters are in a colour (SGR), on a terminal that takes colours. */
export interface ShownLine {
  readonly text: string;
  readonly colour?: string;
  readonly coloured?: number;
}

/** Coloured after its text was made safe; `hasColour`: whether there are colours at all. */
export function painted({ text, colour, coloured = 0 }: ShownLine, hasColour: boolean): string {
  const line = terminalText(text);
  if (colour === undefined || !hasColour || line.length < coloured) return line;
  return `\x1b[${colour}m${line.slice(0, coloured)}\x1b[0m${line.slice(coloured)}`;
}

/** To standard output, in colour if that is a terminal and NO_COLOR is not set. */
export function printShown(lines: readonly (string | ShownLine)[]): void {
  const { stdout, env } = process;
  const hasColour = Boolean(stdout.isTTY) && !env.NO_COLOR && env.TERM !== "dumb";
  stdout.write(
    lines.map((line) => `${painted(typeof line === "string" ? { text: line } : line, hasColour)}\n`).join(""),
  );
}

/** To standard output. */
export function printJson(document: unknown): void {
  process.stdout.write(`${terminalJson(document)}\n`);
}

/** A file written to standard output as it is: no faster than its reader takes it. */
export async function printFile(
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  for await (const piece of pieces) if (!process.stdout.write(piece)) await once(process.stdout, "drain");
}

/** A line to standard error. */
export function say(line: string): void {
  process.stderr.write(`${terminalText(line)}\n`);
}
