// A study's figures of flows beside ours, as the document of schemas/flow-figures.schema.json. Pure.
import type { FlowFigureCompared, FlowFigures } from "../../../schemas/generated/flow_figures.ts";
import { agreementSentence } from "./agreement.ts";
import type { ComparedFlowFigure } from "./flow_agreement.ts";
import type { FlowStudy } from "./flow_study.ts";

function figureCompared({ figure, value, interval, runs, reason, agreement }: ComparedFlowFigure): FlowFigureCompared {
  const { what, mix, link, published, sign, beside, within = null } = figure;
  const [low, high] = [interval?.low ?? null, interval?.high ?? null];
  return { what, mix, link, published, sign, beside, within, value, low, high, runs, reason, agreement };
}

/** `sweep`: whose runs ours are of. */
export function figuresDocument(
  { name }: Pick<FlowStudy, "name">,
  sweep: number,
  compared: readonly ComparedFlowFigure[],
): FlowFigures {
  const figures = compared.map(figureCompared);
  return { schema: "trilane/flow-figures/1", study: name, sweep, figures, agreement: agreementSentence(compared) };
}
