// The lines of `trilane race --json` -> how far a race is. Pure: the same lines give the same progress, so that a service
// worker that was put to sleep replays a race from its first line.
import { isLane } from "../../cli/base/lanes.ts";
import type { SweepEvent } from "../../schemas/generated/sweep_event.ts";
import type { Lane, RaceState } from "../actions.ts";

export type Progress = Pick<RaceState, "phase" | "done" | "loads" | "left_s" | "lanesDone" | "plts">;

export function beginning(lanes: readonly Lane[], runs: number): Progress {
  return { phase: "importing", done: 0, loads: lanes.length * runs, left_s: null, lanesDone: {}, plts: {} };
}

/** `line`: of the same race; unknown ones change nothing. */
export function afterLine(progress: Progress, line: SweepEvent): Progress {
  switch (line.event) {
    case "page-ready":
      return { ...progress, phase: "importing" };
    case "sweep-started":
      return { ...progress, phase: "racing", loads: line.loads, done: line.done, left_s: line.expected_s };
    case "load-started":
      return { ...progress, phase: "racing" };
    case "load-finished": {
      const { lane, plt_ms } = line;
      // Races have plain lanes, without settings of their own.
      const counts = line.status === "valid" && isLane(lane);
      return {
        phase: "racing",
        done: line.done,
        loads: line.loads,
        left_s: line.left_s,
        lanesDone: counts ? { ...progress.lanesDone, [lane]: (progress.lanesDone[lane] ?? 0) + 1 } : progress.lanesDone,
        plts:
          counts && plt_ms !== null
            ? { ...progress.plts, [lane]: [...(progress.plts[lane] ?? []), plt_ms] }
            : progress.plts,
      };
    }
    case "sweep-paused":
      return { ...progress, phase: "paused", left_s: null };
    case "film-started":
      return { ...progress, phase: "filming" };
    case "film-finished":
      return { ...progress, phase: line.filmed >= line.films ? "reporting" : "filming", left_s: line.left_s };
    case "sweep-finished":
      return { ...progress, phase: "reporting", left_s: 0 };
    default:
      return progress;
  }
}
