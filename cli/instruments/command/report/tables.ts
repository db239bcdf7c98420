// The tables of a report of commands: every number of each command on each link, and the runs that are not valid, by reason. Takes
// summaries and attempts.
import { html, type Markup } from "../../../../extension/figures/markup.ts";
import type { CommandMetricSummary, CommandSummary } from "../../../../schemas/generated/sweep_event.ts";
import { middleCut } from "../../../base/middle_cut.ts";
import { count } from "../../../base/numbers.ts";
import { type CommandMetric, metrics } from "../../../registry/metrics.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { readingKey } from "../../../report/figures/parts.ts";
import { byFrequency, medianCell } from "../../../report/instrument_report.ts";
import type { CommandRun } from "../metrics/values.ts";

const mostReasons = 80;

const unitOf = ({ name, printed }: CommandMetricSummary) =>
  printed ? null : metrics.command[name as CommandMetric].unit;

function valueCell(metric: CommandMetricSummary): Markup {
  const { low, high, n, reason } = metric;
  const interval = low !== null && high !== null ? { low, high } : null;
  const of = count(n, "run");
  const why = metric.median === null || reason === null ? reason : `${of}; ${reason}`;
  return medianCell({ median: metric.median, interval, reason: why }, unitOf(metric), of);
}

/** Null: nothing was run. */
export function numbersTable(summaries: readonly CommandSummary[]): Markup | null {
  const [first] = summaries;
  if (!first || first.metrics.length === 0) return null;
  const hasLinks = new Set(summaries.map(({ link }) => link)).size > 1;
  const titleOf = ({ name, printed }: CommandMetricSummary): string => {
    if (printed) return name;
    const { title, unit } = metrics.command[name as CommandMetric];
    return unit === "packets" ? `${title}, packets` : title;
  };
  const heads = first.metrics.map(
    (metric) =>
      html`<th scope="col" class="num" title="${metric.printed ? "a number that the command printed" : metrics.command[metric.name as CommandMetric].meaning}">${titleOf(metric)}</th>`,
  );
  const rows = summaries.map(
    ({ command, link, valid, metrics: all }) =>
      html`<tr><th scope="row">${command}</th>${hasLinks && html`<td>${link}</td>`}<td class="num">${String(valid)}</td>${all.map(valueCell)}</tr>`,
  );
  const figure = html`<figure class="flow-cells"><figcaption>What each command took.</figcaption>${readingKey("Median, below it the 95 % interval. –: unavailable; its note has the reason, a number’s note how many runs it is of.")}<div class="scroll"><table class="sortable"><thead><tr><th scope="col">command</th>${hasLinks && html`<th scope="col">link</th>`}<th scope="col" class="num">runs</th>${heads}</tr></thead><tbody>${rows}</tbody></table></div></figure>`;
  return savedFigure(figure, {
    name: ["commands"],
    columns: ["command", "link", "runs", ...first.metrics.flatMap(({ name }) => [name, `${name}_low`, `${name}_high`])],
    rows: summaries.map(({ command, link, valid, metrics: all }) => [
      ...[command, link, valid],
      ...all.flatMap(({ median, low, high }) => [median, low, high]),
    ]),
  });
}

/** Null: every run is valid. */
export function failedTable(runs: readonly CommandRun[]): Markup | null {
  const left = runs.filter(({ status }) => status !== "valid");
  if (left.length === 0) return null;
  const groups = byFrequency(left, ({ subject, status, reasons }) => [
    ...[subject, status],
    (reasons[0] ?? "").replaceAll(/\d+/g, "N"),
  ]);
  const rows = groups.slice(0, mostReasons).map((of) => {
    const [first] = of;
    const output = first.record?.output_end.trim() ?? "";
    return html`<tr><td>${first.subject}</td><td class="status">${first.status}</td><td class="reason">${middleCut(first.reasons[0] ?? "no reason was given", 200)}${output !== "" && html`<details><summary>output</summary><pre>${output}</pre></details>`}</td><td class="num">${String(of.length)}</td></tr>`;
  });
  const figure = html`<figure><div class="scroll"><table class="sortable"><thead><tr><th scope="col">command</th><th scope="col">status</th><th scope="col">reason</th><th scope="col" class="num">runs</th></tr></thead><tbody>${rows}</tbody></table></div></figure>`;
  return savedFigure(figure, {
    name: ["not-valid"],
    columns: ["run_id", "command", "link", "block", "status", "reason"],
    rows: left.map(({ id, subject, link, block, status, reasons }) => [
      ...[id, subject, link, block, status, reasons.join(" | ")],
    ]),
  });
}
