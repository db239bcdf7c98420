// Whatever is wrong with one entry of a HAR costs at most that entry: each member at each level is dropped, nulled and given values of wrong types,
// one at a time, and the others are imported as before. What is wrong with pages and log costs no entry at all, or is one line.
// Wide: cli/recording/import.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { UserError } from "../../../../cli/base/errors.ts";
import { importHar } from "../../../../cli/recording/import/import_har.ts";
import { entriesLine } from "../../../../cli/recording/import/notes.ts";

type Fields = Record<string, unknown>;
type Container = Fields | unknown[];

const fixtures = join(import.meta.dirname, "../../../fixtures/har");
const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

const wrong: readonly unknown[] = [undefined, null, "", "x", "-1", -1, 0, 1e12, true, [], {}, [null], { a: "b" }];

/** Paths of all members at and below a value; of a list's only the first element's. */
function pathsIn(value: unknown, path: readonly string[] = []): string[][] {
  if (!isContainer(value)) return [];
  const keys = Array.isArray(value) ? Object.keys(value).slice(0, 1) : Object.keys(value);
  return keys.flatMap((key) => {
    const at = [...path, key];
    return [at, ...pathsIn((value as Fields)[key], at)];
  });
}

function changed<Value extends Container>(original: Value, path: readonly string[], value: unknown): Value {
  const copy = structuredClone(original);
  let place: Fields = copy as Fields;
  for (const key of path.slice(0, -1)) place = place[key] as Fields;
  const last = path.at(-1) ?? "";
  if (value === undefined && !Array.isArray(place)) delete place[last];
  else place[last] = structuredClone(value);
  return copy;
}

/** URLs of what is imported; null: it is refused, in one line. */
function urlsOf(har: unknown): string[] | null {
  try {
    const { exchanges, notes } = importHar(har);
    assert.doesNotMatch(entriesLine(notes), /undefined|\n/);
    return exchanges.map(({ exchange: { host, path } }) => `${host}${path}`);
  } catch (error) {
    assert.ok(error instanceof UserError, error instanceof Error ? error.stack : String(error));
    assert.doesNotMatch(error.message, /\n|undefined/);
    return null;
  }
}

function uncompressed({ response, ...entry }: Fields): Fields {
  const { headers = [] } = (response ?? {}) as { headers?: { name?: string }[] };
  const kept = headers.filter(({ name = "" }) => name.toLowerCase() !== "content-encoding");
  return isContainer(response) ? { ...entry, response: { ...response, headers: kept } } : { ...entry, response };
}

for (const name of readdirSync(fixtures))
  test(`${name}: each mutation of one entry costs at most that entry`, () => {
    const whole = (JSON.parse(readFileSync(join(fixtures, name), "utf8")) as { log: Fields & { entries: Fields[] } })
      .log;
    const page = whole.entries.find(({ response }) => (response as Fields | undefined)?.status === 200);
    const entry = whole.entries.findLast((each) => each !== page && isContainer(each.response));
    assert.ok(entry);
    // Beside the page and this one a few others, none compressed: each is imported again for each mutation.
    const others = whole.entries.filter((each) => each !== page && each !== entry).slice(0, 3);
    const entries = whole.entries
      .filter((each) => each === page || each === entry || others.includes(each))
      .map((each) => (each === entry ? each : uncompressed(each)));
    const log = { ...whole, entries };
    const place = entries.indexOf(entry);
    const before = urlsOf({ log });
    assert.ok(before && before.length > 1);
    const without = urlsOf({ log: { ...log, entries: entries.toSpliced(place, 1) } });
    assert.ok(without);
    for (const path of pathsIn(entry))
      for (const value of wrong) {
        const after = urlsOf({ log: { ...log, entries: entries.with(place, changed(entry, path, value)) } });
        assert.ok(after, `${path.join(".")}: ${JSON.stringify(value)}`);
        for (const url of new Set(without))
          assert.ok(after.includes(url), `${path.join(".")} = ${JSON.stringify(value)} cost ${url}`);
      }
  });

for (const name of readdirSync(fixtures))
  test(`${name}: what is wrong outside of entries is read over, or one line`, () => {
    const { log } = JSON.parse(readFileSync(join(fixtures, name), "utf8")) as { log: Fields };
    const { entries, ...head } = log;
    const plain = (entries as Fields[]).map(uncompressed);
    let taken = 0;
    let all = 0;
    for (const path of pathsIn(head))
      for (const value of wrong) {
        all++;
        if (urlsOf({ log: { ...changed(head, path, value), entries: plain } }) !== null) taken++;
      }
    assert.ok(taken > all * 0.9, `${taken} of ${all}`);
  });
