// HARs with something wrong anywhere: each becomes a recording that the archive's schema takes, or is refused in one line.
// The mutations are seeded, so that a failure names one that can be repeated.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { importHar } from "../../../../cli/recording/import/import_har.ts";
import { noteLines } from "../../../../cli/recording/import/notes.ts";
import { schemaErrors } from "../../../schemas/schema_errors.ts";
import { readOrRefused } from "../../refused.ts";

const root = join(import.meta.dirname, "../../../..");
const fixtures = join(root, "test/fixtures/har");
const hars = readdirSync(fixtures).map((file) => readFileSync(join(fixtures, file), "utf8"));

// More of them by hand: TRILANE_FUZZ_SEEDS=10000.
const seeds = Number(process.env.TRILANE_FUZZ_SEEDS ?? 1200);

type Container = Record<string, unknown> | unknown[];
const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

function containersIn(value: unknown): Container[] {
  return isContainer(value) ? [value, ...Object.values(value).flatMap(containersIn)] : [];
}

const strange: unknown[] = [
  null,
  undefined,
  0,
  -1,
  1.5,
  1e12,
  Number.NaN,
  "",
  "x",
  "\n",
  "ü\u0000",
  "999999999999",
  true,
  [],
  {},
  ["a"],
];

function mutate(har: string, seed: number): unknown {
  const random = randomSource(seed, "har");
  const pick = <Value>(list: readonly Value[]): Value => {
    const picked = list[Math.floor(random() * list.length)];
    if (picked === undefined && list.length === 0) throw new RangeError("nothing to pick from");
    return picked as Value;
  };
  const json: unknown = JSON.parse(har);
  for (let change = 0; change <= seed % 4; change++) {
    const container = pick(containersIn(json).filter((candidate) => Object.keys(candidate).length > 0));
    const key = pick(Object.keys(container));
    // A copy: one list put into itself would have no end.
    const value = structuredClone(pick(strange));
    if (Array.isArray(container)) container[Number(key)] = value;
    else container[key] = value;
  }
  return json;
}

test("a mutated HAR is imported or refused, and never anything else", async () => {
  const { taken, refused } = await readOrRefused(seeds, (seed) => {
    const page = importHar(mutate(hars[seed % hars.length] ?? "", seed));
    assert.ok(noteLines(page.notes).length > 0);
    for (const { exchange, body } of page.exchanges) {
      assert.equal(schemaErrors("message", exchange, "exchange"), null, `seed ${seed}: ${JSON.stringify(exchange)}`);
      assert.equal(exchange.body_origin === "empty", (body?.byteLength ?? 0) === 0, `seed ${seed}`);
    }
  });
  // An entry costs itself: few mutations cost the page. Both happen, or the mutations test nothing.
  assert.ok(taken > seeds * 0.8 && refused > seeds / 60, `${taken} taken, ${refused} refused`);
});
