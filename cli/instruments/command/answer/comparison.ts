// Commands against the first one, on the same link, in the same blocks: by the paired ratio of contrast.ts, the time by the plan's rule for when runs
// are enough, if it has one (results/answer/stopping.ts). Numbers only.

import { median } from "../../../base/quantile.ts";
import { metrics } from "../../../registry/metrics.ts";
import { contrast } from "../../../results/answer/contrast.ts";
import {
  type Judged,
  judgeTogether,
  pairsOf,
  type Ruled,
  type RuledComparison,
  type RuledSide,
} from "../../../results/answer/stopping.ts";
import type { MeasuredCell } from "../../../results/store/measured_runs.ts";
import type { StoredCommandPlan } from "../../../results/store/results.ts";
import { type CommandRun, type Quantity, runValue } from "../metrics/values.ts";

export type ComparedCell = Pick<MeasuredCell, "id" | "subject" | "link">;
/** A run as the rule takes it. */
export type RuledRun = Pick<CommandRun, "cell" | "block" | "status" | "record">;

export const timeQuantity: Quantity = {
  name: "wall_ms",
  title: metrics.command.wall_ms.title,
  metric: metrics.command.wall_ms,
};

export interface ComparedCommands {
  readonly link: string | null;
  readonly one: string;
  readonly other: string;
  readonly quantity: Quantity;
  readonly found: Judged;
  /** The first one's value less the other's: median of the pairs. */
  readonly difference: number;
}

/** How a run ends that counts: none is tried again. */
export const counted = ["valid", "failed"] as const;

const sideOf = ({ id, link }: ComparedCell, quantity: Quantity): RuledSide<RuledRun> => ({
  place: link ?? "",
  cells: new Map([["", id]]),
  counted,
  valueOf: (run) => {
    const its = runValue(run, quantity);
    return "value" in its ? its.value : null;
  },
});

interface PlacedComparison extends RuledComparison<RuledRun> {
  readonly cells: readonly [ComparedCell, ComparedCell];
}

/** Each against the first command on its link. */
function comparisonsOf(cells: readonly ComparedCell[], quantity: Quantity): PlacedComparison[] {
  return [...Map.groupBy(cells, ({ link }) => link).values()].flatMap(([first, ...rest]) =>
    first
      ? rest.map((cell) => ({
          ...{ one: sideOf(cell, quantity), other: sideOf(first, quantity) },
          cells: [cell, first] as const,
        }))
      : [],
  );
}

/** What the plan's rule is about: each command's time. */
export const ruledCommands = (cells: readonly ComparedCell[]): Ruled<RuledRun> => ({
  sides: cells.map((cell) => sideOf(cell, timeQuantity)),
  comparisons: comparisonsOf(cells, timeQuantity),
});

/** All that is returned is judged together. */
export function compareCommands(
  { until }: Pick<StoredCommandPlan, "until">,
  cells: readonly ComparedCell[],
  runs: readonly RuledRun[],
  quantities: readonly Quantity[],
): ComparedCommands[] {
  const all = quantities.flatMap((quantity) =>
    comparisonsOf(cells, quantity).flatMap((comparison) => {
      const pairs = pairsOf(comparison, runs);
      const found = contrast(pairs.map((pair) => [pair]));
      if (found === null) return [];
      const [one, other] = comparison.cells;
      const difference = median(pairs.map((pair) => pair.one - pair.other));
      const ruled = quantity.name === timeQuantity.name ? pairs : null;
      return [{ link: one.link, one: one.subject, other: other.subject, quantity, difference, found, ruled }];
    }),
  );
  const judged = judgeTogether(all, until);
  return all.map(
    ({ ruled: _, ...each }, index) => ({ ...each, found: judged[index] ?? each.found }) as ComparedCommands,
  );
}
