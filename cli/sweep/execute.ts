// What `race`, `sweep` and `start` share: pages made ready, the sweep begun or gone on with, its loads run, stopped by
// Ctrl-C, and the result shown. Parses no words and writes no plan.
import { cpus, release } from "node:os";
import type { SweepEvent } from "../../schemas/generated/sweep_event.ts";
import type { Recording } from "../archive/archive.ts";
import { type NewSweep, openResults, type Results, type Sweep } from "../results/results.ts";
import { version } from "../version.ts";
import { cellGuess } from "./estimate.ts";
import { outcomeLines, outcomeOf } from "./outcome.ts";
import { preparePages } from "./pages.ts";
import { cellsOf, type Plan, planDigest } from "./plan.ts";
import { openProgress, type Progress } from "./progress.ts";
import { runSweep } from "./runner.ts";

export interface Execution {
  readonly home: string;
  readonly plan: Plan;
  /** Begin again even where the plan has an unfinished sweep. */
  readonly fresh: boolean;
  readonly json: boolean;
  /** What the same sweep is gone on with, in words. */
  readonly resumeWith: string;
}

function newSweep(plan: Plan, recordings: ReadonlyMap<string, Recording>): NewSweep {
  const cells = cellsOf(plan).map((cell) => ({
    ...cell,
    recording_digest: recordings.get(cell.page)?.digest ?? "",
  }));
  return {
    name: plan.name,
    plan,
    plan_digest: planDigest(plan),
    seed: plan.seed,
    command: ["trilane", ...process.argv.slice(2)],
    environment: {
      trilane: version,
      node: process.versions.node,
      kernel: release(),
      cpu: cpus()[0]?.model.trim() ?? null,
      cpus: cpus().length,
    },
    cells,
  };
}

/** Runs a plan to its end, to Ctrl-C, or to what would fail every load. Sets the exit status when it was stopped. */
export async function executePlan(execution: Execution): Promise<void> {
  const { home, plan, json } = execution;
  const progress = openProgress({ json, out: process.stdout, err: process.stderr, environment: process.env });
  // Loaded while the pages are made ready; the browser's own library is the slow part.
  const measuring = import("../measure/load.ts");
  measuring.catch(() => undefined);
  const results = openResults(home);
  try {
    const recordings = await preparePages(home, plan.pages, (event) => progress.tell(event));
    const { sweep, resumed } = results.beginSweep(newSweep(plan, recordings), execution.fresh);
    try {
      const { measureLoad } = await measuring;
      await runToEnd(execution, { results, sweep, resumed, recordings, progress, measureLoad });
    } finally {
      releaseQuietly(results, sweep);
    }
  } finally {
    progress.end();
    results.close();
  }
}

interface Begun {
  readonly results: Results;
  readonly sweep: Sweep;
  readonly resumed: boolean;
  readonly recordings: ReadonlyMap<string, Recording>;
  readonly progress: Progress;
  readonly measureLoad: typeof import("../measure/load.ts").measureLoad;
}

async function runToEnd({ home, plan, json, resumeWith }: Execution, begun: Begun): Promise<void> {
  const { results, sweep, recordings, progress } = begun;
  const interruption = watchSignals();
  try {
    const { state, done, loads, wall_ms } = await runSweep({
      home,
      results,
      sweep,
      plan,
      resumed: begun.resumed,
      measure: begun.measureLoad,
      urlOf: (page) => recordings.get(page)?.url ?? "",
      guess_ms: cellGuess(plan.settle_ms, (page) => recordings.get(page), results),
      signal: interruption.signal,
      tell: (event) => progress.tell(event),
    });
    progress.end();
    if (state === "stopped") {
      const signal = interruption.received() ?? "SIGINT";
      const event: SweepEvent = { event: "sweep-stopped", sweep: sweep.id, done, loads, signal };
      if (json) progress.tell(event);
      else process.stderr.write(`stopped: ${done} of ${loads} loads are kept; go on with: ${resumeWith}\n`);
      // As a shell has it: 128 and the signal's number.
      process.exitCode = signal === "SIGINT" ? 130 : 143;
      return;
    }
    const { writeReport } = await import("../report/report.ts");
    const path = await writeReport(home, sweep.id);
    const outcome = outcomeOf(results.cellsOf(sweep.id), results.loadsOf(sweep.id), sweep.seed, loads);
    if (json) {
      const { counts, verdict, cells } = outcome;
      const wall_s = wall_ms / 1000;
      progress.tell({
        event: "sweep-finished",
        sweep: sweep.id,
        loads,
        ...counts,
        wall_s,
        report: path,
        verdict: [...verdict],
        cells: [...cells],
      });
    } else {
      process.stdout.write(`${outcomeLines(outcome, path).join("\n")}\n`);
    }
  } finally {
    interruption.ignore();
  }
}

/** The first Ctrl-C stops cleanly; a second one, while the lab is being taken down, ends at once. */
function watchSignals(): { signal: AbortSignal; received(): "SIGINT" | "SIGTERM" | null; ignore(): void } {
  const stop = new AbortController();
  let received: "SIGINT" | "SIGTERM" | null = null;
  const names = ["SIGINT", "SIGTERM"] as const;
  const ignore = () => {
    for (const name of names) process.removeListener(name, onSignal);
  };
  const onSignal = (name: NodeJS.Signals) => {
    received = name === "SIGTERM" ? "SIGTERM" : "SIGINT";
    ignore();
    stop.abort();
  };
  for (const name of names) process.on(name, onSignal);
  return { signal: stop.signal, received: () => received, ignore };
}

/** A sweep that cannot be given up (its disk is full) is free when this process has ended. */
function releaseQuietly(results: Results, sweep: Sweep): void {
  try {
    results.release(sweep.id);
  } catch {
    // What went wrong is on its way to the user already.
  }
}
