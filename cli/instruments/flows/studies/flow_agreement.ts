// What a study of flows found beside ours, figure by figure, with its 95 % interval over runs. Pure.
import type { FlowResult } from "../../../../schemas/generated/flow_result.ts";
import { mean } from "../../../base/quantile.ts";
import { formatLink, parseLink } from "../../../link/link.ts";
import { comparedNumbers } from "../../../results/studies/compared_number.ts";
import type { ComparedNumber } from "../../../results/studies/study.ts";
import type { FlowFigure, FlowMeasure, FlowStudy } from "./flow_study.ts";

/** One attempt at a run, as results have it. */
export interface StudiedRun {
  readonly mix: string;
  readonly link: string;
  readonly block: number;
  readonly status: string;
  readonly result: FlowResult | null;
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

/** Of the study's figures those whose mixes were tried on their links. */
export function comparedFlowFigures(
  study: FlowStudy,
  runs: readonly StudiedRun[],
  seed: number,
): ComparedNumber<FlowFigure>[] {
  const blocks = 1 + Math.max(0, ...runs.map(({ block }) => block));
  return comparedNumbers(
    study,
    seed,
    () => blocks,
    ({ mix, link, measure }) => {
      const form = formatLink(parseLink(link));
      return runs
        .filter((run) => run.mix === mix && run.link === form)
        .map(({ block, status, result }) => [block, status === "valid" && result ? measuredIn(result, measure) : null]);
    },
    ({ mix }) => mix,
  );
}
