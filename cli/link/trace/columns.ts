// Tables of numbers as people keep measured rates: CSV with a header, or with columns named by the reader. Finds out which
// columns hold time and rate, and in what unit. Reads lines; makes no rates.
import { UserError } from "../../base/errors.ts";
import { lineError, quoted, type TextLine } from "../../base/text_lines.ts";

export interface TableColumns {
  /** Places in a row, from 0. */
  readonly time: number;
  readonly rate: number;
  readonly timeUnit_ms: number;
  readonly rateUnit_bps: number;
}

const timeUnits_ms: ReadonlyMap<string, number> = new Map([
  ["us", 1e-3],
  ["ms", 1],
  ["s", 1e3],
  ["sec", 1e3],
  ["second", 1e3],
  ["seconds", 1e3],
  ["min", 60e3],
]);

const rateUnits_bps: ReadonlyMap<string, number> = new Map(
  (
    [
      ["", 1],
      ["k", 1e3],
      ["m", 1e6],
      ["g", 1e9],
    ] as const
  ).flatMap(([prefix, factor]) =>
    ["bps", "bit", "bits", "bitps", "bits_per_second"].map((unit): [string, number] => [`${prefix}${unit}`, factor]),
  ),
);

const timeNames = ["time", "timestamp", "t", "start", "elapsed"];
const rateNames = ["rate", "throughput", "bandwidth", "bw", "goodput", "capacity", "speed", "download", "upload"];

/** `rate_mbps`, `Rate (Mbit/s)`, `throughput [kbit/s]`: name and unit, in small letters. */
function partsOf(title: string): { name: string; unit: string } {
  const plain = title
    .toLowerCase()
    .replaceAll('"', "")
    .replaceAll(/bit\/s|b\/s/g, "bps")
    .trim();
  const match = /^([a-z]+)[\s_]*[([]?([a-z_]*)[)\]]?$/.exec(plain);
  return { name: match?.[1] ?? plain, unit: match?.[2] ?? "" };
}

/** Separated by commas, semicolons, tabs or blanks, whichever the line has first in this order. */
export function cellsOf(line: string): string[] {
  const separator = [",", ";", "\t"].find((each) => line.includes(each)) ?? /\s+/;
  return line
    .trim()
    .split(separator)
    .map((cell) => cell.trim());
}

/** Whether a row names columns: none of its cells is a number. */
export function isHeader(line: string): boolean {
  return cellsOf(line).every((cell) => cell === "" || !Number.isFinite(Number(cell)));
}

/** The columns that titles name. UserError, beginning with `where`, where time or rate is missing or has no unit. */
export function readColumns(titles: readonly string[], where: string): TableColumns {
  const parts = titles.map(partsOf);
  const example = 'name the columns with --columns, as "time_s,rate_mbps"';
  const find = (what: string, names: readonly string[], units: ReadonlyMap<string, number>) => {
    const place = parts.findIndex(({ name }) => names.includes(name));
    const part = parts[place];
    if (!part) throw new UserError(`${where}: no column of ${what}s: ${example}`);
    const unit = units.get(part.unit);
    if (unit === undefined)
      throw new UserError(
        `${where}: column ${quoted(titles[place] ?? "")} has no unit of ${what} that is known: ${example}`,
      );
    return { place, unit };
  };
  const time = find("time", timeNames, timeUnits_ms);
  const rate = find("rate", rateNames, rateUnits_bps);
  return { time: time.place, rate: rate.place, timeUnit_ms: time.unit, rateUnit_bps: rate.unit };
}

/** A number of a row. UserError with file and line where there is none. */
export function numberIn(path: string, line: TextLine, cells: readonly string[], place: number, what: string): number {
  const text = cells[place];
  if (text === undefined)
    throw lineError(
      path,
      line.number,
      `${quoted(line.text)} has ${cells.length} columns: the ${what} is in column ${place + 1}`,
    );
  const value = text === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) throw lineError(path, line.number, `${quoted(text)} is no ${what}: write a number`);
  if (what !== "time" && value < 0) throw lineError(path, line.number, `the ${what} ${quoted(text)} is below 0`);
  return value;
}
