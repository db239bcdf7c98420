// Reads a file of prefixes, and one of names, into what a report asks: the autonomous system of an address, with its name. Formats are
// prefix_line.ts's, gzip and zstd are undone. Nothing is downloaded: the file is the user's.

import { constants } from "node:buffer";
import { UserError } from "../../../base/errors.ts";
import { readForeignBytes } from "../../../base/foreign_file.ts";
import { lineError, quoted } from "../../../base/text_lines.ts";
import { unzipped } from "../../../base/unzipped.ts";
import { type Address, bitsOf, type Family, networkOf, type Prefix, parseAddress } from "./address.ts";
import { fieldsOf, parseAsns, readPrefixLine } from "./prefix_line.ts";

// Which autonomous systems announce an address: by the longest prefix that has it. Pure; prefix_line.ts reads the lines.

/** By length, and among those of one length by the network. */
type Lengths = Map<number, Map<string, readonly number[]>>;

/** V8 hashes of a big integer its lowest 64 bits only, in which networks of IPv6 are alike: of a text it hashes all. */
const keyOf = (network: bigint): string => network.toString(32);

export class PrefixTable {
  readonly #families: Readonly<Record<Family, Lengths>> = { 4: new Map(), 6: new Map() };
  /** Lengths that there are, the longest first; made anew after a change. */
  readonly #ordered: Record<Family, readonly number[] | null> = { 4: null, 6: null };
  #prefixes = 0;

  /** How many it has. */
  get size(): number {
    return this.#prefixes;
  }

  /** Of the same prefix twice both count, as of one with several origins. */
  add({ family, value, length }: Prefix, asns: readonly number[]): void {
    const lengths = this.#families[family];
    const networks = lengths.get(length) ?? new Map<string, readonly number[]>();
    const key = keyOf(value);
    const known = networks.get(key);
    if (known === undefined) this.#prefixes++;
    if (networks.size === 0) {
      lengths.set(length, networks);
      this.#ordered[family] = null;
    }
    networks.set(key, known === undefined ? asns : [...new Set([...known, ...asns])]);
  }

  /** Empty: of the longest prefix the file says that no system announces it. Null: no prefix has the address. */
  originsOf(address: Address): readonly number[] | null {
    const { family } = address;
    const lengths = this.#families[family];
    this.#ordered[family] ??= [...lengths.keys()].sort((a, b) => b - a);
    for (const length of this.#ordered[family]) {
      const found = lengths.get(length)?.get(keyOf(networkOf(address, Math.min(length, bitsOf(family)))));
      if (found !== undefined) return found;
    }
    return null;
  }
}

export interface AutonomousSystems {
  /** `AS64500`, `AS64500, AS64501` where several announce it; null: the file has no prefix of it, or no system announces it. */
  readonly systemOf: (address: string) => string | null;
  /** Of what systemOf() gives; null: it is not known. */
  readonly nameOf: (system: string) => string | null;
  readonly prefixes: number;
}

/** SECURITY.md lists these. */
const largest_bytes = Math.min(5e8, constants.MAX_STRING_LENGTH);
/** What is compressed may come to as many times its size, and to `freely_bytes` in any case. */
const [mostRatio, freely_bytes] = [50, 64e6];
/** Of both versions of IP the internet has 1.3 million in 2026. */
const mostPrefixes = 3_000_000;
/** A range may stand for hundreds: so many a line over all lines before it, and `freely_prefixes` in any case. Files of ranges have one or two. */
const [mostPerLine, freely_prefixes] = [16, 100_000];

function textOf(path: string): string {
  const tooLarge = (): UserError =>
    new UserError(`${path}: is larger than ${largest_bytes / 1e6} MB, or unpacks to too much: take prefixes out`);
  let content: Buffer;
  try {
    content = readForeignBytes(path, largest_bytes);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT") throw new UserError(`${path}: no such file: name one with prefixes and autonomous systems`);
    if (code === "EISDIR") throw new UserError(`${path}: is not a regular file: name a file`);
    if (code === "EACCES") throw new UserError(`${path}: may not be read: check the file's permissions`);
    throw error;
  }
  const most_bytes = Math.min(largest_bytes, Math.max(freely_bytes, mostRatio * content.length));
  return unzipped(content, path, most_bytes, { tooLarge })
    .toString("utf8")
    .replace(/^\ufeff/, "");
}

function* numbered(text: string): Generator<{ readonly line: string; readonly number: number }> {
  for (let from = 0, number = 1; from < text.length; number++) {
    const end = text.indexOf("\n", from);
    const line = text.slice(from, end < 0 ? text.length : end);
    yield { line: line.endsWith("\r") ? line.slice(0, -1) : line, number };
    from = end < 0 ? text.length : end + 1;
  }
}

/** `network,asn,name`: CSV files begin with what their columns are. */
const isHead = (line: string, number: number): boolean => number === 1 && /^[A-Za-z_" ]+([,\t]|$)/.test(line);

/** `64500 Example, EX`, or CSV. */
function readNames(path: string, names: Map<number, string>): void {
  for (const { line, number } of numbered(textOf(path))) {
    if (line.trim() === "" || /^\s*[;#]/.test(line) || (isHead(line, number) && !/^AS\d/i.test(line))) continue;
    const [, word = "", rest = ""] = /^\s*([^\s,]+)\s*[\s,]\s*(.*)$/.exec(line) ?? [];
    const asn = parseAsns(word)?.[0];
    if (asn === undefined || rest === "")
      throw lineError(path, number, `must have a system's number and its name (got ${quoted(line)})`);
    const [name = ""] = rest.startsWith('"') ? fieldsOf(rest) : [rest];
    names.set(asn, name.trim());
  }
}

/** UserError that names file and line where it cannot be read. `names`: null: names are those that the file itself has. */
export function readPrefixes(path: string, names: string | null, most = mostPrefixes): AutonomousSystems {
  const table = new PrefixTable();
  const known = new Map<number, string>();
  // The same ones again count, too: they take as long.
  let made = 0;
  for (const { line, number } of numbered(textOf(path))) {
    const read = readPrefixLine(line);
    if (read === "nothing") continue;
    if ("problem" in read) {
      if (isHead(line, number)) continue;
      throw lineError(path, number, read.problem);
    }
    const { prefixes, asns, name } = read.announced;
    for (const prefix of prefixes) table.add(prefix, asns);
    made += prefixes.length;
    if (made > most) throw lineError(path, number, `is more than ${most} prefixes: take some out`);
    if (made > freely_prefixes + mostPerLine * number)
      throw lineError(path, number, `and those before are ranges of over ${mostPerLine} prefixes each: name prefixes`);
    const [only, ...others] = asns;
    if (name !== null && only !== undefined && others.length === 0) known.set(only, name);
  }
  if (table.size === 0) throw new UserError(`${path}: has no prefix: name a file with prefixes and autonomous systems`);
  if (names !== null) readNames(names, known);
  const systemOf = (text: string): string | null => {
    const address = parseAddress(text);
    const asns = address && table.originsOf(address);
    return asns && asns.length > 0 ? asns.map((asn) => `AS${asn}`).join(", ") : null;
  };
  const nameOf = (system: string): string | null => {
    const found = system.split(", ").flatMap((each) => known.get(Number(each.slice(2))) ?? []);
    return found.length === 0 ? null : found.join(", ");
  };
  return { systemOf, nameOf, prefixes: table.size };
}
