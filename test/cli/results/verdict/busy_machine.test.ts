// What is taken off the loads of a busy machine, and how much longer intervals are for what is not known of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { busyNote, busyPlaces, calmed, waited_ms, widened } from "../../../../cli/results/verdict/busy_machine.ts";
import { compare, direction } from "../../../../cli/results/verdict/comparison.ts";
import { isSettled, pairDecisions } from "../../../../cli/results/verdict/load_stopping_rule.ts";
import type { ValidSample } from "../../../../cli/results/verdict/sample.ts";
import { summarize } from "../../../../cli/results/verdict/summary.ts";

interface Made {
  readonly lane: string;
  readonly calm_ms: number;
  /** Of each load. */
  readonly estimates_ms: readonly number[];
  /** How much of it there is in the load. */
  readonly share: number;
}

/** Blocks differ by a ms or two. */
function loadsOf({ lane, calm_ms, estimates_ms, share }: Made): ValidSample[] {
  return estimates_ms.map((estimate_ms, block) => ({
    ...{ page: "shop", link: "10mbit/50ms", lane, block, status: "valid", reasons: [] },
    plt_ms: calm_ms + ((block * 7) % 5) - 2 + share * estimate_ms,
    ...{ disturbance_ms: 20 * estimate_ms, tolerated_ms: 8, disturbance_estimate_ms: estimate_ms },
  }));
}

const alike = Array.from({ length: 9 }, () => 20);
const unlike = Array.from({ length: 9 }, (_, block) => 8 * ((block * 4) % 9));
const pair = { lane: "h3", over: "h2" };

test("loads that were disturbed less than is tolerated stay as they are, whatever their estimates", () => {
  const loads = loadsOf({ lane: "h2", calm_ms: 700, estimates_ms: unlike, share: 1 }).map((load) => ({
    ...load,
    disturbance_ms: 8,
  }));
  assert.ok(loads.every((load) => waited_ms(load) === 0));
  const { loads: same, off_ms, slope } = calmed(loads);
  assert.equal(same, loads);
  assert.deepEqual([off_ms.size, slope], [0, null]);
});

test("on a machine that is as busy all the time nothing is known of the share: half is taken off, and half may be off", () => {
  const loads = loadsOf({ lane: "h2", calm_ms: 700, estimates_ms: alike, share: 1 });
  const { loads: taken, off_ms, slope } = calmed(loads);
  assert.deepEqual(slope?.possible, { low: 0, high: 1 });
  assert.equal(slope?.estimate, null);
  assert.deepEqual(
    taken.map(({ plt_ms }, index) => (loads[index]?.plt_ms ?? 0) - plt_ms),
    alike.map(() => 10),
  );
  assert.equal(off_ms.get("h2"), 10);
  const [lane] = summarize(loads);
  assert.ok((lane?.interval_ms?.low ?? 0) <= 700 && (lane?.interval_ms?.high ?? 0) >= 720);
});

test("where estimates differ the loads say how much of them there is: nearly all, or nearly nothing", () => {
  for (const share of [0, 1]) {
    const loads = ["h1", "h2", "h3"].flatMap((lane) => loadsOf({ lane, calm_ms: 700, estimates_ms: unlike, share }));
    const { slope, off_ms } = calmed(loads);
    assert.ok(Math.abs((slope?.estimate ?? Number.NaN) - share) < 0.1, `${slope?.estimate}`);
    assert.ok((off_ms.get("h2") ?? 20) < 3, `${off_ms.get("h2")} ms`);
    for (const { median_ms } of summarize(loads)) assert.ok(Math.abs((median_ms ?? 0) - 700) < 4, `${median_ms} ms`);
  }
});

test("an interval becomes longer on both sides, and not below 0", () => {
  assert.deepEqual(widened({ low: 30, high: 40 }, 10), { low: 20, high: 50 });
  assert.deepEqual(widened({ low: 30, high: 40 }, 50), { low: 0, high: 90 });
  assert.equal(widened(null, 50), null);
});

