// One attempt at a flow run with a page: the load is cli/load's, in whose lab the flows run; what they left is read and judged beside it.
// Stores nothing, tries nothing again; its folder and processes are gone when this settles.
import type { Lane } from "../../../base/lanes.ts";
import { type FlowFiles, runFlow } from "../../../link/flows/flow_run.ts";
import { formatFlow } from "../../../link/flows/flow_words.ts";
import type { LoadRequest } from "../../../load/load_request.ts";
import { type LeftRecords, readFlowRecords } from "../records/read_flow_records.ts";
import type { FlowAttempt, FlowAttemptRequest } from "./attempt.ts";
import { countReasons } from "./validity.ts";

export interface RunPage {
  readonly recording: LoadRequest["recording"];
  /** Whether the recording must have an answer to each request before the load event. */
  readonly strict: boolean;
  readonly lane: Lane;
  /** When its navigation begins, on the run's clock. */
  readonly start_ms: number;
  /** To which moment its clock is set; default: to none. */
  readonly pinned_ms?: number | null;
}

/** Resolves also for a load that failed. Throws what would fail every load, and the signal's reason. */
export async function attemptPageRun(request: FlowAttemptRequest, page: RunPage): Promise<FlowAttempt> {
  const { home, run, link, evidence, cpus, signal, watch, tolerance } = request;
  const { recording, strict, lane, start_ms, pinned_ms = null } = page;
  // The browser's own library is slow to load, and runs without a page need none of it.
  const { measureLoad } = await import("../../../load/load.ts");
  const left: LeftRecords[] = [];
  const load = await measureLoad({
    ...{ home, recording, strict, lane, link, signal, pinned_ms, cpus, evidence },
    ...(tolerance ? { tolerance } : {}),
    // A page that is not there when the run ends has failed.
    timeout_ms: run.for_ms - start_ms,
    crossTraffic: {
      run,
      words: run.flows.map(runFlow).map(formatFlow),
      pageStart_ms: start_ms,
      read: async (files) => void left.push(await readFlowRecords(run, files)),
      ...(watch ? { watch: (files: FlowFiles) => watch(run, files) } : {}),
    },
  });
  const { status, reasons, wall_ms } = load.log._trilane;
  const records = left[0]?.records ?? null;
  const counted = records === null ? [] : countReasons(records);
  return {
    status: status === "valid" && (counted.length > 0 || records === null) ? "invalid" : status,
    reasons: [...reasons, ...(records === null && status === "valid" ? ["the flows left no records"] : counted)],
    wall_ms: Math.round(wall_ms),
    records,
    pageLoad: load,
  };
}
