// cli/instruments/page/run/runner.ts on a machine that holds up its loads' links for a while: what it loses by that, and how long it waits.
import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { beforeEach, test } from "node:test";
import type { Measure } from "../../../../../cli/instruments/page/run/request.ts";
import { type Load, openResults } from "../../../../../cli/results/store/results.ts";
import { tempFolder } from "../../../../temp_folder.ts";
import { pageLoad } from "../../../sweep/page_load.ts";
import { type FastRun, fastPlan, fastRun, storedLoads, validLoad } from "./fast_runner.ts";

let home: string;
beforeEach(() => {
  home = tempFolder("trilane-busy-");
});

const plan = fastPlan({
  pages: ["a"],
  links: ["1mbit/20ms"],
  lanes: ["h1", "h3"],
  repetitions: 4,
  retries: 2,
  retry_for_s: 3600,
});
const load_ms = 2000;

/** One lab beside something that takes all CPUs until `until_ms`, in virtual time: loads are starved until then. */
async function runBeside(until_ms: number, change: Partial<FastRun> = {}) {
  let now_ms = 0;
  const measure: Measure = async ({ recording, lane, link }) => {
    const isStarved = now_ms < until_ms;
    now_ms += load_ms;
    const told = isStarved
      ? { status: "invalid" as const, reasons: ["the machine held up the link: for 90.0 ms"] }
      : {};
    return pageLoad({ page: "a", recording_digest: recording.digest, lane, link, wall_ms: load_ms, ...told });
  };
  const outcome = await fastRun({
    home,
    plan,
    measure,
    film: async (request) => ({ load: await measure(request), frames: [], visual: null }),
    machine: () => ({ stalled_us: Math.min(now_ms, until_ms) * 1000, used_ms: null, stolen_ms: null }),
    pause: async (time_ms) => {
      now_ms += time_ms;
    },
    ...change,
  });
  return { outcome, now_ms, loads: storedLoads(home) };
}

/** The lane that begins a block. */
const firstLane = (loads: readonly Load[], block: number) => loads.find((load) => load.block === block)?.lane;

test("half a minute of it costs attempts and no load: the last ones are kept for the end", async () => {
  const { outcome, loads } = await runBeside(36_000);
  assert.deepEqual([outcome.state, outcome.done, outcome.all], ["finished", 8, 8]);
  const valid = loads.filter(({ status }) => status === "valid");
  assert.equal(new Set(valid.map((load) => `${load.lane} ${load.block}`)).size, 8);
  // A starved load is tried again in its place but for its last attempt; the rest of its block waits with it.
  assert.deepEqual(
    loads.filter(({ status }) => status !== "valid").map(({ lane, block, attempt }) => `${lane} ${block} ${attempt}`),
    [0, 1, 2, 3].flatMap((block) => [0, 1].map((attempt) => `${firstLane(loads, block)} ${block} ${attempt}`)),
  );
});

test("without retries a starved load is tried once more, at the end; one that failed is not", async () => {
  const once = { ...plan, retries: 0 };
  const { loads } = await runBeside(load_ms / 2, { plan: once });
  const [starved, ...rest] = loads;
  assert.deepEqual([starved?.status, starved?.attempt], ["invalid", 0]);
  const again = loads.findIndex((load) => load.attempt === 1);
  assert.deepEqual([loads[again]?.block, loads[again]?.lane, loads[again]?.status], [0, starved?.lane, "valid"]);
  assert.ok(rest.every(({ status }) => status === "valid"));
  assert.ok(again > 6, "after the other blocks");
  rmSync(home, { recursive: true });
  mkdirSync(home);
  const failing: Measure = async (request) => {
    const load = await validLoad(request);
    return { log: { ...load.log, _trilane: { ...load.log._trilane, status: "failed", reasons: ["no page"] } } };
  };
  await fastRun({ home, plan: once, measure: failing });
  assert.deepEqual(new Set(storedLoads(home).map(({ attempt }) => attempt)), new Set([0]));
});

test("one that stays busy does not hold a sweep up for ever", async () => {
  const { outcome, now_ms, loads } = await runBeside(Number.POSITIVE_INFINITY);
  assert.deepEqual([outcome.state, outcome.done], ["finished", 8]);
  assert.ok(loads.length > 8 * (plan.retries + 1), "disturbed loads do not use up what others may be tried");
  const films_ms = 2 * load_ms;
  const once_ms = 8 * load_ms;
  assert.ok(now_ms >= 3_600_000 && now_ms <= 3_600_000 + 30_000 + load_ms + once_ms + films_ms, `${now_ms} ms`);
  // Without time to repeat them, each is tried once, and nothing is waited for.
  rmSync(home, { recursive: true });
  mkdirSync(home);
  const hasty = await runBeside(Number.POSITIVE_INFINITY, { plan: { ...plan, retry_for_s: 0 } });
  assert.deepEqual([hasty.outcome.state, hasty.outcome.done, hasty.loads.length], ["finished", 8, 8]);
  assert.equal(hasty.now_ms, once_ms + films_ms);
});

test("a film that was starved waits for a quieter machine before it is tried again", async () => {
  await runBeside(50_000, { measure: validLoad });
  using results = openResults(home);
  assert.deepEqual(
    results.filmedLoadsOf(1).map(({ status }) => status),
    ["valid", "valid"],
  );
});

test("a load that timed out is slower than all others: it is not tried until it is not", async () => {
  const slow: Measure = async (request) => {
    const load = await validLoad(request);
    const reasons = ["the load event did not come within 60000 ms"];
    return { log: { ...load.log, _trilane: { ...load.log._trilane, status: "failed", reasons } } };
  };
  const outcome = await fastRun({ home, plan, measure: slow });
  assert.deepEqual([outcome.state, outcome.done], ["finished", 8]);
  assert.equal(storedLoads(home).length, 8);
});
