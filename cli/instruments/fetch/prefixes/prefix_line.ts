// A line of a file of address prefixes and the autonomous systems that announce them, in any of the common text formats: pyasn's
// (`prefix asn`), RouteViews' and CAIDA's pfx2as (`prefix length asn`), iptoasn's (`first last asn country name`), and each of them as
// CSV. Decides line by line which it is, and what is wrong with one. Pure.
import { type Address, bitsOf, networkOf, type Prefix, parseAddress, prefixesOfRange } from "./address.ts";

interface Announced {
  readonly prefixes: readonly Prefix[];
  /** Several: it is announced by each of them. Empty: by none. */
  readonly asns: readonly number[];
  /** The system's, where the line has it. */
  readonly name: string | null;
}

export type ReadLine = { readonly announced: Announced } | { readonly problem: string } | "nothing";

const greatestAsn = 2 ** 32 - 1;

/** Fields of a CSV line: quotes may hold commas, and doubled stand for themselves. */
function csvFields(line: string): string[] {
  const fields = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)];
  return fields.map(([, quoted, plain = ""]) => (quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"')));
}

/** By tabs if there are any, else by commas, else by spaces. */
export function fieldsOf(line: string): string[] {
  if (line.includes("\t")) return line.split("\t").map((field) => field.trim());
  // Sets of systems have commas, too, but no line of those formats is without white space.
  if (/^[^\s,]*,/.test(line) || line.startsWith('"')) return csvFields(line);
  return line.trim().split(/\s+/);
}

/** `64500`, `AS64500`, `64500_64501`, `64500,64501`, `{64500,64501}`; null: no number of a system. 0 is none that announces. */
export function parseAsns(text: string): number[] | null {
  const words = text.replace(/^\{(.*)\}$/, "$1").split(/[_,]/);
  const numbers = words.map((word) =>
    /^(?:AS)?\d{1,10}$/i.test(word.trim()) ? Number(word.trim().replace(/^AS/i, "")) : -1,
  );
  if (numbers.some((number) => number < 0 || number > greatestAsn)) return null;
  return [...new Set(numbers)].filter((number) => number !== 0);
}

const shown = (text: string | undefined): string =>
  text === undefined || text === "" ? "nothing" : JSON.stringify(text.length > 40 ? `${text.slice(0, 39)}…` : text);

function withLength(address: Address, word: string): Prefix | string {
  const most = bitsOf(address.family);
  if (!/^\d{1,3}$/.test(word) || Number(word) > most)
    return `the prefix's length must be 0 to ${most} (got ${shown(word)})`;
  const length = Number(word);
  return { family: address.family, value: networkOf(address, length), length };
}

interface Place {
  readonly prefixes: readonly Prefix[];
  /** Fields that follow. */
  readonly rest: readonly string[];
}

function rangeOf(first: Address, last: Address): readonly Prefix[] | string {
  if (first.family !== last.family) return "the range's ends are of different versions of IP";
  if (first.value > last.value) return "the range ends before it begins";
  return prefixesOfRange(first, last);
}

/** Which addresses; or the problem. */
function placeOf([first = "", ...rest]: readonly string[]): Place | string {
  const [network = "", length] = first.split("/");
  const address = parseAddress(network);
  if (!address) return `must begin with an address or a prefix (got ${shown(first)})`;
  if (length !== undefined) {
    const prefix = withLength(address, length);
    return typeof prefix === "string" ? prefix : { prefixes: [prefix], rest };
  }
  const [second = "", ...others] = rest;
  const last = parseAddress(second);
  if (last) {
    const prefixes = rangeOf(address, last);
    // A range's system is followed by its country, which nothing here needs.
    return typeof prefixes === "string" ? prefixes : { prefixes, rest: [others[0] ?? "", ...others.slice(2)] };
  }
  const prefix = withLength(address, second);
  return typeof prefix === "string" ? prefix : { prefixes: [prefix], rest: others };
}

/** One line, without its end. Comments begin with `;` or `#`. */
export function readPrefixLine(line: string): ReadLine {
  if (line.trim() === "" || /^\s*[;#]/.test(line)) return "nothing";
  const place = placeOf(fieldsOf(line));
  if (typeof place === "string") return { problem: place };
  const [word = "", name = ""] = place.rest;
  const asns = parseAsns(word);
  if (!asns) return { problem: `must have the number of an autonomous system (got ${shown(word)})` };
  return { announced: { prefixes: place.prefixes, asns, name: name === "" ? null : name } };
}
