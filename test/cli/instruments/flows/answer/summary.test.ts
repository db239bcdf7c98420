// Runs of flows together: medians, intervals of order statistics, and too few runs that say so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { summarizeRuns } from "../../../../../cli/instruments/flows/answer/summary.ts";
import { flowResult } from "../../../../../cli/instruments/flows/metrics/flow_result.ts";
import { metrics } from "../../../../../cli/registry/metrics.ts";
import { formatValue } from "../../../../../cli/registry/units.ts";
import { medianInterval } from "../../../../../cli/results/stats/median_interval.ts";
import { summarizeMetric } from "../../../../../cli/results/stats/metric_summary.ts";
import { madeRecords, steadily } from "../metrics/made_records.ts";

const plain = {};
const values = (...all: readonly number[]) => all.map((value) => ({ value }));
const reason = "not within 10 % of the mean for 3 s in a row";

test("a median and its 95 % interval from five runs on; fewer say how many there are", () => {
  assert.deepEqual(summarizeMetric(values(3, 1, 2), plain), {
    ...{ runs: 3, median: 2, interval: null, reason: "an interval needs 5 runs: there are 3" },
  });
  const seven = [5, 1, 4, 2, 7, 3, 6];
  assert.deepEqual(summarizeMetric(values(...seven), plain), {
    ...{ runs: 7, median: 4, interval: medianInterval(seven), reason: null },
  });
});

test("a run without a value does not count, and none with one has no median but the reason", () => {
  const some = [...values(1, 2), { reason: "the link's rate is not limited" }];
  assert.equal(summarizeMetric(some, plain).runs, 2);
  assert.equal(summarizeMetric(some, plain).median, 1.5);
  assert.deepEqual(summarizeMetric([{ reason: "no flow ran" }], plain), {
    ...{ runs: 0, median: null, interval: null, reason: "no flow ran" },
  });
  assert.equal(summarizeMetric([], plain).reason, "there are no valid runs");
});

test("no interval passes the greatest possible value", () => {
  const { interval } = summarizeMetric(values(0.9, 0.92, 0.95, 0.97, 0.999), { maximum: 1 });
  assert.ok(interval && interval.high === 1 && interval.low < 0.9);
});

test("what was not reached in time is later than all: it moves the median, and may leave none", () => {
  const later = { absent: "later" as const };
  const nine = [...values(1, 2, 3, 4, 5, 6, 7, 8), { reason }];
  assert.equal(summarizeMetric(nine, later).median, 5);
  assert.equal(summarizeMetric(nine, later).interval?.high, medianInterval([1, 2, 3, 4, 5, 6, 7, 8, 1e9])?.high);
  const most = summarizeMetric([...values(1, 2), { reason }, { reason }, { reason }], later);
  assert.deepEqual([most.median, most.reason], [null, `3 of 5 runs: ${reason}`]);
  const some = summarizeMetric([...values(1, 2, 3, 4), { reason }, { reason }], later);
  assert.deepEqual([some.median, some.interval, some.reason], [3.5, null, `2 of 6 runs: ${reason}`]);
});

test("runs of a mix: by group, a group's flows averaged within the run", () => {
  const runs = [4, 5, 6, 7, 8].map((late) =>
    flowResult(
      madeRecords({
        flows: [
          { rates_bps: steadily(20e6, 10) },
          { rates_bps: steadily(late * 1e6, 10) },
          { rates_bps: steadily((late + 2) * 1e6, 10) },
        ],
      }),
      [0, 1, 1],
    ),
  );
  const summary = summarizeRuns(runs);
  assert.deepEqual([summary.runs, summary.groups.length, summary.up, summary.ping], [5, 2, null, null]);
  assert.equal(summary.groups[1]?.flows, 2);
  assert.equal(summary.groups[1]?.each.goodput_bps.median, 7e6);
  assert.equal(summary.groups[1]?.all.goodput_bps.median, 14e6);
  const ratio = summary.down?.share_ratio;
  assert.ok(Math.abs((ratio?.median ?? 0) - 20 / 7) < 1e-9 && ratio?.interval);
  assert.equal(summary.groups[0]?.each.completion_ms.reason, "it has no size to complete");
  assert.deepEqual(summarizeRuns([]).groups, []);
});

test("numbers as people read them", () => {
  assert.deepEqual(
    [4_712_345, 1.2e9, 83_000, 12].map((rate) => formatValue(rate, "bit/s")),
    ["4.71 Mbit/s", "1.2 Gbit/s", "83 kbit/s", "12 bit/s"],
  );
  assert.equal(formatValue(30_012.4, "bytes"), "30 kB");
  assert.deepEqual([formatValue(52.43, "ms"), formatValue(12_340, "ms")], ["52.4 ms", "12.3 s"]);
  assert.deepEqual([formatValue(0.98234, "ratio"), formatValue(12, "packets")], ["0.982", "12 packets"]);
  assert.equal(metrics.flow.goodput_bps.unit, "bit/s");
});
