// What a finished plan of commands shows in the terminal: a table by command, no wider than 80 columns. Pure; summaries in, text out.
import type { CommandSummary } from "../../../../schemas/generated/sweep_event.ts";
import { middleCut } from "../../../base/middle_cut.ts";
import { formatTime, formatTimeRange } from "../../../base/numbers.ts";
import { tablesByLink, textTable } from "../../../base/text_table.ts";
import { type CommandMetric, metrics } from "../../../registry/metrics.ts";
import { figures, formatValue } from "../../../registry/units.ts";

const nameWidth = 24;

const metricOf = ({ metrics: all }: CommandSummary, name: string, printed = false) =>
  all.find((each) => each.name === name && each.printed === printed);

function valueText(summary: CommandSummary, name: CommandMetric): string {
  const median = metricOf(summary, name)?.median ?? null;
  return median === null ? "-" : formatValue(median, metrics.command[name].unit);
}

function timeRange(summary: CommandSummary): string {
  const { low = null, high = null } = metricOf(summary, "wall_ms") ?? {};
  return low === null || high === null ? "" : formatTimeRange({ low, high });
}

function cpuText(summary: CommandSummary): string {
  const [user, system] = [metricOf(summary, "user_ms")?.median ?? null, metricOf(summary, "system_ms")?.median ?? null];
  return user === null || system === null ? "-" : formatTime(user + system);
}

function tableOf(summaries: readonly CommandSummary[]): string[] {
  const onLink = summaries.some((summary) => metricOf(summary, "down_bytes"));
  const printed = [
    ...new Set(summaries.flatMap(({ metrics: all }) => all.filter((each) => each.printed).map(({ name }) => name))),
  ].slice(0, 2);
  const hasFailures = summaries.some(({ failed, invalid }) => failed + invalid > 0);
  const head = [
    ...["", "time", "95 %", "CPU"],
    ...(onLink ? ["received", "conn."] : []),
    ...printed.map((name) => middleCut(name, 10)),
    "runs",
    ...(hasFailures ? ["not valid"] : []),
  ];
  const rows = summaries.map((summary) => [
    ...[middleCut(summary.command, nameWidth), valueText(summary, "wall_ms"), timeRange(summary), cpuText(summary)],
    ...(onLink ? [valueText(summary, "down_bytes"), valueText(summary, "connections")] : []),
    ...printed.map((name) => {
      const median = metricOf(summary, name, true)?.median ?? null;
      return median === null ? "-" : figures(median);
    }),
    String(summary.valid),
    ...(hasFailures ? [String(summary.failed + summary.invalid)] : []),
  ]);
  return textTable([head, ...rows]);
}

/** Medians with the interval of the time; a table for each link. */
export const commandTable = (summaries: readonly CommandSummary[]): string[] => tablesByLink(summaries, tableOf);
