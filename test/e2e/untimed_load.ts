// A measured load for tests that are about something else than its time: it counts however much this machine disturbed it. Tests of
// time load by calm_load.ts.
import { type LoadRequest, measureLoad, type PageLoad } from "../../cli/load/load.ts";

/** As an option of the command line, and in a plan. */
export const anyDisturbance = ["--tolerance", "100%,60000ms"] as const;
export const anyTolerance = { share: 1, ms: 60_000 } as const;

export function untimedLoad(options: LoadRequest): Promise<PageLoad> {
  return measureLoad({ tolerance: anyTolerance, ...options });
}
