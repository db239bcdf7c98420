// Whether runs are enough by a plan's rule: each command's time is decided against the first one's, on each link. Pure.

import { metrics } from "../../../registry/metrics.ts";
import { decide } from "../../../results/stats/sequential.ts";
import type { NewMeasuredCell } from "../../../results/store/measured_runs.ts";
import type { StoredCommandPlan } from "../../../results/store/results.ts";
import type { CommandRun, Quantity } from "../metrics/values.ts";
import { comparedPlaces, logPairsOf, pairsOf } from "./comparison.ts";

export const timeQuantity: Quantity = {
  name: "wall_ms",
  title: metrics.command.wall_ms.title,
  metric: metrics.command.wall_ms,
};

/** False without a rule. Comparisons that more runs would hardly decide are given up. */
export function areDecided(
  { until }: Pick<StoredCommandPlan, "until">,
  cells: readonly Pick<NewMeasuredCell, "subject" | "link">[],
  runs: readonly CommandRun[],
): boolean {
  if (!until) return false;
  return comparedPlaces(cells).every(({ one, other }) => {
    const { decision, givenUp } = decide(logPairsOf(pairsOf(runs, one, other, timeQuantity)), until.decided_percent);
    return decision !== "undecided" || givenUp;
  });
}
