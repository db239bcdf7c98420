// A plan of flows as it is stored, with its defaults filled in, and its sweeps.
import type { FlowPlanDocument } from "../../../../schemas/generated/flow_plan.ts";
import type { SweepKind, SweepOf } from "../../../results/store/results.ts";

export interface StoredFlowPlan extends Omit<FlowPlanDocument, "mixes"> {
  readonly mixes: readonly { readonly name?: string; readonly flows: readonly string[] }[];
}

export type FlowSweep = SweepOf<"flows", StoredFlowPlan>;

export const flowSweeps: SweepKind<FlowSweep> = { kind: "flows", holds: "flows" };
