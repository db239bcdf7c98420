// What is computed of a load when it is stored.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openResults } from "../../../../cli/results/store/results.ts";
import { storeFixture, withHome } from "../../report/fixture.ts";
import { raceFixture } from "../../report/fixtures.ts";

test("a load is stored with its split and its optimum", async () => {
  await withHome((home) => {
    const sweep = storeFixture(home, raceFixture);
    const read = () => {
      using results = openResults(home);
      return results.loadsOf(sweep);
    };
    const told = read().filter(({ plt_ms }) => plt_ms !== null);
    assert.ok(told.length > 0);
    for (const { plt_ms, network_ms, computation_ms, optimal_ms, tbt_ms } of told) {
      assert.ok(network_ms !== null && computation_ms !== null && optimal_ms !== null);
      assert.ok(Math.abs(network_ms + computation_ms - (plt_ms ?? 0)) < 1e-6 && network_ms > 0);
      assert.equal(tbt_ms, null);
    }
    assert.equal(read().length, told.length + read().filter(({ plt_ms }) => plt_ms === null).length);
  });
});
