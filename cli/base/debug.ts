// TRILANE_DEBUG=part,part in the command line. The parts are those of the C programs (native-host/base/debug.h), whose lines
// are passed on from programs whose standard error is read here.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { UserError } from "./errors.ts";
import { checkout } from "./programs.ts";
import { say } from "./terminal_text.ts";

interface DebugPart {
  readonly name: string;
  readonly about: string;
}

/** The list that all programs share. */
export function debugParts(): DebugPart[] {
  const header = readFileSync(join(checkout, "native-host", "base", "debug.h"), "utf8");
  return [...header.matchAll(/\bPART\((\w+), "([^"]+)"\)/g)].map(([, name = "", about = ""]) => ({ name, about }));
}

/** UserError for a part that there is not. */
export function readDebugParts(wanted: string | undefined): ReadonlySet<string> {
  const names = (wanted ?? "").split(",").filter((name) => name !== "");
  if (names.length === 0) return new Set();
  const known = debugParts().map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UserError(`TRILANE_DEBUG: no part ${JSON.stringify(unknown)}: use one or several of ${known.join(" ")}`);
  return new Set(names);
}

let partsOn: ReadonlySet<string> | null = null;

/** Whether a part is on; UserError where the variable names one that there is not. */
export function isDebugged(part: string): boolean {
  partsOn ??= readDebugParts(process.env.TRILANE_DEBUG);
  return partsOn.has(part);
}

/** A line on standard error if the part is on; only then is it made. */
export function debugLine(part: string, line: () => string): void {
  if (isDebugged(part)) say(`trilane: debug ${part}: ${line()}`);
}

const debugged = /(?<![^\n])trilane(-\w+)?: debug \w+: [^\n]*\n?/g;

/** What a program wrote on standard error, in whole lines, without its debug lines, which are passed on. */
export function passDebugLines(text: string): string {
  for (const [line] of text.matchAll(debugged)) say(line.trimEnd());
  return text.replaceAll(debugged, "");
}

/** Of a longer one, which no program of ours prints, the rest is dropped. */
const longestLine = 65_536;

/**
 * Listens to a program's standard error: debug lines are passed on as they end. Returns what asks, once it has closed, for the
 * last `kept` characters of the other lines.
 */
export function listenToStderr(stream: Readable, kept: number): () => string {
  let said = "";
  let line = "";
  const take = (lines: string) => {
    said = (said + passDebugLines(lines)).slice(-kept);
  };
  // Pieces end anywhere, also within a character.
  stream.setEncoding("utf8").on("data", (piece: string) => {
    const text = line + piece;
    const end = text.lastIndexOf("\n") + 1;
    take(text.slice(0, end));
    line = text.slice(end, end + longestLine);
  });
  return () => {
    take(line);
    line = "";
    return said;
  };
}
