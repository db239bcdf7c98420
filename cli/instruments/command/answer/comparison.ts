// Commands against the first one, on the same link, in the same blocks: by the paired ratio of contrast.ts. With a rule for when runs are
// enough, by the test that accounts for looking after each block (sequential.ts). Numbers only.

import type { Interval } from "../../../base/interval.ts";
import { median } from "../../../base/quantile.ts";
import {
  type Contrast,
  contrast,
  type Pair,
  type Shown,
  shown,
  shownTogether,
} from "../../../results/answer/contrast.ts";
import { decide, type LogPair, type Outcome, shiftAtLook } from "../../../results/stats/sequential.ts";
import type { NewMeasuredCell } from "../../../results/store/measured_runs.ts";
import type { StoredCommandPlan } from "../../../results/store/results.ts";
import { type CommandRun, type Quantity, runValue } from "../metrics/values.ts";
import { isAt } from "./summary.ts";

type Place = Pick<NewMeasuredCell, "subject" | "link">;

export interface ComparedCommands {
  readonly link: string | null;
  readonly one: string;
  readonly other: string;
  readonly quantity: Quantity;
  readonly found: Contrast;
  /** `equal`: within what does not matter to who asks. */
  readonly shown: Shown | "equal";
  /** The first one's value less the other's: median of the pairs. */
  readonly difference: number;
}

export function pairsOf(runs: readonly CommandRun[], one: Place, other: Place, quantity: Quantity): Pair[] {
  const valueIn = (place: Place): Map<number, number> =>
    new Map(
      runs.filter(isAt(place)).flatMap((run) => {
        const its = run.status === "valid" ? runValue(run, quantity) : null;
        return its && "value" in its ? [[run.block, its.value] as const] : [];
      }),
    );
  const others = valueIn(other);
  return [...valueIn(one)]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([block, value]) => {
      const beside = others.get(block);
      return beside === undefined ? [] : [{ one: value, other: beside }];
    });
}

/** Each against the first command on its link. */
export function comparedPlaces(cells: readonly Place[]): { readonly one: Place; readonly other: Place }[] {
  return [...Map.groupBy(cells, ({ link }) => link).values()].flatMap(([first, ...rest]) =>
    first ? rest.map((one) => ({ one, other: first })) : [],
  );
}

/** `lane`: the command that is compared. Of the first that decided no later runs change it. */
export function logPairsOf(pairs: readonly Pair[]): LogPair[] {
  return pairs
    .filter(({ one, other }) => one > 0 && other > 0)
    .map(({ one, other }) => ({ lane: Math.log(one), over: Math.log(other) }));
}

/** With the interval that belongs to the look that decided. */
function decidedContrast(pairs: readonly Pair[], outcome: Outcome): Pick<Contrast, "ratio" | "interval" | "n"> {
  const seen = logPairsOf(pairs).slice(0, outcome.blocks);
  const at = shiftAtLook(seen);
  if (at === null) return { ratio: 1, interval: null, n: 0 };
  const { estimate, interval } = at;
  // It is log(over / lane).
  const turned: Interval | null = interval && { low: Math.exp(-interval.high), high: Math.exp(-interval.low) };
  return { ratio: Math.exp(-estimate), interval: turned, n: seen.length };
}

const shownOf: Readonly<Record<Outcome["decision"], Shown | "equal">> = {
  faster: "less",
  slower: "more",
  equivalent: "equal",
  undecided: "none",
};

/** All that is returned is corrected together; the time is decided by the plan's rule, if it has one. */
export function compareCommands(
  { until }: Pick<StoredCommandPlan, "until">,
  cells: readonly Place[],
  runs: readonly CommandRun[],
  quantities: readonly Quantity[],
): ComparedCommands[] {
  const all = quantities.flatMap((quantity) =>
    comparedPlaces(cells).flatMap(({ one, other }) => {
      const pairs = pairsOf(runs, one, other, quantity);
      const found = contrast(pairs.map((pair) => [pair]));
      if (found === null) return [];
      const difference = median(pairs.map((pair) => pair.one - pair.other));
      const outcome = until && quantity.name === "wall_ms" ? decide(logPairsOf(pairs), until.decided_percent) : null;
      return [{ link: one.link, one: one.subject, other: other.subject, quantity, pairs, found, difference, outcome }];
    }),
  );
  const corrected = shownTogether(all.filter(({ outcome }) => outcome === null).map(({ found }) => found)).values();
  return all.map(({ outcome, pairs, ...each }): ComparedCommands => {
    if (outcome) {
      const found = { ...each.found, ...decidedContrast(pairs, outcome) };
      return { ...each, found, shown: found.interval === null ? "unknown" : shownOf[outcome.decision] };
    }
    const found = corrected.next().value ?? each.found;
    return { ...each, found, shown: shown(found) };
  });
}
