// Commands against the first one, on the same link, in the same blocks: by the paired ratio of contrast.ts, the time by the plan's rule for when runs
// are enough, if it has one (results/answer/paired_rule.ts). Numbers only.

import { median } from "../../../base/quantile.ts";
import { metrics } from "../../../registry/metrics.ts";
import { pairsOf, type Ruled, type RuledComparison, type RuledSide } from "../../../results/answer/block_values.ts";
import { contrast } from "../../../results/answer/contrast.ts";
import { type Judged, judgeTogether } from "../../../results/answer/judged.ts";
import type { StoppingOf } from "../../../results/answer/rule_outcome.ts";
import { type CommandRun, type Quantity, runValue } from "../metrics/values.ts";
import type { StoredCommandPlan } from "../plan/stored_plan.ts";
import type { MeasuredCell } from "../store/measured_runs.ts";

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

const sideOf = ({ id, subject, link }: ComparedCell, quantity: Quantity): RuledSide<RuledRun> => ({
  ...{ name: subject, quantity, link },
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
function ruledBy(cells: readonly ComparedCell[], quantity: Quantity) {
  const sides = new Map(cells.map((cell) => [cell, sideOf(cell, quantity)]));
  const sideIn = (cell: ComparedCell) => sides.get(cell) as RuledSide<RuledRun>;
  const comparisons: PlacedComparison[] = [...Map.groupBy(cells, ({ link }) => link).values()].flatMap(
    ([first, ...rest]) =>
      first
        ? rest.map((cell) => ({
            ...{ one: sideIn(cell), other: sideIn(first) },
            cells: [cell, first] as const,
          }))
        : [],
  );
  return { sides: [...sides.values()], comparisons };
}

/** What the plan's rule is about: each command's time. */
export const ruledCommands = (cells: readonly ComparedCell[]): Ruled<RuledRun> => ruledBy(cells, timeQuantity);

/** Of all runs of a sweep. */
export const commandStopping = (
  plan: Pick<StoredCommandPlan, "until" | "time_limit_s" | "repetitions">,
  cells: readonly ComparedCell[],
  runs: readonly RuledRun[],
  isFinished: boolean,
): StoppingOf<RuledRun> => ({
  ...{ plan, isFinished, ruled: ruledCommands(cells), attempts: runs },
  noun: ["run", "runs"],
});

/** All that is returned is judged together. */
export function compareCommands(
  { until }: Pick<StoredCommandPlan, "until">,
  cells: readonly ComparedCell[],
  runs: readonly RuledRun[],
  quantities: readonly Quantity[],
): ComparedCommands[] {
  const all = quantities.flatMap((quantity) =>
    ruledBy(cells, quantity).comparisons.flatMap((comparison) => {
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