test("medians are precise once those that are shown are: the machine's part is off their times, and in their intervals", () => {
  const precise = (of: Partial<Made>, interval_percent: number): boolean => {
    const made = { lane: "h2", calm_ms: 700, estimates_ms: Array.from({ length: 12 }, () => 60), share: 0, ...of };
    return isSettled(loadsOf(made), ["h2"], { interval_percent });
  };
  assert.ok(precise({ estimates_ms: Array.from({ length: 12 }, () => 0) }, 1));
  // Half of 60 ms may be in a median of about 700 ms, or not.
  assert.equal(precise({}, 4), false);
  assert.equal(precise({}, 6), true);
});

test("lanes that suffer differently are not called different for it; those that differ by more are", () => {
  const h2 = loadsOf({ lane: "h2", calm_ms: 700, estimates_ms: alike, share: 1 });
  const equal = compare([...h2, ...loadsOf({ lane: "h3", calm_ms: 700, estimates_ms: alike, share: 0 })], pair, 1);
  assert.equal(direction(equal), "unclear");
  assert.ok((equal.interval?.low ?? 1) <= 0 && (equal.interval?.high ?? -1) >= 0);
  const faster = compare([...h2, ...loadsOf({ lane: "h3", calm_ms: 620, estimates_ms: alike, share: 0 })], pair, 1);
  assert.equal(direction(faster), "faster");
  const calm = compare(
    [...h2, ...loadsOf({ lane: "h3", calm_ms: 620, estimates_ms: alike, share: 0 })].map((load) => ({
      ...load,
      tolerated_ms: 1000,
    })),
    pair,
    1,
  );
  const width = ({ interval }: typeof calm): number => (interval?.high ?? 0) - (interval?.low ?? 0);
  assert.ok(width(faster) > width(calm));
});

test("loads stop for a decision only if it holds whichever lane suffered", () => {
  const long = Array.from({ length: 20 }, () => 20);
  const decisionOf = (calm_ms: number) => {
    const loads = [
      ...loadsOf({ lane: "h2", calm_ms: 700, estimates_ms: long, share: 1 }),
      ...loadsOf({ lane: "h3", calm_ms, estimates_ms: long, share: 0 }),
    ].sort((a, b) => a.block - b.block);
    const [busy] = pairDecisions(loads, ["h2", "h3"], 1);
    const [calm] = pairDecisions(
      loads.map((load) => ({ ...load, tolerated_ms: 1000 })),
      ["h2", "h3"],
      1,
    );
    return [busy?.decision, calm?.decision];
  };
  assert.deepEqual(decisionOf(700), ["undecided", "faster"]);
  assert.deepEqual(decisionOf(620), ["faster", "faster"]);
});

test("it is said once, with what is known; nothing is said of a calm machine", () => {
  const busy = ["h2", "h3"].flatMap((lane) => loadsOf({ lane, calm_ms: 700, estimates_ms: alike, share: 0.5 }));
  assert.match(
    busyNote(busy) ?? "",
    /^On a busy machine: 18 of 18 loads waited for CPUs .*, about 20 ms each\. .* off by 10 ms, and intervals are wider by that\.$/,
  );
  assert.equal(busyPlaces(busy)[0]?.off_ms, 10);
  const calm = busy.map((load) => ({ ...load, disturbance_ms: 1 }));
  assert.equal(busyNote(calm), null);
  const unknown = busy.map((load) => ({ ...load, disturbance_estimate_ms: null }));
  assert.match(busyNote(unknown) ?? "", /18 of 18 loads, and it is not known for how long\.$/);
});

test("of waits below a millisecond the note does not say that they were none", () => {
  const loads = loadsOf({ lane: "h2", calm_ms: 700, estimates_ms: alike.map(() => 0.4), share: 1 }).map((load) => ({
    ...load,
    disturbance_ms: 12,
  }));
  const note = busyNote(loads) ?? "";
  assert.match(
    note,
    /^On a busy machine: 9 of 9 loads waited for CPUs that other programs used, less than 1 ms each\. /,
  );
  assert.match(note, /medians may still be off by less than 1 ms, /);
});
