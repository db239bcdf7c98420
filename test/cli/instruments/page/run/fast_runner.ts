// Runs a sweep with loads that take no browser: each waits a moment and says of itself in a log what was asked.
// `node fast_runner.ts HOME LOG DELAY_MS` runs it as a process of its own, to be killed. It measures no further than the
// number of loads in LOG.limit says, while that file is there: a busy machine may not look for a while.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { writeWait_ms } from "../../../../../cli/engine/blocking_conditions.ts";
import type { Labs } from "../../../../../cli/engine/labs.ts";
import type { LoadRequest, Measure } from "../../../../../cli/instruments/page/run/request.ts";
import { type PageRunnerOptions, runPageLoads } from "../../../../../cli/instruments/page/run/runner.ts";
import { type Load, type NewSweep, openResults, type Results } from "../../../../../cli/results/store/results.ts";
import { cellsOf, planDigest, planOf } from "../../../../../cli/sweep/plan/plan.ts";
import type { Plan } from "../../../../../cli/sweep/plan/plan_document.ts";
import { pageLoad } from "../../../sweep/page_load.ts";

export function fastPlan(change: object = {}): Plan {
  const links = [{ grid: { rates_mbit: [1, 10], rtts_ms: [20, 200] } }];
  const least = { name: "fast", pages: ["a", "b"], lanes: ["h1", "h2", "h3"], links, repetitions: 3, retries: 2 };
  return planOf({ ...least, ...change }, "fast");
}

export function sweepOf(plan: Plan): NewSweep {
  const cells = cellsOf(plan).map((cell) => ({ ...cell, recording_digest: `digest of ${cell.page}` }));
  const { name, seed } = plan;
  return { name, plan, plan_digest: planDigest(plan), seed, command: ["test"], environment: {}, cells };
}

/** A valid load for every request. */
export async function validLoad(request: LoadRequest): ReturnType<Measure> {
  const { recording, lane, link } = request;
  return pageLoad({ page: recording.name, recording_digest: recording.digest, lane, link, wall_ms: 5 });
}

export interface FastRun {
  readonly home: string;
  readonly plan: Plan;
  readonly measure: Measure;
  readonly signal?: AbortSignal;
  readonly tell?: PageRunnerOptions["tell"];
  readonly links?: PageRunnerOptions["links"];
  /** Links that are always out, or never. */
  readonly linkFault?: (link: string) => Promise<string | null>;
  readonly labs?: Labs;
  readonly machine?: PageRunnerOptions["machine"];
  readonly pause?: PageRunnerOptions["pause"];
  readonly now_ms?: PageRunnerOptions["now_ms"];
  readonly earlyEnd?: PageRunnerOptions["earlyEnd"];
  readonly film?: PageRunnerOptions["film"];
  readonly most_ms?: PageRunnerOptions["most_ms"];
}

/** Begins or goes on with the plan's sweep in HOME and runs it. */
export async function fastRun(run: FastRun) {
  const results: Results = openResults(run.home, writeWait_ms);
  const { sweep, resumed } = results.beginSweep(sweepOf(run.plan), false);
  try {
    return await runPageLoads({
      home: run.home,
      results,
      sweep,
      plan: run.plan,
      resumed,
      measure: run.measure,
      urlOf: (page) => `https://${page}.example/`,
      guess_ms: () => 5,
      ...(run.earlyEnd ? { earlyEnd: run.earlyEnd } : {}),
      ...(run.labs ? { labs: run.labs } : {}),
      // Does not tell: nothing waits.
      machine: run.machine ?? (() => ({ stalled_us: null, used_ms: null, stolen_ms: null })),
      ...(run.pause ? { pause: run.pause } : {}),
      ...(run.now_ms ? { now_ms: run.now_ms } : {}),
      ...(run.linkFault ? { links: { faultOf: run.linkFault, isDue: () => false } } : {}),
      ...(run.links ? { links: run.links } : {}),
      ...(run.film ? { film: run.film } : {}),
      ...(run.most_ms ? { most_ms: run.most_ms } : {}),
      signal: run.signal ?? new AbortController().signal,
      tell: run.tell ?? (() => undefined),
    });
  } finally {
    results.release(sweep.id);
    results.close();
  }
}

/** Of all sweeps. */
export function storedLoads(home: string): Load[] {
  using results = openResults(home);
  return results.listSweeps().flatMap((sweep) => results.loadsOf(sweep.id));
}

/** Loads that a runner said of itself it measured. */
export function loggedLoads(log: string): number {
  return existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0;
}

function isHeld(log: string): boolean {
  try {
    return loggedLoads(log) >= Number(readFileSync(`${log}.limit`, "utf8"));
  } catch {
    return false;
  }
}

const [home, log, delay_ms] = process.argv.slice(2);
if (import.meta.main && home && log) {
  await fastRun({
    home,
    plan: fastPlan(),
    async measure(request) {
      await delay(Number(delay_ms));
      while (isHeld(log)) await delay(5);
      appendFileSync(log, `${request.recording.name} ${request.lane} ${request.link.seed}\n`);
      return validLoad(request);
    },
  });
}
