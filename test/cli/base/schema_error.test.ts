// Documents against their schemas.
import assert from "node:assert/strict";
import { test } from "node:test";
import { explainSchemaErrors, schemaValidator } from "../../../cli/base/schema_error.ts";
import { growth } from "../../growth.ts";

const validate = schemaValidator("sweep-plan");
const plan = (pages: readonly unknown[]) => ({ name: "x", pages, lanes: ["h1"], links: ["3mbit"], repetitions: 1 });
const named = (count: number) => plan(Array.from({ length: count }, (_, at) => ({ synth: `p${at}` })));

test("an item that stands twice in a list is found, whatever the order of its members", () => {
  const grid = (loss: readonly number[]) => ({ grid: { rates_mbit: [1], rtts_ms: [1, 1], loss } });
  assert.ok(validate(plan(["a", "b", { synth: "a" }])));
  assert.ok(!validate(plan(["a", "b", { synth: "a" }, "b"])));
  assert.deepEqual(
    validate.errors?.map(({ keyword, params }) => [keyword, params]),
    [["uniqueItems", { i: 3, j: 1 }]],
  );
  assert.ok(!validate(plan([{ synth: "a" }, { synth: "a" }])));
  assert.ok(!validate({ ...plan(["a"]), links: [grid([0])] }));
});

const explained = (name: string, document: unknown): string => {
  const check = schemaValidator(name);
  return check(document) ? "valid" : explainSchemaErrors(check.errors ?? [], "the schema");
};

test("of a value that may have several forms an error says what all of them allow", () => {
  const budget = (metric: unknown) => explained("budget", { budgets: [{ metric, at_most_ms: 1 }] });
  assert.equal(budget("time"), "valid");
  assert.match(budget("tme"), /^budgets\[0\]\.metric: must be one of plt, .*, viewing, time \(got "tme"\)$/);
  const until = (value: unknown) => explained("sweep-plan", { ...plan(["a"]), until: value });
  assert.equal(until({ decided_percent: 3 }), "valid");
  assert.equal(
    until({ interval_percent: 5, decided_percent: 3 }),
    'until: "decided_percent" and "interval_percent" exclude each other: give one of them',
  );
  assert.equal(until({}), 'until: "decided_percent" or "interval_percent" is missing: add it');
  assert.equal(until({ decided: 3 }), 'until: "decided" is not known: did you mean "decided_percent"?');
  assert.equal(explained("sweep-plan", plan([3])), "pages[0]: must be string or object (got 3)");
  assert.equal(until(3), "until: must be object (got 3)");
});

test("looking for it takes a time that grows with the list", async () => {
  const [small, large] = [named(1000), named(10_000)];
  const grown = await growth(
    () => assert.ok(validate(small)),
    () => assert.ok(validate(large)),
  );
  assert.ok(grown < 40, `${grown} times as much for 10 times as many`);
});
