// The picture that a report begins with: the lanes as tracks, every load a dot, what the answer's lane gains between the two medians,
// and below it what the page showed at the same instants. One page on one link is drawn in ms; several are drawn relative to the
// answer's slower-named lane, because their times have no common axis. Takes the answer, computes medians of ratios alone.
import type { Gain, PlottedLane } from "../../extension/figures/distribution.ts";
import { distributionFigure } from "../../extension/figures/distribution.ts";
import { html, type Markup } from "../../extension/figures/markup.ts";
import type { Interval } from "../base/interval.ts";
import { formatTime, sentenceTime } from "../base/numbers.ts";
import { median } from "../base/quantile.ts";
import type { Answer } from "../results/answer/answer.ts";
import type { Load } from "../results/store/results.ts";
import { calmed } from "../results/verdict/busy_machine.ts";
import { type ComparedMetric, comparedMetric } from "../results/verdict/compared_metric.ts";
import { type Improvement, improvement } from "../results/verdict/comparison.ts";
import { pairedCells } from "../results/verdict/paired_cells.ts";
import { counted, countedTogether, isValid, sortLanes, timedOut } from "../results/verdict/sample.ts";
import type { ReportData } from "./data.ts";
import { distributionOf } from "./figures/distribution.ts";
import { savedFigure } from "./figures/figure_file.ts";
import { filmsOf } from "./group_films.ts";
import type { GroupResult } from "./tables.ts";

/** More dots than these cover one another; an even selection of each lane's loads is drawn then. */
const maxDots = 3000;

function evenly<T>(all: readonly T[], most: number): readonly T[] {
  const step = Math.max(1, all.length / most);
  return all.filter((_, index) => Math.floor((index + 1) / step) > Math.floor(index / step));
}

/** `59 ms (9 %) less`, on an axis of per cent `9 % (59 ms) less`; null: the answer compares nothing. */
function gainOf({ pair, gain }: Pick<Answer, "pair" | "gain">, isRelative = false): Gain | null {
  if (pair === null || gain === null) return null;
  const { saved_ms, percent, isShown } = gain;
  const share = `${Math.abs(percent).toFixed(Math.abs(percent) < 1 ? 1 : 0)} %`;
  // A few pages may point one way in ms and the other in per cent.
  const agrees = saved_ms !== null && Math.sign(saved_ms) === Math.sign(percent);
  const time = agrees ? sentenceTime(Math.abs(saved_ms)) : null;
  const [first, second] = isRelative ? [share, time] : [time ?? share, time === null ? null : share];
  const text = `${first}${second === null ? "" : ` (${second})`} ${percent >= 0 ? "less" : "more"}`;
  return { ...pair, text: isShown ? text : `${text}: not certain`, isShown };
}

/** As on a calm machine: what medians and dots are of. */
function calmLoads(loads: readonly Load[]): { readonly loads: readonly Load[]; readonly isCalmed: boolean } {
  const places = Map.groupBy(loads, ({ page, link }) => JSON.stringify([page, link]));
  const calm = [...places.values()].map((of) => calmed(countedTogether(of)));
  const times_ms = new Map(calm.flatMap((place) => place.loads.map(({ id, plt_ms }) => [id, plt_ms])));
  return {
    loads: loads.map((load) => {
      const plt_ms = times_ms.get(load.id) ?? load.plt_ms;
      return plt_ms === load.plt_ms ? load : { ...load, plt_ms };
    }),
    isCalmed: calm.some(({ slope }) => slope !== null),
  };
}

/** Median by page, link and lane. */
function cellMediansOf(loads: readonly Load[]): (of: Pick<Load, "page" | "link">, lane: string) => number | null {
  const key = (page: string, link: string, lane: string): string => JSON.stringify([page, link, lane]);
  const cells = Map.groupBy(loads.filter(isValid), ({ page, link, lane }) => key(page, link, lane));
  const medians = new Map([...cells].map(([name, of]) => [name, median(of.map(({ plt_ms }) => plt_ms as number))]));
  return ({ page, link }, lane) => medians.get(key(page, link, lane)) ?? null;
}

/** Times relative to `reference`, of which the interval of the improvement says how well they are known. */
const relativeInterval = ({ interval }: Improvement): Interval | null =>
  interval && Number.isFinite(interval.low) && Number.isFinite(interval.high)
    ? { low: 100 - interval.high, high: 100 - interval.low }
    : null;

