// What a study of flows found beside ours, figure by figure, with its 95 % interval over runs. Pure.
import type { FlowResult } from "../../../../schemas/generated/flow_result.ts";
import { mean } from "../../../base/quantile.ts";
import { hashText, randomSource } from "../../../base/random.ts";
import { formatLink, parseLink } from "../../../link/link.ts";
import { comparedNumber } from "../../../results/studies/compared_number.ts";
import type { ComparedNumber } from "../../../results/studies/study.ts";
import type { FlowFigure, FlowMeasure, FlowPlace, FlowStudy } from "./flow_study.ts";

/** One attempt at a run, as results have it. */
export interface StudiedRun {
  readonly mix: string;
  readonly link: string;
  readonly block: number;
  readonly status: string;
  readonly result: FlowResult | null;
}

export type ComparedFlowFigure = ComparedNumber<FlowFigure>;

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

/** Of the study's figures those whose mixes were tried on their links. */
export function comparedFlowFigures(study: FlowStudy, runs: readonly StudiedRun[], seed: number): ComparedFlowFigure[] {
  const blocks = 1 + Math.max(0, ...runs.map(({ block }) => block));
  return study.figures.flatMap((figure) => {
    const places = [figure, ...(figure.over ? [figure.over] : [])];
    if (places.some((place) => runsAt(runs, place).length === 0)) return [];
    const [values, below] = places.map((place) => byBlock(runs, place, blocks));
    if (!values) return [];
    const random = randomSource(seed, `${figure.what} ${hashText(`${figure.mix} ${figure.link}`)}`);
    return [comparedNumber(figure, values, below, random)];
  });
}
