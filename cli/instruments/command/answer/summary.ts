// What the runs of one command on one link come to: each value's median and 95 % interval. Pure.

import type { CommandMetricSummary, CommandSummary } from "../../../../schemas/generated/sweep_event.ts";
import { minimumUnits } from "../../../base/interval.ts";
import { count } from "../../../base/numbers.ts";
import { median } from "../../../base/quantile.ts";
import { medianInterval } from "../../../results/stats/median_interval.ts";
import { countStatuses } from "../../../results/store/attempt_rows.ts";
import { type CommandRun, type Quantity, quantitiesOf, runValue } from "../metrics/values.ts";
import type { NewMeasuredCell } from "../store/measured_runs.ts";

function metricSummary(runs: readonly CommandRun[], quantity: Quantity): CommandMetricSummary {
  const values = runs.map((run) => runValue(run, quantity));
  const known = values.flatMap((each) => ("value" in each ? each.value : []));
  const { name, metric } = quantity;
  const printed = metric === null;
  const missing = values.flatMap((each) => ("reason" in each ? each.reason : []))[0] ?? "there are no valid runs";
  if (known.length === 0) return { name, printed, n: 0, median: null, low: null, high: null, reason: missing };
  const interval = medianInterval(known);
  const few = interval
    ? null
    : `an interval needs ${minimumUnits} runs: there ${known.length === 1 ? "is" : "are"} ${known.length}`;
  const lost =
    known.length < values.length ? `${count(values.length - known.length, "run")} without it: ${missing}` : null;
  const { low, high } = interval ?? { low: null, high: null };
  return { name, printed, n: known.length, median: median(known), low, high, reason: few ?? lost };
}

type Place = Pick<NewMeasuredCell, "subject" | "link">;

export const isAt =
  ({ subject, link }: Place) =>
  (run: Place): boolean =>
    run.subject === subject && run.link === link;

/** In the order of the cells. */
export function summarizeCommands(cells: readonly Place[], runs: readonly CommandRun[]): CommandSummary[] {
  const quantities = quantitiesOf(runs);
  return cells.map((cell) => {
    const own = runs.filter(isAt(cell));
    const valid = own.filter(({ status }) => status === "valid");
    const { failed, invalid } = countStatuses(own);
    return {
      ...{ command: cell.subject, link: cell.link, valid: valid.length, failed, invalid },
      metrics: quantities.map((quantity) => metricSummary(valid, quantity)),
    };
  });
}
