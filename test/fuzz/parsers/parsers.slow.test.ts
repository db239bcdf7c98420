// The parsers in TypeScript over their stored inputs, and changes of them that the coverage leads to: 10 s each, with TRILANE_WIDE a minute,
// as many at once as there are CPUs.
// `npm run fuzz -- TARGET --minutes N` looks longer.
// Wide: cli/base, cli/recording/import, cli/recording/record, cli/results/gate, cli/results/store, cli/sweep/bundle, cli/sweep/plan, schemas.
import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { suite, test } from "node:test";
import { targets } from "./targets.ts";
import { corpusOf, inputsIn, watchedFuzz } from "./watched.ts";

const time_ms = (process.env.TRILANE_WIDE ?? "") === "" ? 10_000 : 60_000;

suite("any bytes", { concurrency: availableParallelism() }, () => {
  for (const target of Object.keys(targets))
    test(`${target} parses or refuses any bytes`, async () => {
      const folders = [corpusOf(target)];
      assert.ok(inputsIn(folders).length > 0, "inputs are stored");
      const { finding, executions, inputs } = await watchedFuzz({ target, folders, time_ms, seed: 36, found: null });
      assert.equal(finding, null, `${finding?.what} with ${JSON.stringify(finding?.input.toString("latin1"))}`);
      assert.ok(executions >= inputs);
    });
});
