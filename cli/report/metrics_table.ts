// The table of all metrics of one page on one link: each lane's median with its 95 % interval, the page load time split into
// network and no request, and what filmed loads showed. Page load times are also of loads that timed out, as elsewhere in the report; of
// all else these have no value. Takes what is stored; draws no figure.
import {
  computedFacts,
  computedMetrics,
  metricFacts,
  pageMetrics,
  videoFacts,
  videoMetrics,
  visualMetrics,
} from "../../extension/capture/metric_facts.ts";
import { html, type Markup } from "../../extension/figures/markup.ts";
import { count, formatMedian, formatSize, formatTimeRange } from "../base/numbers.ts";
import { median } from "../base/quantile.ts";
import { formatRate } from "../registry/units.ts";
import { type FilmMetric, filmMetrics, type LoadMetric, loadMetrics } from "../results/export/metric_words.ts";
import { medianInterval } from "../results/stats/median_interval.ts";
import type { FilmedLoad, Load } from "../results/store/results.ts";
import { type Calmed, calmed, widened } from "../results/verdict/busy_machine.ts";
import { countedTogether, isMedianOut, isValid, timedOut } from "../results/verdict/sample.ts";

interface Row<From> {
  readonly name: string;
  readonly meaning: string;
  readonly value: (from: From) => number | null;
  /** Default: as a time. */
  readonly text?: (value: number) => string;
}

const plain = (value: number): string => String(Number(value.toPrecision(3)));
const size = (value: number): string => formatSize(Math.round(value));

const ofLoad = (name: LoadMetric, text?: Row<Load>["text"]): Row<Load> => ({
  name: loadMetrics[name].title,
  meaning: loadMetrics[name].meaning,
  value: (load) => load[name],
  ...(text ? { text } : {}),
});

const isCpu = (name: keyof typeof computedFacts): boolean => computedFacts[name].kind === "cpu";
const isScore = (name: keyof typeof computedFacts): boolean => computedFacts[name].kind === "score";
const ofPage = (scores: boolean) =>
  pageMetrics.filter((name) => name !== "plt_ms" && (metricFacts[name].kind === "score") === scores);

const videoText = { moment: undefined, duration: undefined, cpu: undefined, rate: formatRate, score: plain } as const;

const videoRows = videoMetrics.map((name) => ofLoad(name, videoText[videoFacts[name].kind]));

const loadRows: readonly Row<Load>[] = [
  ...computedMetrics.filter((name) => !isCpu(name)).map((name) => ofLoad(name, isScore(name) ? plain : undefined)),
  ...ofPage(false).map((name) => ofLoad(name)),
  ...ofPage(true).map((name) => ofLoad(name, plain)),
  ...[ofLoad("requests", plain), ofLoad("bytes", size), ofLoad("connections", plain)],
  ...computedMetrics.filter(isCpu).map((name) => ofLoad(name)),
];

const ofFilm = (name: FilmMetric): Row<FilmedLoad> => ({
  name: filmMetrics[name].title,
  meaning: filmMetrics[name].meaning,
  value: (film) => film[name],
});

const filmRows: readonly Row<FilmedLoad>[] = [
  ...visualMetrics.map(ofFilm),
  { name: "PLT while filmed", meaning: "what filming costs shows here", value: (film) => film.plt_ms },
];

function cell(values: readonly number[], text: Row<unknown>["text"], isAtLeast = false, off_ms?: number): Markup {
  if (values.length === 0) return html`<td class="num">–</td>`;
  const range = widened(medianInterval(values), off_ms);
  const whole = text ? text(median(values)) : formatMedian(median(values), isAtLeast);
  if (!range) return html`<td class="num">${whole}</td>`;
  const around = text ? `${text(range.low)} to ${text(range.high)}` : formatTimeRange(range);
  // The unit is the median's, if it is the same.
  const unit = whole.split(" ").at(-1) ?? "";
  const short = around.replaceAll(` ${unit}`, "").replace(" to ", "–");
  // Of loads that are all alike it is the median again.
  return html`<td class="num">${whole}${range.low < range.high && html`<small>${around.endsWith(unit) ? short : around}</small>`}</td>`;
}

/** Rows that some lane has a value for. */
function rowsOf<From>(rows: readonly Row<From>[], lanes: readonly (readonly From[])[]): Markup[] {
  return rows.flatMap(({ name, meaning, value, text }) => {
    const values = lanes.map((loads) =>
      loads.flatMap((load) => {
        const found = value(load);
        return found === null ? [] : [found];
      }),
    );
    if (values.every((each) => each.length === 0)) return [];
    return [
      rowMarkup(
        { name, meaning },
        values.map((each) => cell(each, text)),
      ),
    ];
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
    return cell(values, undefined, isAtLeast, off_ms.get(loads[0]?.lane ?? ""));
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
