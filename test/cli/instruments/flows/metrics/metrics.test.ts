// Each metric of a flow by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  commonSpan,
  countAt,
  rateOver,
  ratesBySecond,
} from "../../../../../cli/instruments/flows/metrics/cumulative.ts";
import { unionOf } from "../../../../../cli/instruments/flows/metrics/direction_metrics.ts";
import { convergence_ms, shareRatio, shares } from "../../../../../cli/instruments/flows/metrics/fairness.ts";
import { queueDelay_ms, weightedQuantile } from "../../../../../cli/instruments/flows/metrics/queue_delay.ts";
import {
  goodput_bps,
  longestSilence_ms,
  lossRatio,
  rateVariation,
  utilization,
} from "../../../../../cli/instruments/flows/metrics/rates.ts";
import {
  largestWindowCut,
  minimumRtt_ms,
  rttQuantile_ms,
  within,
} from "../../../../../cli/instruments/flows/metrics/sender.ts";
import { metricHelp } from "../../../../../cli/registry/metric_help.ts";
import { metrics } from "../../../../../cli/registry/metrics.ts";

const span = (from_ms: number, to_ms: number) => ({ from_ms, to_ms });

test("a counter is linear between samples, 0 before the first and still after the last", () => {
  const counter = { time_ms: [100, 200, 400], bytes: [10, 30, 70] };
  assert.deepEqual(
    [50, 100, 150, 300, 400, 900].map((at_ms) => countAt(counter, at_ms)),
    [0, 10, 20, 50, 70, 70],
  );
  assert.equal(rateOver(counter, span(100, 300)), (40 * 8) / 0.2);
  assert.equal(countAt({ time_ms: [], bytes: [] }, 5), 0);
});

test("whole seconds: of the run's clock, or of another origin", () => {
  const counter = { time_ms: [500, 4500], bytes: [0, 4000] };
  assert.deepEqual(ratesBySecond(counter, span(500, 4500)), [8000, 8000, 8000]);
  assert.deepEqual(ratesBySecond(counter, span(500, 4500), 500), [8000, 8000, 8000, 8000]);
  assert.deepEqual(ratesBySecond(counter, span(500, 1600)), []);
});

test("goodput is bytes over time, and none of a flow that ended as it began", () => {
  assert.equal(goodput_bps(1_250_000, span(50, 1050)), 10_000_000);
  assert.deepEqual(goodput_bps(0, span(50, 50)), { missing: "the flow ended as it began" });
});

test("utilization: of a rate, of a summed capacity, and none of an unlimited link", () => {
  assert.equal(utilization(1_125_000, { kind: "rate", rate_bps: 10_000_000 }, span(0, 1000)), 0.9);
  assert.equal(utilization(0, { kind: "summed", capacity_bytes: 200, link_bytes: 50 }, span(0, 1)), 0.25);
  assert.deepEqual(utilization(0, { kind: "summed", capacity_bytes: null, link_bytes: 50 }, span(0, 1)), {
    missing: "the link's capacity is not known",
  });
  assert.deepEqual(utilization(9, { kind: "unlimited" }, span(0, 1)), { missing: "the link's rate is not limited" });
});

test("loss ratio: of bytes; nothing sent has none", () => {
  assert.equal(lossRatio({ sent_bytes: 2000, lost_bytes: 20 }), 0.01);
  assert.deepEqual(lossRatio({ sent_bytes: 0, lost_bytes: 0 }), { missing: "nothing was sent" });
});

test("the longest silence: between bytes, and after the last one; before the first nothing is silent", () => {
  const silence = (...bytes: readonly number[]) =>
    longestSilence_ms({ time_ms: bytes.map((_, place) => place * 5), bytes });
  assert.equal(silence(0, 0, 0, 0, 1, 2, 3), 5);
  assert.equal(silence(0, 1, 1, 1, 2, 3), 15);
  assert.equal(silence(0, 1, 2, 2, 2, 2), 15);
  assert.deepEqual(silence(0, 0, 0), { missing: "its receiver had no byte" });
});

test("a weighted quantile counts each value as often as it weighs", () => {
  assert.equal(weightedQuantile([5, 1, 9], [1, 98, 1], 0.5), 1);
  assert.equal(weightedQuantile([5, 1, 9], [1, 98, 1], 0.985), 5);
  assert.equal(weightedQuantile([5, 1, 9], [1, 98, 1], 1), 9);
  assert.equal(weightedQuantile([5], [0], 0.5), null);
});

test("queueing delay: over packets, and too few of them have no 99th percentile", () => {
  const bins = { queue_delay_sum_ns: [90 * 2e6, 0, 10 * 50e6], left_packets: [90, 0, 10] };
  assert.equal(queueDelay_ms(bins, 0.5), 2);
  assert.equal(queueDelay_ms(bins, 0.95), 50);
  assert.deepEqual(queueDelay_ms({ queue_delay_sum_ns: [1e6], left_packets: [1] }, 0.99), {
    missing: "1 packets are too few for the 99th percentile",
  });
  assert.deepEqual(queueDelay_ms({ queue_delay_sum_ns: [], left_packets: [] }, 0.5), {
    missing: "no packet of it left the link",
  });
});

