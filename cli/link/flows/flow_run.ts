// What both ends of trilane-flows are given for a run: a mix's flows one by one, in ms; and which files they leave. Pure.
import type { Flow } from "../../../schemas/generated/flow.ts";
import type { FlowRun, RunFlow } from "../../../schemas/generated/flow_run.ts";

export interface RunTerms {
  readonly for_s: number;
  readonly sample_ms: number;
  readonly ping_ms: number | null;
}

/** Paths of what the programs write. */
export interface FlowFiles {
  readonly near: string;
  readonly far: string;
  readonly nearSamples: string;
  readonly farSamples: string;
  readonly bins: string;
  readonly counters: string;
  readonly shaper: string;
}

const ms = (time_s: number): number => Math.round(time_s * 1000);

/** The document of RUN.json. Flow number i is the i-th here: flows that stand for several count as often. */
export function flowRunOf(flows: readonly Flow[], { for_s, sample_ms, ping_ms }: RunTerms): FlowRun {
  const single = flows.flatMap(
    ({ transport, congestion, paced, migrate_s, direction, start_s, for_s: sends_s, size_bytes, count }) => {
      const duration_ms = sends_s === null ? null : ms(sends_s);
      const terms = { direction, start_ms: ms(start_s), duration_ms, size_bytes };
      const rare = { ...(paced ? { paced } : {}), ...(migrate_s === undefined ? {} : { migrate_ms: ms(migrate_s) }) };
      const flow: RunFlow = { transport, congestion, ...rare, ...terms };
      return Array.from({ length: count }, () => flow);
    },
  );
  return { schema: "trilane/flow-run/1", for_ms: ms(for_s), sample_ms, ping_ms, flows: single as FlowRun["flows"] };
}

/** Of each flow of such a run, which of the mix's words it stands for, from 0. */
export function groupsOf(flows: readonly Flow[]): number[] {
  return flows.flatMap(({ count }, group) => Array.from({ length: count }, () => group));
}

/** A flow of a run in its words, as its plan had it. */
export function runFlow(flow: RunFlow): Flow {
  const { transport, congestion, paced, migrate_ms, direction, start_ms, duration_ms, size_bytes } = flow;
  const for_s = duration_ms === null ? null : duration_ms / 1000;
  const terms = { direction, start_s: start_ms / 1000, for_s, size_bytes, count: 1 };
  const rare = { ...(paced ? { paced } : {}), ...(migrate_ms === undefined ? {} : { migrate_s: migrate_ms / 1000 }) };
  return { transport, congestion, ...rare, ...terms };
}
