// What a finished plan of flows says in the terminal and in its last event: of each mix on a link, what its flows got. Pure; rows of runs
// in, text out. Everything else is the report's to show.

import type { Flow } from "../../../../schemas/generated/flow.ts";
import type { FlowCellResult, FlowGroupResult, FlowPageResult } from "../../../../schemas/generated/sweep_event.ts";
import { formatTime, formatTimeRange } from "../../../base/numbers.ts";
import { median } from "../../../base/quantile.ts";
import { textTable } from "../../../base/text_table.ts";
import { formatFlow } from "../../../link/flows/flow_words.ts";
import { isDisturbed } from "../../../load/disturbance.ts";
import { formatValue } from "../../../registry/units.ts";
import { medianInterval } from "../../../results/stats/median_interval.ts";
import { countStatuses } from "../../../results/store/attempt_rows.ts";
import { type GroupSummary, summarizeRuns } from "../answer/summary.ts";
import type { FlowRunRow } from "../store/flow_runs.ts";
import type { RunCell } from "./tasks.ts";

/** A longer table is the report's to show. */
const maximumRows = 40;

function groupResult(flow: Flow, summary: GroupSummary | undefined): FlowGroupResult {
  const goodput = summary?.all.goodput_bps;
  return {
    flow: formatFlow(flow),
    goodput_bps: goodput?.median ?? null,
    low_bps: goodput?.interval?.low ?? null,
    high_bps: goodput?.interval?.high ?? null,
    share: summary?.all.share.median ?? null,
  };
}

function pageResult(plts_ms: readonly number[]): FlowPageResult {
  const interval = medianInterval(plts_ms);
  return {
    median_ms: plts_ms.length === 0 ? null : median(plts_ms),
    low_ms: interval?.low ?? null,
    high_ms: interval?.high ?? null,
  };
}

/** In the plan's order. `plt_ms`: page load time in a valid run; null: it has none. */
export function flowCellResults(
  cells: readonly RunCell[],
  runs: readonly FlowRunRow[],
  plt_ms: (run: FlowRunRow) => number | null = () => null,
): FlowCellResult[] {
  const byCell = Map.groupBy(runs, ({ cell }) => cell);
  return cells.map((cell) => {
    const its = byCell.get(cell.id) ?? [];
    const results = its.flatMap(({ status, result }) => (status === "valid" && result !== null ? result : []));
    const { groups } = summarizeRuns(results);
    const { mix, link, lane } = cell;
    const plts_ms = its.flatMap((run) => (run.status === "valid" ? (plt_ms(run) ?? []) : []));
    return {
      ...{ mix, link, lane, ...countStatuses(its) },
      ...(lane === null ? {} : { plt: pageResult(plts_ms) }),
      groups: cell.flows.map((flow, group) =>
        groupResult(
          flow,
          groups.find((each) => each.group === group),
        ),
      ),
    };
  });
}

function groupRow({ flow, goodput_bps, low_bps, high_bps, share }: FlowGroupResult): string[] {
  const rate = (bps: number | null): string => (bps === null ? "none" : formatValue(bps, "bit/s"));
  const interval = low_bps === null || high_bps === null ? "" : `${rate(low_bps)} to ${rate(high_bps)}`;
  return [flow, rate(goodput_bps), interval, share === null ? "" : formatValue(share, "ratio")];
}

/** `, page over h3: PLT 1230 ms (1100 ms to 1310 ms)`. */
function pageWords({ lane, plt }: FlowCellResult): string {
  if (lane === null || !plt) return "";
  const { median_ms, low_ms, high_ms } = plt;
  const interval = low_ms === null || high_ms === null ? "" : ` (${formatTimeRange({ low: low_ms, high: high_ms })})`;
  return `, page over ${lane}: ${median_ms === null ? "no PLT" : `PLT ${formatTime(median_ms)}${interval}`}`;
}

/** A row for each `--flow`, under a line for its mix on its link where there are several. */
export function flowTable(cells: readonly FlowCellResult[]): string[] {
  const head = ["flow", "goodput", "95 % interval", "share"];
  const shown = cells.slice(0, maximumRows);
  const several = cells.length > 1;
  const lines = shown.flatMap((cell) => {
    const { link, lane, groups } = cell;
    const title = several || lane !== null ? [`${link}${pageWords(cell)}`] : [];
    return [...title, ...textTable([head, ...groups.map(groupRow)]), ...(several && cell !== shown.at(-1) ? [""] : [])];
  });
  const hidden = cells.length - shown.length;
  return hidden > 0 ? [...lines, `and ${hidden} more mixes and links, see the report`] : lines;
}

/** Of a sweep without a valid run: why, and what to do. */
export function noneValidReason(runs: readonly FlowRunRow[]): string {
  if (runs.length > 0 && runs.every(({ reasons }) => reasons.some(isDisturbed)))
    return "the machine disturbed all of them: run it again on a calmer one";
  return runs.at(-1)?.reasons[0] ?? "no reason was given";
}