test("round trips: what was not measured yet, or not at all, counts for nothing", () => {
  const series = within([0, 10, 20, 30], [1, Number.NaN, 3, 4], span(10, 20));
  assert.deepEqual([...series], [3]);
  assert.equal(rttQuantile_ms(Float64Array.of(0, 50e6, 60e6, 70e6), 0.5), 60);
  assert.equal(minimumRtt_ms(Float64Array.of(0, 50e6, 48e6)), 48);
  assert.deepEqual(rttQuantile_ms(Float64Array.of(0), 0.5), { missing: "the sender measured no round trip" });
});

test("the largest cut of the window within one round trip: Reno's half, CUBIC's 0.3, over two round trips less", () => {
  const cut = (windows: number[], rtt_ms = 20) =>
    largestWindowCut({
      time_ms: windows.map((_, index) => index * 10),
      cwnd_bytes: windows,
      srtt_ns: windows.map(() => rtt_ms * 1e6),
    });
  assert.equal(cut([10, 20, 10, 11, 12]), 0.5);
  assert.ok(Math.abs((cut([8, 10, 7, 7, 8]) as number) - 0.3) < 1e-12);
  assert.equal(cut([10, 11, 12]), 0);
  // From 100 to 25 in three steps of 10 ms: within 20 ms it fell to 40 from 100, and to 25 from 70.
  assert.ok(Math.abs((cut([100, 70, 40, 25]) as number) - (1 - 25 / 70)) < 1e-12);
  // Samples further apart than a round trip: each is compared with the one before.
  assert.equal(cut([100, 80, 40], 1), 0.5);
  assert.deepEqual(cut([]), { missing: "the sender has no congestion window" });
  assert.deepEqual(largestWindowCut({ time_ms: [0], cwnd_bytes: [Number.NaN], srtt_ns: [1e6] }), {
    missing: "the sender has no congestion window",
  });
});

test("variation: standard deviation over mean of whole seconds, five at least", () => {
  assert.equal(rateVariation([4, 4, 4, 4, 4]), 0);
  assert.ok(Math.abs((rateVariation([1, 2, 3, 4, 5]) as number) - Math.sqrt(2.5) / 3) < 1e-12);
  assert.deepEqual(rateVariation([1, 2]), { missing: "it ran for 2 whole seconds: 5 are needed" });
  assert.deepEqual(rateVariation([0, 0, 0, 0, 0]), { missing: "nothing came in its whole seconds" });
});

/** A counter whose rate is given by the second, from 0 on. */
function counterOf(rates: readonly number[]) {
  const bytes = [0];
  for (const rate of rates) bytes.push((bytes.at(-1) ?? 0) + rate);
  return { time_ms: bytes.map((_, second) => second * 1000), bytes };
}

test("convergence: the first of three seconds in a row within 10 % of the mean; passing by is not arriving", () => {
  const old = [100, 80, 50, 20, 54, 52, 46, 50];
  const late = [0, 20, 50, 80, 46, 48, 54, 50];
  const together = span(0, 8000);
  assert.equal(convergence_ms([counterOf(old), counterOf(late)], together), 4000);
  assert.deepEqual(convergence_ms([counterOf(old.slice(0, 4)), counterOf(late.slice(0, 4))], span(0, 4000)), {
    missing: "not within 10 % of the mean for 3 s in a row",
  });
  assert.deepEqual(convergence_ms([counterOf(old), counterOf(late)], span(0, 2900)), {
    missing: "the flows ran together for less than 3 s",
  });
  assert.deepEqual(convergence_ms([counterOf(old)], together), { missing: "one flow has nothing to share with" });
  assert.equal(convergence_ms([counterOf(old), counterOf(old)], together), 0);
});

test("shares add up to 1; the ratio is per flow, of two kinds", () => {
  assert.deepEqual(shares([1, 3]), [0.25, 0.75]);
  assert.deepEqual(shares([0]), [{ missing: "nothing came" }]);
  assert.equal(shareRatio([[3], [1, 1]]), 3);
  assert.deepEqual(shareRatio([[3]]), { missing: "it is of two kinds of flows: see each one's share" });
  assert.deepEqual(shareRatio([[3], [0]]), { missing: "nothing came of the second kind" });
});

test("spans: in common, and as one where they overlap", () => {
  assert.deepEqual(commonSpan([span(0, 10), span(4, 20)]), span(4, 10));
  assert.equal(commonSpan([span(0, 4), span(4, 20)]), null);
  assert.equal(commonSpan([]), null);
  assert.deepEqual(unionOf([span(8, 12), span(0, 5), span(3, 6)]), [span(0, 6), span(8, 12)]);
});

test("help names every metric with its unit and meaning, within 80 columns", () => {
  const lines = metricHelp("What is measured.", { flow: "Of each flow", group: "", direction: "", ping: "" }).split(
    "\n",
  );
  for (const [name, { unit }] of Object.entries({
    ...metrics.flow,
    ...metrics.group,
    ...metrics.direction,
    ...metrics.ping,
  }))
    assert.ok(lines.includes(`  ${name} (${unit})`), name);
  for (const line of lines) assert.ok(line.length <= 80, line);
  assert.match(
    lines.join(" ").replaceAll(/\s+/g, " "),
    /convergence_ms \(ms\) from when the last flow may send .* RFC 5166, 2\.4/,
  );
});
