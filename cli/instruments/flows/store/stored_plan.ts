// A plan of flows as it is stored, with its defaults filled in, and its sweeps.
import type { FlowPlanDocument } from "../../../../schemas/generated/flow_plan.ts";
import type { AnySweep, SweepKind } from "../../../results/store/results.ts";

export interface StoredFlowPlan extends Omit<FlowPlanDocument, "mixes"> {
  readonly mixes: readonly { readonly name?: string; readonly flows: readonly string[] }[];
}

export interface FlowSweep extends AnySweep {
  readonly kind: "flows";
  readonly plan: StoredFlowPlan;
}

export const flowSweeps: SweepKind<FlowSweep> = {
  holds: "flows",
  is: (sweep): sweep is FlowSweep => sweep.kind === "flows",
};
