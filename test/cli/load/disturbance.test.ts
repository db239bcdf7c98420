// What a load's disturbance is taken for, about how much of it the page waited for, and when its link was another one.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  disturbanceOf,
  disturbedRun,
  estimatedEffect_ms,
  excess_ms,
  excludedAttempts,
  heldUp_ms,
  heldUpReasons,
  isDisturbed,
  mostDisturbed,
} from "../../../cli/load/disturbance.ts";
import type { Pressure } from "../../../schemas/generated/page_load.ts";

const ms = 1e6;
const window = { start_ns: 1000 * ms, end_ns: 2000 * ms };
const overdue = (...intervals: [number, number][]) => ({
  total_ns: 0,
  resolution_ns: 0,
  intervals: intervals.map(([from_ms, to_ms]): [number, number] => [from_ms * ms, to_ms * ms]),
});
const pressure = (way_ms: number, outside_ms: number | null, stolen_ms = 0): Pressure => ({
  stalled_ms: null,
  waited: { browser_ms: way_ms, server_ms: 0, shaper_ms: 0 },
  way_ms,
  outside_ms,
  stolen_ms,
});
const of = (pressed: Pressure | null, held = overdue(), tolerance?: { readonly share: number; readonly ms: number }) =>
  disturbanceOf({ window, overdue: held, pressure: pressed, tolerance });

test("attempts that do not count are said once, in singular or plural, with what the machine did to them", () => {
  const disturbed = { reasons: ["the machine disturbed the run: it held the link up for 9.0 ms"] };
  const other = { reasons: ["the server ended"] };
  assert.equal(excludedAttempts([], 18), null);
  assert.equal(excludedAttempts([other], 1), "1 of 1 attempt does not count.");
  assert.equal(excludedAttempts([disturbed], 18), "1 of 18 attempts does not count: the machine disturbed it.");
  assert.equal(
    excludedAttempts([disturbed, disturbed], 18),
    "2 of 18 attempts do not count: the machine disturbed them.",
  );
  assert.equal(
    excludedAttempts([disturbed, other, other], 18),
    "3 of 18 attempts do not count; the machine disturbed 1 of them.",
  );
});

test("the link's part is what lies between navigation and load event", () => {
  assert.equal(heldUp_ms(overdue([900, 1001], [1500, 1503], [1999, 2500], [3000, 3100]), window), 5);
  assert.equal(heldUp_ms(overdue(), window), 0);
});

test("a run is disturbed beyond what is tolerated of its window, and if its link does not say", () => {
  const held = (overdue_ms: number, tolerance?: { readonly share: number; readonly ms: number }) =>
    disturbedRun({ overdue: overdue([1000, 1000 + overdue_ms]) }, window, tolerance);
  assert.equal(held(10), null);
  assert.equal(held(11, { share: 0.02, ms: 5 }), null);
  const reason = held(11) ?? "";
  assert.match(reason, /held the link up for 11\.0 ms \(tolerated: 10\.0 ms\)/);
  assert.ok(isDisturbed(reason));
  assert.match(disturbedRun({}, window) ?? "", /does not say/);
});

test("threads that wait for one another are calm; no more than what ran beside them is not", () => {
  // As measured on a calm machine: 400 ms of waits beside 28 ms of the machine's own doings.
  const calm = of(pressure(400, 28));
  assert.deepEqual(calm, { bound_ms: 400, link_ms: 0, cpu_ms: 400, calm_ms: 400, tolerated_ms: 10 });
  assert.equal(excess_ms(of(pressure(400, 100))), 66);
  // What ran beside them cannot have held them up for longer than they waited.
  assert.equal(excess_ms(of(pressure(12, 2000))), 12);
});

test("an upper bound: where the system does not say what ran, every wait may be others' doing", () => {
  assert.equal(excess_ms(of(pressure(400, null))), 400);
  assert.deepEqual(of(null, overdue([1100, 1104])), {
    bound_ms: 4,
    link_ms: 4,
    cpu_ms: null,
    calm_ms: 0,
    tolerated_ms: 10,
  });
});

