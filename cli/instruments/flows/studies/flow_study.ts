// A published study of flows that Trilane can run: its plans, and what it found, as numbers or as signs, each beside a value that says what
// agreeing is. Data; flow_agreement.ts computes ours.

import type { DirectionMetric, FlowMetric } from "../../../registry/metrics.ts";
import type { Figure, NumberStudy } from "../../../results/studies/study.ts";

/** What is looked at in a run. Flows of a group, or of a direction, are meant all together; of a group's flows their mean counts. */
export type FlowMeasure =
  | { readonly of: "link"; readonly metric: DirectionMetric }
  | { readonly of: "group"; readonly group: number; readonly metric: FlowMetric }
  /** Of the mix's first group over its second: how much sooner each flow of it had so many tenths of its size. */
  | { readonly of: "progress"; readonly tenths: number };

/** Where it is looked at. Flows go down. */
export interface FlowPlace {
  readonly mix: string;
  readonly link: string;
  readonly measure: FlowMeasure;
}

export type FlowFigure = Figure<FlowPlace>;
export type FlowStudy = NumberStudy<FlowPlace>;
