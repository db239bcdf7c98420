// The table of all metrics of one page on one link: each lane's median with its 95 % interval, the page load time split into
// network and no request, and what filmed loads showed. Page load times are also of loads that timed out, as elsewhere in the report; of
// all else these have no value. Takes what is stored; draws no figure.
import {
  type ComputedMetric,
  computedMetrics,
  type PageMetric,
  pageMetrics,
  videoMetrics,
  visualMetrics,
} from "../../extension/capture/metric_facts.ts";
import { html, type Markup } from "../../extension/figures/markup.ts";
import { count, formatMedian, formatTimeRange } from "../base/numbers.ts";
import { median } from "../base/quantile.ts";
import { metrics } from "../registry/metrics.ts";
import { formatValue, type Unit } from "../registry/units.ts";
import { type FilmMetric, filmMetrics, type LoadMetric, loadMetrics } from "../results/export/metric_words.ts";
import { medianInterval } from "../results/stats/median_interval.ts";
import type { FilmedLoad, Load } from "../results/store/results.ts";
import { type Calmed, calmed, widened } from "../results/verdict/busy_machine.ts";
import { countedTogether, isMedianOut, isValid, timedOut } from "../results/verdict/sample.ts";

interface Row<From> {
  readonly name: string;
  readonly meaning: string;
  readonly unit: Unit | null;
  readonly value: (from: From) => number | null;
}

function ofLoad(name: LoadMetric): Row<Load> {
  const { title, meaning, unit } = loadMetrics[name];
  return { name: title, meaning, unit, value: (load) => load[name] };
}

const isCpu = (name: ComputedMetric): boolean => metrics.computed[name].kind === "cpu";
const isScore = (name: PageMetric): boolean => metrics.page[name].kind === "score";
const ofPage = pageMetrics.filter((name) => name !== "plt_ms");

const videoRows = videoMetrics.map(ofLoad);

const loadRows = [
  ...computedMetrics.filter((name) => !isCpu(name)),
  ...ofPage.filter((name) => !isScore(name)),
  ...ofPage.filter(isScore),
  ...(["requests", "bytes", "connections"] as const),
  ...computedMetrics.filter(isCpu),
].map(ofLoad);

function ofFilm(name: FilmMetric): Row<FilmedLoad> {
  const { title, meaning, unit } = filmMetrics[name];
  return { name: title, meaning, unit, value: (film) => film[name] };
}

const filmRows: readonly Row<FilmedLoad>[] = [
  ...visualMetrics.map(ofFilm),
  { name: "PLT while filmed", meaning: "what filming costs shows here", unit: "ms", value: (film) => film.plt_ms },
];

function cell(values: readonly number[], unit: Unit | null, isAtLeast = false, off_ms?: number): Markup {
  if (values.length === 0) return html`<td class="num">–</td>`;
  const text = (value: number): string => formatValue(value, unit ?? "ratio");
  const range = widened(medianInterval(values), off_ms);
  const whole = unit === "ms" ? formatMedian(median(values), isAtLeast) : text(median(values));
  if (!range) return html`<td class="num">${whole}</td>`;
  const around = unit === "ms" ? formatTimeRange(range) : `${text(range.low)} to ${text(range.high)}`;
  // The unit is the median's, if it is the same.
  const unitText = whole.split(" ").at(-1) ?? "";
  const short = around.replaceAll(` ${unitText}`, "").replace(" to ", "–");
  // Of loads that are all alike it is the median again.
  return html`<td class="num">${whole}${range.low < range.high && html`<small>${around.endsWith(unitText) ? short : around}</small>`}</td>`;
}

/** Rows that some lane has a value for. */
function rowsOf<From>(rows: readonly Row<From>[], lanes: readonly (readonly From[])[]): Markup[] {
  return rows.flatMap((row) => {
    const values = lanes.map((loads) => loads.flatMap((load) => row.value(load) ?? []));
    const cells = values.map((each) => cell(each, row.unit));
    return values.some((each) => each.length > 0) ? rowMarkup(row, cells) : [];
  });
}

function rowMarkup({ name, meaning }: Pick<Row<unknown>, "name" | "meaning">, cells: readonly Markup[]): Markup {
  return html`<tr><th scope="row" title="${meaning}">${name}</th>${cells}</tr>`;
}

/** Of valid loads and of those that timed out, as on a calm machine. */
function loadTimesRow(
  lanes: readonly (readonly Load[])[],
  { loads: calm, off_ms }: Calmed<Load & { readonly plt_ms: number }>,
): Markup {
  const times_ms = new Map(calm.map(({ id, plt_ms }) => [id, plt_ms]));
  const cells = lanes.map((loads) => {
    const values = loads.flatMap(({ id }) => times_ms.get(id) ?? []);
    const isAtLeast = isMedianOut(values.length, loads.filter(timedOut).length);
    return cell(values, "ms", isAtLeast, off_ms.get(loads[0]?.lane ?? ""));
  });
  return rowMarkup(ofLoad("plt_ms"), cells);
}

/** `films`: the filmed loads of these lanes' cells, whatever came of them. `isExplained`: with what its rows mean. */
export function metricsTable(
  lanes: readonly { readonly lane: string; readonly loads: readonly Load[]; readonly films: readonly FilmedLoad[] }[],
  isExplained = true,
): Markup | null {
  const valid = lanes.map(({ loads }) => loads.filter(isValid));
  if (valid.every((loads) => loads.length === 0)) return null;
  const films = lanes.map((each) => each.films.filter(({ status }) => status === "valid"));
  const filmed = films.flat().length;
  const explained =
    isExplained &&
    html`Medians of the valid loads with their 95 % intervals where there are five or more. “Network” and “no request” split each load’s PLT along its critical path, which follows from requests, their initiators and the main thread’s long tasks.`;
  const out = lanes.reduce((sum, { loads }) => sum + loads.filter(timedOut).length, 0);
  const slow = out > 0 && html` PLT also counts ${count(out, "load")} that timed out, as slower than all others.`;
  const note =
    filmed > 0 &&
    html` From Speed Index on: of ${count(filmed, "further load")} that ${filmed === 1 ? "was" : "were"} filmed, which takes time and is in no other row (${lanes.map(({ lane }, index) => `${lane} n ${films[index]?.length}`).join(", ")}).`;
  const calm = calmed(countedTogether(lanes.flatMap(({ loads }) => loads)));
  const busy =
    isExplained &&
    calm.slope &&
    html` On a busy machine: PLT is without what other programs are likely to have added, as in the answer; all other rows are as they were measured.`;
  return html`<details class="metrics"><summary>All metrics</summary><p class="soft">${explained}${slow}${busy}${note}</p><div class="scroll"><table class="facts"><thead><tr><th scope="col">metric</th>${lanes.map(({ lane }, index) => html`<th scope="col" class="num">${lane} <small>n ${String(valid[index]?.length ?? 0)}</small></th>`)}</tr></thead><tbody>${rowsOf(videoRows, valid)}${loadTimesRow(
    lanes.map(({ loads }) => loads),
    calm,
  )}${rowsOf(loadRows, valid)}${rowsOf(filmRows, films)}</tbody></table></div></details>`;
}
