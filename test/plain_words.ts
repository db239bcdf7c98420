// Part of `npm run check`: the words that make comments and names hard to read are counted, room by room, and each room's count may only
// fall. plain_words.json has the most that a room may have, in tens, so that two changes seldom meet there; a room that is not in it may
// have none. `npm run format` lowers what has fallen (--fix). Reads names as words: `toldAfter` has "told". Judges no other style.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sourceFiles } from "./source_tree.ts";

/** And what to write in their place. */
export const worst: Readonly<Record<string, string>> = {
  told: "reported, shown, noted, given",
  untold: "unreported",
  tells: "says, shows, reports",
  asked: "requested, wanted, given, configured",
  nobody: "no one, nothing, or who does not",
  "gone on with": "resumed",
  "goes on": "continues, resumes",
};

const pattern = new RegExp(`\\b(?:${Object.keys(worst).join("|")})\\b`, "g");

/** The worst words of a line, those in names too. */
export function worstWords(line: string): string[] {
  const words = line
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
  return words.match(pattern) ?? [];
}

export interface Place {
  readonly file: string;
  readonly line: number;
  readonly word: string;
}

export function placesIn(file: string, text: string): Place[] {
  return text.split("\n").flatMap((line, index) => worstWords(line).map((word) => ({ file, line: index + 1, word })));
}

/** `cli/load`, `native-host/replay`; the files beside its rooms belong to the folder itself. */
const roomOf = (file: string): string => file.split("/").slice(0, -1).slice(0, 2).join("/");

/** What a room with so many may have: the tens above. */
const barOf = (count: number): number => (count === 0 ? 0 : (Math.floor(count / 10) + 1) * 10);

const shown = 8;

/** `places`: the newest files first, as these are named. */
export function wordFaults(places: readonly Place[], bars: Readonly<Record<string, number>>): string[] {
  return [...Map.groupBy(places, ({ file }) => roomOf(file))].flatMap(([room, its]) => {
    const most = bars[room] ?? 0;
    if (its.length <= most) return [];
    const named = its
      .slice(0, shown)
      .map(({ file, line, word }) => `  ${file}:${line}: "${word}": write ${worst[word]}`);
    return [
      `${room}: ${its.length} words that are hard to read, and it may have ${most} (test/plain_words.json); the newest files':`,
      ...named,
    ];
  });
}

/** Lower where the count has fallen, never higher; a room without any has no bar. */
export function loweredBars(
  places: readonly Place[],
  bars: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const counts = Map.groupBy(places, ({ file }) => roomOf(file));
  const lowered = Object.entries(bars)
    .map(([room, most]) => [room, Math.min(most, barOf(counts.get(room)?.length ?? 0))] as const)
    .filter(([, most]) => most > 0);
  return Object.fromEntries(lowered.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const root = join(import.meta.dirname, "..");
const barsFile = join(import.meta.dirname, "plain_words.json");

/** Of the product, the newest files first. */
export function productPlaces(): Place[] {
  return sourceFiles(root, ["cli", "extension", "native-host", "shaper"])
    .map(({ path }) => ({ path, time_ms: statSync(join(root, path)).mtimeMs }))
    .toSorted((a, b) => b.time_ms - a.time_ms)
    .flatMap(({ path }) => placesIn(path, readFileSync(join(root, path), "utf8")));
}

export const readBars = (): Record<string, number> =>
  JSON.parse(readFileSync(barsFile, "utf8")) as Record<string, number>;

if (import.meta.main) {
  const places = productPlaces();
  const bars = readBars();
  if (process.argv.includes("--fix"))
    writeFileSync(barsFile, `${JSON.stringify(loweredBars(places, bars), null, 2)}\n`);
  const faults = wordFaults(places, bars);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
