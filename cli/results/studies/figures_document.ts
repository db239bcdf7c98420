// A study's figures of flows, or of fetches, beside ours, as the document of schemas/flow-figures.schema.json. Pure.

import type { FlowFigureCompared, FlowFigures } from "../../../schemas/generated/flow_figures.ts";
import { endsOf } from "../../base/interval.ts";
import { agreementSentence } from "./agreement.ts";
import type { StudyFigure } from "./study.ts";

function figureCompared({ figure, value, interval, runs, reason, agreement }: StudyFigure): FlowFigureCompared {
  const { what, mix, link, published, sign, beside, within = null } = figure;
  const [low, high] = endsOf(interval);
  return {
    what,
    ...(mix === undefined ? {} : { mix }),
    link,
    published,
    sign,
    beside,
    within,
    value,
    low,
    high,
    runs,
    reason,
    agreement,
  };
}

/** `sweep`: whose runs ours are of. */
export function figuresDocument(
  { name }: { readonly name: string },
  sweep: number,
  compared: readonly StudyFigure[],
): FlowFigures {
  const figures = compared.map(figureCompared);
  return { schema: "trilane/flow-figures/1", study: name, sweep, figures, agreement: agreementSentence(compared) };
}
