// Numbers of flows as tables: all cells with what became of their link, and of one cell every metric of its flows. Medians over valid
// runs with their 95 % intervals; a number that there is not has its reason. Computes nothing.
import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { middleCut } from "../../../base/middle_cut.ts";
import { count } from "../../../base/numbers.ts";
import {
  type DirectionMetric,
  type FlowMetric,
  type MeasuredMetric,
  metrics,
  type PingMetric,
} from "../../../registry/metrics.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { linkCell, readingKey } from "../../../report/figures/parts.ts";
import { exactEnds, medianCell } from "../../../report/instrument_report.ts";
import type { MetricSummary } from "../../../results/stats/metric_summary.ts";
import { kindWords } from "../metrics/flow_kind.ts";
import { sidesOf } from "./estimates.ts";
import type { FlowReportCell } from "./flow_data.ts";

/** Of all cells, in this order: the rest is in each cell's own table. */
const shownOfLink: readonly DirectionMetric[] = [
  ...(["goodput_bps", "utilization", "queue_delay_p50_ms", "queue_delay_p95_ms", "loss_ratio"] as const),
  ...(["jain", "share_ratio", "convergence_ms"] as const),
];
const mostRows = 400;

/** `targets`: where a cell's own section is, by its number. */
export function cellsTable(cells: readonly FlowReportCell[], targets: ReadonlyMap<number, string>): Markup {
  const hasLanes = cells.some(({ cell }) => cell.lane !== null);
  const hasBoth = cells.some((cell) => sidesOf(cell).length > 1);
  const rows = cells.flatMap((cell) => {
    const sides = sidesOf(cell);
    return (sides.length > 0 ? sides : (["down"] as const)).map((side) => ({ cell, side }));
  });
  const shown = rows.slice(0, mostRows);
  const heads = [
    ...["mix", "link"],
    ...(hasLanes ? ["page over"] : []),
    ...(hasBoth ? ["way"] : []),
    "runs",
    ...shownOfLink.map((metric) => metrics.direction[metric].title),
  ];
  const head = heads.map(
    (name, index) =>
      html`<th scope="col"${index > heads.length - shownOfLink.length - 2 && html` class="num"`}>${name}</th>`,
  );
  const body = shown.map(({ cell: { cell, summary, valid, runs }, side }) => {
    const target = targets.get(cell.id);
    const name = html`<span title="${cell.mix}">${middleCut(cell.mix, 60)}</span>`;
    const none = { runs: 0, median: null, interval: null, reason: "there are no valid runs" };
    const values = shownOfLink.map((metric) =>
      medianCell(summary[side]?.[metric] ?? none, metrics.direction[metric].unit),
    );
    const left = runs.length - valid.length;
    return html`<tr><th scope="row">${target === undefined ? name : html`<a href="#${target}">${name}</a>`}</th>${linkCell(cell.link)}${hasLanes && html`<td>${cell.lane ?? "–"}</td>`}${hasBoth && html`<td class="status">${side}</td>`}<td class="num" data-sort="${String(valid.length)}">${String(valid.length)}${left > 0 && html`<small>${String(left)} left out</small>`}</td>${values}</tr>`;
  });
  const figure = html`<figure class="flow-cells"><figcaption>Use of the link in each cell: median over valid runs, with the 95 % interval below it${rows.length > shown.length && `; the first ${shown.length} of ${rows.length} rows, all are in its CSV`}.</figcaption>${readingKey("–: unavailable; its note has the reason. Every metric of each flow is in the cells below; definitions are under “Method”.")}<div class="scroll"><table class="sortable"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div></figure>`;
  return savedFigure(figure, {
    name: ["cells"],
    columns: [
      ...["mix", "link", "lane", "direction", "runs", "left_out"],
      ...Object.keys(metrics.direction).flatMap((name) => [name, `${name}_low`, `${name}_high`]),
    ],
    rows: rows.map(({ cell: { cell, summary, valid, runs }, side }) => [
      ...[cell.mix, cell.link, cell.lane, side, valid.length, runs.length - valid.length],
      ...Object.keys(metrics.direction).flatMap((name) => {
        const its = summary[side]?.[name as DirectionMetric];
        return its ? exactEnds(its) : [null, null, null];
      }),
    ]),
  });
}

type Column = { readonly head: string; readonly note: string; readonly of: Readonly<Record<string, MetricSummary>> };

/** A row for each metric that any column has. */
function metricRows(facts: Readonly<Record<string, MeasuredMetric>>, columns: readonly Column[]): Markup[] {
  return Object.entries(facts).flatMap(([name, { title, unit, meaning }]) => {
    const summaries = columns.map(({ of }) => of[name]);
    if (summaries.every((summary) => summary === undefined || summary.median === null)) return [];
    const cells = summaries.map((summary) => (summary ? medianCell(summary, unit) : html`<td class="num none">–</td>`));
    return [html`<tr><th scope="row" title="${meaning}">${title}</th>${cells}</tr>`];
  });
}

function metricTable(
  caption: string,
  facts: Readonly<Record<string, MeasuredMetric>>,
  columns: readonly Column[],
): Markup | null {
  const rows = metricRows(facts, columns);
  if (rows.length === 0) return null;
  const heads = columns.map(
    ({ head, note }) => html`<th scope="col" class="num">${head}${note !== "" && html`<small>${note}</small>`}</th>`,
  );
  return html`<div class="scroll"><table class="facts flow-metrics"><caption>${caption}</caption><thead><tr><th scope="col">metric</th>${heads}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** Why numbers are missing, each reason once. */
function missingLine(columns: readonly Column[], facts: Readonly<Record<string, MeasuredMetric>>): Markup | null {
  const reasons = columns.flatMap(({ of }) =>
    Object.entries(of).flatMap(([name, { median, reason }]) =>
      median === null && reason !== null ? [{ reason, title: facts[name]?.title ?? name }] : [],
    ),
  );
  const grouped = [...Map.groupBy(reasons, ({ reason }) => reason)];
  if (grouped.length === 0) return null;
  const items = grouped.map(
    ([reason, of]) => html`<li>${[...new Set(of.map(({ title }) => title))].join("; ")}: ${reason}</li>`,
  );
  return html`<details class="key"><summary>Unavailable: ${count(reasons.length, "number")}</summary><ul>${items}</ul></details>`;
}

/** Every metric of one cell: of its flows, of the link each way, of the pings. */
export function metricTables({ words, summary }: FlowReportCell): Markup | null {
  if (summary.runs === 0) return null;
  const flows = summary.groups.map(({ group, flows: many, each, ...kind }): Column => {
    const head = words[group] ?? kindWords(kind);
    return { head, note: many > 1 ? `each of ${many}: their mean` : "", of: each };
  });
  const ways = (["down", "up"] as const).flatMap((side): Column[] => {
    const of = summary[side];
    return of ? [{ head: side, note: "", of }] : [];
  });
  const pings: Column[] = summary.ping ? [{ head: "ping", note: "", of: summary.ping }] : [];
  const runs = count(summary.runs, "valid run");
  return html`<div class="flow-tables"><div>${metricTable(`Of each flow: median of ${runs}, and its 95 % interval.`, metrics.flow satisfies Record<FlowMetric, MeasuredMetric>, flows)}${missingLine(flows, metrics.flow)}</div><div>
${metricTable("Of the link, each way that flows send.", metrics.direction, ways)}${missingLine(ways, metrics.direction)}
${metricTable("Of small packets beside the flows.", metrics.ping satisfies Record<PingMetric, MeasuredMetric>, pings)}</div></div>`;
}
