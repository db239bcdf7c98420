// The report's table of all metrics: every lane's medians, rows that nobody knows left out, the split beside the load time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMedian, formatTimeRange } from "../../../cli/base/numbers.ts";
import { metricsTable } from "../../../cli/report/metrics_table.ts";
import { summarize } from "../../../cli/results/verdict/summary.ts";
import type { Fixture } from "./fixture.ts";
import { raceFixture } from "./fixtures.ts";
import { reportData } from "./written_report.ts";

const never = { low: 0, high: 0 };
/** Of h1 and h3. */
function tableOf(fixture: Fixture): string {
  const { loads } = reportData(fixture);
  const lane = (name: string) => ({ lane: name, loads: loads.filter((load) => load.lane === name), films: [] });
  return String(metricsTable([lane("h1"), lane("h3")]));
}

const timedOut = { status: "failed", reasons: ["the load event did not come within 60000 ms"] } as const;

test("the PLT of a lane whose loads timed out is the one that the table of medians has, and not the survivors'", () => {
  const table = tableOf({
    ...raceFixture,
    outcome: ({ lane, block }) => (lane === "h3" && block > 1 ? timedOut : { status: "valid", reasons: [] }),
  });
  assert.match(table, />PLT<\/th><td class="num">\d+ ms<small>.*?<\/small><\/td><td class="num">over 60\.0 s/);
  // The fixture tries each of three loads three times.
  assert.match(table, /PLT also counts 9 loads that timed out, as slower than all others/);
});

test("on a busy machine PLT is the answer's, with its longer interval, and the table says that the rest is as measured", () => {
  const loads = reportData({ ...raceFixture, repetitions: 6 }).loads.filter(({ lane }) => lane === "h1");
  const plt = (more: object): string => {
    const table = String(metricsTable([{ lane: "h1", loads: loads.map((load) => ({ ...load, ...more })), films: [] }]));
    assert.equal(/all other rows are as they were measured/.test(table), "disturbance_ms" in more);
    return />PLT<\/th><td class="num">(.*?)<\/small>/.exec(table)?.[1] ?? "";
  };
  const busy = { disturbance_ms: 300, tolerated_ms: 5, disturbance_estimate_ms: 100 };
  const [lane] = summarize(loads.map((load) => ({ ...load, ...busy })));
  const { median_ms, interval_ms } = lane ?? {};
  assert.equal(
    plt(busy),
    `${formatMedian(median_ms ?? 0, false)}<small>${formatTimeRange(interval_ms ?? never)
      .replace(" to ", "–")
      .replace(" ms", "")}`,
  );
  assert.notEqual(plt(busy), plt({}));
});

test("medians with intervals, the split of the load time, and no row without a value", () => {
  const table = tableOf({ ...raceFixture, repetitions: 6 });
  for (const name of ["PLT", "of it network", "of it no request", "optimum", "TTFB", "FCP", "connections"])
    assert.match(table, new RegExp(`>${name}</th><td class="num">[0-9.]+( ms| s)?<(small>[0-9.]+–|/td>)`), name);
  assert.doesNotMatch(table, />(LCP|TBT|CLS|CPU, browser|Speed Index)</);
  assert.equal(metricsTable([{ lane: "h1", loads: [], films: [] }]), null);
});
