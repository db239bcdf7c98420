// Drawn traces against the model that they are drawn from: mean, spread, memory, outages, Poisson counts, seeds.
// Wide: cli/link/trace.
import assert from "node:assert/strict";
import { test } from "node:test";
import { windowCounts } from "../../../../cli/link/opportunities.ts";
import { factsOf, outagesOf } from "../../../../cli/link/trace/facts.ts";
import { type CellularModel, drawTrace } from "../../../../cli/link/trace/model.ts";
import { presets } from "../../../../cli/link/trace/networks.ts";

const steady: CellularModel = {
  mean_bps: 12e6,
  spread: 0,
  memory_ms: 5000,
  outageEvery_ms: null,
  outageLength_ms: 1000,
};
const drawn = (model: CellularModel, length_ms: number, seed = 1): Uint32Array =>
  Uint32Array.from(drawTrace(model, length_ms, seed));

function momentsOf(counts: Float64Array): { mean: number; variance: number } {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return { mean, variance: counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / counts.length };
}

test("every trace rises, is as long as asked and has the mean asked, to one packet", () => {
  for (const { down, up } of presets)
    for (const model of [down, up])
      for (const seed of [0, 1, 7]) {
        const times = drawn(model, 60_000, seed);
        assert.equal(times.at(-1), 60_000);
        assert.equal(times.length, Math.round((model.mean_bps * 60) / 12_000));
        assert.ok(times.every((time_ms, index) => index === 0 || time_ms >= (times[index - 1] as number)));
      }
});

test("the presets have the published means", () => {
  const means = Object.fromEntries(presets.map(({ name, down, up }) => [name, [down.mean_bps, up.mean_bps]]));
  assert.deepEqual(means, { "verizon-lte": [19.1e6, 9.1e6], "att-lte": [6.7e6, 1.1e6] });
});

test("the same seed draws the same trace, another one another", () => {
  const model = { ...steady, spread: 0.6 };
  assert.deepEqual(drawn(model, 5000, 3), drawn(model, 5000, 3));
  assert.notDeepEqual(drawn(model, 5000, 3), drawn(model, 5000, 4));
});

test("of a rate that does not change the opportunities are a Poisson process", () => {
  // Counts of 100 ms have mean 100 and, Poisson, variance 100 (a hundredth less, because their sum is given).
  const { mean, variance } = momentsOf(windowCounts(drawn(steady, 600_000), 100));
  assert.equal(Math.round(mean), 100);
  // 6000 windows: the variance's standard error is 1.8 %.
  assert.ok(Math.abs(variance / mean - 1) < 0.08, `variance over mean ${variance / mean}`);
});

test("the rate spreads and forgets as the model says", () => {
  const model = { ...steady, spread: 0.6, memory_ms: 2000 };
  // 2500 memories long. Windows of 200 ms hold little of the walk's own change.
  const window_ms = 200;
  const counts = windowCounts(drawn(model, 5_000_000), window_ms);
  const { mean, variance } = momentsOf(counts);
  const spread = Math.sqrt(variance - mean) / mean; // without the Poisson part
  assert.ok(Math.abs(spread - 0.6) < 0.06, `spread ${spread}`);
  const sigma2 = Math.log(1 + 0.6 ** 2);
  for (const lag_ms of [1000, 2000, 4000]) {
    const lag = lag_ms / window_ms;
    let sum = 0;
    for (let place = 0; place + lag < counts.length; place++)
      sum += ((counts[place] ?? 0) - mean) * ((counts[place + lag] ?? 0) - mean);
    const correlation = sum / (counts.length - lag) / (variance - mean);
    // Of a log-normal process whose logarithm is correlated by exp(-lag / memory).
    const expected = Math.expm1(sigma2 * Math.exp(-lag_ms / 2000)) / Math.expm1(sigma2);
    assert.ok(Math.abs(correlation - expected) < 0.08, `lag ${lag_ms}: ${correlation}, expected ${expected}`);
  }
});

test("outages come and last as the model says", () => {
  const model = { ...steady, outageEvery_ms: 10_000, outageLength_ms: 1000 };
  const times = drawn(model, 5_000_000);
  // At 1000 packets a second nothing else is silent for 100 ms; exp(-0.1) of the outages are that long.
  const outages = [...outagesOf(times, 100)];
  const expected = (5_000_000 / 11_000) * Math.exp(-0.1);
  assert.ok(Math.abs(outages.length - expected) < 4 * Math.sqrt(expected), `${outages.length}, expected ${expected}`);
  // Exponential times have no memory: beyond 100 ms they last another 1000 ms in the mean.
  const mean_ms = outages.reduce((sum, { length_ms }) => sum + length_ms - 100, 0) / outages.length;
  assert.ok(Math.abs(mean_ms - 1000) < (4 * 1000) / Math.sqrt(outages.length), `mean ${mean_ms}`);
  assert.equal(Math.round(factsOf(times, { window_ms: 1000, outage_ms: 100 }).mean_bps), 12e6);
});

test("what gives no trace is refused", () => {
  assert.throws(() => drawn({ ...steady, mean_bps: 1 }, 1000), /no opportunity/);
  assert.throws(() => drawn(steady, 0), /length/);
  assert.throws(() => drawn({ ...steady, mean_bps: 100e9 }, 600_000_000), /lower the rate or the length/);
  const off = { ...steady, outageEvery_ms: 1, outageLength_ms: 1e9 };
  assert.throws(() => drawn(off, 1000), /are an outage with seed 1/);
});
