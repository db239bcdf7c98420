// How an option is declared once: what the command line takes of it (commands/words.ts parses), and how help shows it.
import { UserError } from "./errors.ts";

export interface Range {
  readonly least: number;
  /** None: endless. */
  readonly most?: number;
  /** Above `least`, not equal to it. */
  readonly above?: boolean;
  readonly whole?: boolean;
  readonly unit?: string;
}

/** An option as its command declares it: plain data. */
export interface Declared {
  /** A text unless given; a switch needs no value, and `--no-NAME` turns it off. */
  readonly type?: "string" | "number" | "boolean";
  readonly describe?: string;
  /** Without one, an option that is not given is undefined. */
  readonly default?: unknown;
  readonly choices?: readonly string[];
  /** What is accepted beside the choices. */
  readonly orMatching?: { readonly pattern: RegExp; readonly words: string };
  readonly range?: Range;
  readonly demandOption?: boolean;
  /** May be given again, and takes all words that follow it, unless `nargs` is 1. */
  readonly array?: boolean;
  readonly nargs?: 1;
  /** What stands for the value in help: `LINK`. Unless given it follows from the range, the choices or the name. */
  readonly placeholder?: string;
  /** Shown by --help-all only. */
  readonly rare?: boolean;
  /** Taken, but not shown. */
  readonly hidden?: boolean;
  /** What it was called before: the error for that word names it. */
  readonly formerly?: string;
}

/** An option that takes a number within a range. */
export function number<const Rest extends Omit<Declared, "range">>(
  range: Range,
  rest: Rest,
): Rest & { type: "number"; range: Range } {
  return { ...rest, type: "number", range };
}

/** A switch: off unless it is given. */
export const flag = <const Rest extends Omit<Declared, "type" | "default" | "describe">>(
  describe: string,
  rest?: Rest,
) => ({ type: "boolean", default: false, describe, ...rest }) as const;

/** An option that takes a text, and may be given again for more. */
export const repeated = <const Rest extends Omit<Declared, "type" | "array" | "nargs" | "default" | "describe">>(
  describe: string,
  rest?: Rest,
) => ({ array: true, nargs: 1, default: [] as string[], describe, ...rest }) as const;

/** What a range accepts: `a whole number from 1 to 20`, `a number above 0, up to 3600 (seconds)`. */
export function rangeWords({ least, most, above = false, whole = false, unit }: Range): string {
  const kind = whole ? "a whole number" : "a number";
  const from = above ? ` above ${least}` : ` from ${least}`;
  const to = most === undefined ? (above ? "" : " up") : above ? `, up to ${most}` : ` to ${most}`;
  return `${kind}${from}${to}${unit === undefined ? "" : ` (${unit})`}`;
}

const placeholderOfUnit: Readonly<Record<string, string>> = {
  ms: "MS",
  seconds: "SECONDS",
  bytes: "BYTES",
  packets: "PACKETS",
  "per cent": "PERCENT",
};

/** Where the option's name does not say what its value is. */
const placeholderOfName: Readonly<Record<string, string>> = {
  as: "NAME",
  columns: "NAMES",
  control: "SOCKET",
  evidence: "FOLDER",
  "flow-counters": "FILE",
  from: "FORMAT",
  length: "TIME",
  load: "NUMBER",
  log: "FILE",
  mean: "RATE",
  memory: "TIME",
  out: "FILE",
  outage: "TIME",
  "outage-every": "TIME",
  "outage-length": "TIME",
  pcapng: "FILE",
  program: "PATH",
  recording: "NAME",
  "replace-body": "URL=FILE",
  sbatch: "OPTION",
  shards: "FOLDER",
  ssh: "HOSTS",
  sweep: "NUMBER",
  to: "FORMAT",
  "user-data-dir": "FOLDER",
  window: "TIME",
};

/** What stands for an option's value in help and completion; null for a switch. */
export function placeholderOf(name: string, { type, placeholder, range, choices }: Declared): string | null {
  if (type === "boolean") return null;
  if (placeholder !== undefined) return placeholder;
  if (range) return placeholderOfUnit[range.unit ?? ""] ?? "N";
  const listed = choices?.join("|") ?? "";
  if (listed !== "" && listed.length <= 28) return listed;
  return placeholderOfName[name] ?? (name.split("-").at(-1) ?? name).toUpperCase();
}

/** Whether a word is a number of the range, written in decimals. */
export function isWithin(
  { least, most = Number.POSITIVE_INFINITY, above = false, whole = false }: Range,
  word: string,
): boolean {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word)) return false;
  const value = Number(word);
  // An exponent may make it endless.
  return (
    Number.isFinite(value) &&
    (above ? value > least : value >= least) &&
    value <= most &&
    (!whole || Number.isInteger(value))
  );
}

const units_ms = { s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** UserError for what is no length of time. */
export function parseTime_ms(text: string, what: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*(s|min|h|d)$/.exec(text) ?? [];
  const time_ms = Number(amount) * units_ms[unit as keyof typeof units_ms];
  if (!(time_ms > 0)) throw new UserError(`${what} must be a time as 90s, 30min or 8h (got ${JSON.stringify(text)})`);
  return time_ms;
}
