// The numbers that a command prints, or writes into a file. What is not a number is missing, with the reason. Pure
// but for reading that file.
import type { CommandNumber } from "../../../../schemas/generated/command_record.ts";
import { UserError } from "../../../base/errors.ts";
import { readForeignJson } from "../../../base/foreign_file.ts";

interface Pattern {
  readonly name: string;
  readonly pattern: string;
}

const mostNames = 1000;

/** Why a pattern cannot be; null: it can. */
export function numberFault({ name, pattern }: Pattern): string | null {
  try {
    // An alternative that is empty matches everything: what comes of it is how many groups there are.
    const groups = (new RegExp(`${pattern}|`).exec("")?.length ?? 1) - 1;
    return groups > 0 ? null : `number ${name}: the pattern ${pattern} has no parentheses: put the number in some`;
  } catch (error) {
    return `number ${name}: ${error instanceof Error ? error.message : "no regular expression"}`;
  }
}

const short = (text: string): string => JSON.stringify(text.slice(0, 60));

function numberOf(name: string, text: string): CommandNumber {
  const value = text.trim() === "" ? Number.NaN : Number(text.trim().replace(/^\+/, ""));
  return Number.isFinite(value)
    ? { name, value, reason: null }
    : { name, value: null, reason: `${short(text)} is not a number` };
}

/** Of several matches the last. `isCut`: the middle of the output is missing. */
export function printedNumbers(output: string, patterns: readonly Pattern[], isCut: boolean): CommandNumber[] {
  return patterns.map(({ name, pattern }) => {
    const text = [...output.matchAll(new RegExp(pattern, "gm"))].at(-1)?.[1];
    if (text !== undefined) return numberOf(name, text);
    const where = isCut ? "in the beginning and the end of what the command printed" : "in what the command printed";
    return { name, value: null, reason: `${pattern} is not ${where}` };
  });
}

/** What is no object of numbers is one missing number, by the file's name. */
export function writtenNumbers(file: string): CommandNumber[] {
  const missing = (reason: string): CommandNumber[] => [{ name: file.slice(-120), value: null, reason }];
  let document: unknown;
  try {
    document = readForeignJson(file);
  } catch (error) {
    if (error instanceof SyntaxError) return missing("not JSON");
    if (error instanceof UserError) return missing("no regular file, or too large");
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return missing(isMissing ? "the command wrote no such file" : "cannot be read");
  }
  if (typeof document !== "object" || document === null || Array.isArray(document))
    return missing("no JSON object of names and numbers");
  return Object.entries(document)
    .slice(0, mostNames)
    .map(([key, value]): CommandNumber => {
      const name = key.slice(0, 120) || "(no name)";
      if (typeof value === "number" && Number.isFinite(value)) return { name, value, reason: null };
      return { name, value: null, reason: `${short(JSON.stringify(value) ?? "undefined")} is not a number` };
    });
}