interface RelativeLanes {
  readonly lanes: PlottedLane[];
  /** Of which the lanes' dots are a selection. */
  readonly timed: number;
}

function relativeLanes(
  { cells, loads, sweep }: ReportData,
  calm: readonly Load[],
  medianOf: ReturnType<typeof cellMediansOf>,
  reference: string,
): RelativeLanes {
  const measured_ms = new Map(loads.map(({ id, plt_ms }) => [id, plt_ms]));
  const names = sortLanes(cells.map(({ lane }) => lane));
  let timed = 0;
  const lanes = names.map((lane) => {
    const own = loads.filter((load) => load.lane === lane);
    const pair = { lane, over: reference };
    const compared = lane === reference ? null : improvement(pairedCells(loads, pair), pair, sweep.seed);
    const relative = calm.flatMap((load) => {
      const base = load.lane === lane ? medianOf(load, reference) : null;
      if (load.plt_ms === null || base === null || timedOut(load)) return [];
      return [{ load, time_ms: measured_ms.get(load.id) ?? load.plt_ms, value: (100 * load.plt_ms) / base }];
    });
    timed += relative.length;
    const plotted = evenly(relative, maxDots / names.length).map(({ load, time_ms, value }) => {
      const story = `load ${load.id}, ${lane}, ${load.page} over ${load.link}: ${formatTime(time_ms)}`;
      return { value, valid: isValid(load), story };
    });
    return {
      lane,
      median: compared === null ? 100 : compared.percent === null ? null : 100 - compared.percent,
      isAtLeast: false,
      interval: compared && relativeInterval(compared),
      valid: own.filter(isValid).length,
      timed_out: own.filter(timedOut).length,
      variation: null,
      loads: plotted,
    };
  });
  return { lanes, timed };
}

function relativeFigure(data: ReportData, reference: string, metric: ComparedMetric): Markup {
  const { loads, answer, sweep } = data;
  const { loads: calm, isCalmed } = calmLoads(loads);
  const medianOf = cellMediansOf(calm);
  const left = loads.filter((load) => counted(load) === null).length;
  const { lanes, timed } = relativeLanes(data, calm, medianOf, reference);
  const figure = distributionFigure(lanes, {
    ...{ left, timed, metric, relativeTo: reference, isCalmed },
    gain: gainOf(answer, true),
  });
  return savedFigure(figure, {
    name: ["answer", sweep.name],
    columns: ["load_id", "page", "link", "lane", metric.name, `percent_of_${reference}_median`],
    rows: loads.flatMap((load, index) => {
      const [base, calm_ms] = [medianOf(load, reference), calm[index]?.plt_ms ?? null];
      const percent = base === null || calm_ms === null ? null : (100 * calm_ms) / base;
      return load.plt_ms === null ? [] : [[load.id, load.page, load.link, load.lane, load.plt_ms, percent]];
    }),
  });
}

/** Null where no load has a time. */
export function firstFigure(data: ReportData, results: readonly GroupResult[]): Markup | null {
  const { answer, loads, cells } = data;
  const metric = comparedMetric(data.metric);
  if (!loads.some(({ plt_ms }) => plt_ms !== null)) return null;
  const [only, second] = results;
  if (only && !second) {
    const { group, lanes } = only;
    return distributionOf(`${group.page} over ${group.link}`, lanes, { loads, metric, gain: gainOf(answer) });
  }
  const reference = answer.pair?.over ?? sortLanes(cells.map(({ lane }) => lane))[0];
  if (reference === undefined) return null;
  return relativeFigure(data, reference, metric);
}

export interface FirstFilms {
  /** The section of the page and link that they are of. */
  readonly id: string;
  readonly markup: Markup;
}

/** Of the first page and link that has films. Null: nothing was filmed. */
export function firstFilms(data: ReportData, results: readonly GroupResult[]): FirstFilms | null {
  for (const result of results) {
    const films = filmsOf(data, result);
    if (films === null) continue;
    const { page, link } = result.group;
    const name = results.length > 1 && html`<p class="soft">Filmed: ${page} over ${link}</p>`;
    return { id: result.id, markup: html`${name}${films}` };
  }
  return null;
}
