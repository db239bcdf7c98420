// What a study of flows found beside ours, figure by figure, with its 95 % interval over runs. Pure.
import type { FlowResult } from "../../../schemas/generated/flow_result.ts";
import type { Interval } from "../../base/interval.ts";
import { mean, median } from "../../base/quantile.ts";
import { hashText, randomSource } from "../../base/random.ts";
import { formatLink, parseLink } from "../../link/link.ts";
import { summarizeMetric } from "../flows/metric_summary.ts";
import { medianDifferenceInterval } from "../stats/median_interval.ts";
import type { Agreement } from "./agreement.ts";
import type { FlowFigure, FlowMeasure, FlowPlace, FlowStudy } from "./flow_study.ts";

/** One attempt at a run, as results have it. */
export interface StudiedRun {
  readonly mix: string;
  readonly link: string;
  readonly block: number;
  readonly status: string;
  readonly result: FlowResult | null;
}

export interface ComparedFlowFigure {
  readonly figure: FlowFigure;
  readonly value: number | null;
  /** 95 %. */
  readonly interval: Interval | null;
  /** Valid runs that have the number; of a ratio the fewer. */
  readonly runs: number;
  /** Why there is no value or interval. */
  readonly reason: string | null;
  readonly agreement: Agreement;
}

/** The mean over flows; null where one has none. */
function meanOf(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value) => typeof value === "number");
  return known.length === values.length && known.length > 0 ? mean(known) : null;
}

function progressOf(result: FlowResult, tenths: number): number | null {
  const [first, second] = [0, 1].map((group) =>
    meanOf(result.flows.filter((flow) => flow.group === group).map((flow) => flow.progress_ms?.[tenths - 1])),
  );
  return first && second ? second / first : null;
}

export function measuredIn(result: FlowResult, measure: FlowMeasure): number | null {
  if (measure.of === "link") return result.down?.metrics[measure.metric] ?? null;
  if (measure.of === "progress") return progressOf(result, measure.tenths);
  const flows = result.flows.filter(({ group }) => group === measure.group);
  return meanOf(flows.map(({ metrics }) => metrics[measure.metric]));
}

/** Of each block the value of its valid run; NaN: it has none. */
function byBlock(runs: readonly StudiedRun[], place: FlowPlace, blocks: number): Float64Array {
  const values = new Float64Array(blocks).fill(Number.NaN);
  for (const { block, status, result } of runsAt(runs, place)) {
    const value = status === "valid" && result ? measuredIn(result, place.measure) : null;
    if (value !== null) values[block] = value;
  }
  return values;
}

function runsAt(runs: readonly StudiedRun[], { mix, link }: FlowPlace): StudiedRun[] {
  const form = formatLink(parseLink(link));
  return runs.filter((run) => run.mix === mix && run.link === form);
}

const known = (values: Float64Array): number[] => [...values].filter((value) => !Number.isNaN(value));

type Estimate = Pick<ComparedFlowFigure, "value" | "interval" | "runs" | "reason">;

const plain = { maximum: null };

/** Of one place: the median over runs. */
function single(values: Float64Array): Estimate {
  const all = known(values).map((value) => ({ value }));
  const { runs, median: value, interval, reason } = summarizeMetric(all, plain);
  return { value, interval, runs, reason };
}

/** The ratio of two places' medians; the interval is that of their logarithms' difference, block by block. */
function ratio(above: Float64Array, below: Float64Array, random: () => number): Estimate {
  const [a, b] = [known(above), known(below)];
  const runs = Math.min(a.length, b.length);
  if (runs === 0) return { value: null, interval: null, runs, reason: "there are no valid runs of both" };
  if ([...a, ...b].some((value) => value <= 0))
    return { value: null, interval: null, runs, reason: "a run came to 0, of which there is no ratio" };
  const value = median(a) / median(b);
  const logs = medianDifferenceInterval(above.map(Math.log), below.map(Math.log), random);
  const interval = logs && { low: Math.exp(logs.low), high: Math.exp(logs.high) };
  return { value, interval, runs, reason: interval ? null : "an interval needs 5 runs of both" };
}

function agreementOf({ sign, beside, within = 0 }: FlowFigure, { value, interval }: Estimate): Agreement {
  if (value === null) return "not loaded";
  if (interval === null) return "undecided";
  const [low, high] = sign === 0 ? [beside * (1 - within), beside * (1 + within)] : [beside, beside];
  const way = interval.low > high ? 1 : interval.high < low ? -1 : 0;
  if (sign === 0) return way !== 0 ? "differs" : interval.low >= low && interval.high <= high ? "agrees" : "undecided";
  return way === 0 ? "undecided" : way === sign ? "agrees" : "differs";
}

/** Of the study's figures those whose mixes were tried on their links. */
export function comparedFlowFigures(study: FlowStudy, runs: readonly StudiedRun[], seed: number): ComparedFlowFigure[] {
  const blocks = 1 + Math.max(0, ...runs.map(({ block }) => block));
  return study.figures.flatMap((figure) => {
    const places = [figure, ...(figure.over ? [figure.over] : [])];
    if (places.some((place) => runsAt(runs, place).length === 0)) return [];
    const [values, below] = places.map((place) => byBlock(runs, place, blocks));
    if (!values) return [];
    const random = randomSource(seed, `${figure.what} ${hashText(`${figure.mix} ${figure.link}`)}`);
    const estimate = below ? ratio(values, below, random) : single(values);
    return [{ figure, ...estimate, agreement: agreementOf(figure, estimate) }];
  });
}
