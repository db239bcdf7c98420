// Documents against their schemas.
import assert from "node:assert/strict";
import { test } from "node:test";
import { schemaValidator } from "../../../cli/base/schema_error.ts";
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

test("looking for it takes a time that grows with the list", async () => {
  const [small, large] = [named(1000), named(10_000)];
  const grown = await growth(
    () => assert.ok(validate(small)),
    () => assert.ok(validate(large)),
  );
  assert.ok(grown < 40, `${grown} times as much for 10 times as many`);
});