test("of a video the span counts that was disturbed most by its own measure: its start, or all of it", () => {
  const whole = { start_ns: 1000 * ms, end_ns: 31_000 * ms };
  const spansOf = (...held: [number, number][]) => [
    disturbanceOf({ window: whole, overdue: overdue(...held), pressure: null }),
    disturbanceOf({ window, overdue: overdue(...held), pressure: null }),
  ];
  // 20 ms are little of 30 s, and much of the second before it played.
  const [all, start] = spansOf([1100, 1120]);
  assert.ok(all && start);
  assert.deepEqual(heldUpReasons([all]), []);
  assert.deepEqual(mostDisturbed([all, start]), start);
  assert.match(heldUpReasons([all, start])[0] ?? "", /tolerated: 10\.0 ms/);
  // 400 ms later on are of the whole alone.
  const [late, none] = spansOf([15_000, 15_400]);
  assert.ok(late && none);
  assert.deepEqual(mostDisturbed([late, none]), late);
  assert.match(heldUpReasons([late, none])[0] ?? "", /tolerated: 300\.0 ms/);
  assert.equal(mostDisturbed([]), null);
});

test("stolen time counts beyond the step in which it is told", () => {
  assert.equal(excess_ms(of(pressure(0, 0, 10))), 0);
  assert.equal(excess_ms(of(pressure(0, 0, 40))), 30);
});

test("tolerated is the larger of a share of the PLT and a time", () => {
  assert.equal(of(null).tolerated_ms, 10);
  assert.equal(of(null, overdue(), { share: 0.05, ms: 5 }).tolerated_ms, 50);
  assert.equal(of(null, overdue(), { share: 0, ms: 5 }).tolerated_ms, 5);
});

test("a load's link is another one beyond that; threads that waited are no reason", () => {
  assert.deepEqual(heldUpReasons([of(pressure(3000, 5400), overdue([1000, 1010]))]), []);
  const [reason = "", ...more] = heldUpReasons([of(pressure(30, 54), overdue([1000, 1010.1]))]);
  assert.deepEqual(more, []);
  assert.equal(reason, "the machine held up the link: for 10.1 ms (tolerated: 10.0 ms): let less run beside it");
  assert.ok(isDisturbed(reason) && !isDisturbed("2 of 9 requests failed"));
  for (const earlier of ["the machine disturbed the load: by up to 9 ms", "the machine was too busy: it waited 9 ms"])
    assert.ok(isDisturbed(earlier), "of loads stored before");
  assert.deepEqual(heldUpReasons([]), []);
});

test("the page waited for its main thread in the share of its work that the load event waited for, and for one wait a hop", () => {
  const pressed = {
    ...pressure(400, 5000),
    main: { ran_ms: 150, waited_ms: 50 },
    carriers: { waited_ms: 350, turns: 3500 },
  };
  const path = { network_ms: 500, computation_ms: 100, rtt_ms: 50 };
  // Half of 50 ms, and ten round trips of eight threads by 0.1 ms.
  assert.equal(estimatedEffect_ms(of(pressed), pressed, path), 25 + 8);
  // All of them are the load's own where nothing else ran.
  const alone = { ...pressed, outside_ms: 0 };
  assert.equal(estimatedEffect_ms(of(alone), alone, path), 0);
  // A path without computation waits for no computation; what held up the link is in it whole.
  assert.equal(estimatedEffect_ms(of(pressed, overdue([1000, 1003])), pressed, { ...path, computation_ms: 0 }), 3 + 8);
  assert.equal(estimatedEffect_ms(of(pressure(400, 5000)), pressure(400, 5000), path), null);
});

test("beside other loads of ours only the link and stolen time tell", () => {
  const beside = { window, overdue: overdue([1000, 1003]), pressure: pressure(500, 800, 30), isBeside: true };
  assert.equal(excess_ms(disturbanceOf(beside)), 3 + 20);
});
