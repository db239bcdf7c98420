// The report's table of all metrics: every lane's medians, rows that nobody knows left out, the split beside the load time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gatherReport } from "../../../cli/report/data.ts";
import { metricsTable } from "../../../cli/report/metrics_table.ts";
import { openResults } from "../../../cli/results/store/results.ts";
import { storeFixture, withHome } from "./fixture.ts";
import { raceFixture } from "./fixtures.ts";

test("medians with intervals, the split of the load time, and no row without a value", async () => {
  await withHome((home) => {
    const results = openResults(home);
    const id = storeFixture(home, { ...raceFixture, repetitions: 6 });
    try {
      const { loads } = gatherReport(results, id, "0");
      const lane = (name: string) => ({ lane: name, loads: loads.filter((load) => load.lane === name), films: [] });
      const table = String(metricsTable([lane("h1"), lane("h3")]));
      for (const name of ["PLT", "of it network", "of it no request", "optimum", "TTFB", "FCP", "connections"])
        assert.match(table, new RegExp(`>${name}</th><td class="num">[0-9.]+( ms| s)?<small>[0-9.]+ to `), name);
      assert.doesNotMatch(table, />(LCP|TBT|CLS|CPU, browser|Speed Index)</);
      assert.equal(metricsTable([{ lane: "h1", loads: [], films: [] }]), null);
    } finally {
      results.close();
    }
  });
});
