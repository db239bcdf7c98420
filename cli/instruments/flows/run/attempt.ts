// One attempt at a flow run: a lab made for it, watched to its end, what it left read and judged. Stores nothing, tries nothing again;
// its folder and processes are gone when this settles.
import { writeFile } from "node:fs/promises";
import type { FlowRun } from "../../../../schemas/generated/flow_run.ts";
import type { PageLoad } from "../../../../schemas/generated/page_load.ts";
import { throwIfFull } from "../../../browser/scratch.ts";
import type { AttemptTerms, EndedAttempt } from "../../../engine/measuring.ts";
import type { FlowFiles } from "../../../link/flows/flow_run.ts";
import type { LinkProfile } from "../../../link/link.ts";
import type { Tolerance } from "../../../load/disturbance.ts";
import { keepFiles, openEvidence, refuseCutEvidence } from "../../../load/evidence.ts";
import { labFailure, runLab } from "../../../load/lab.ts";
import type { FlowRecords } from "../records/flow_records.ts";
import { readFlowRecords } from "../records/read_flow_records.ts";
import { flowsCommandLine } from "./lab_run.ts";
import type { RunPage } from "./page_run.ts";
import { makeRunFolder } from "./run_folder.ts";
import { invalidReasons } from "./validity.ts";

export interface FlowAttemptRequest extends AttemptTerms {
  readonly home: string;
  readonly run: FlowRun;
  /** With the run's own seed. */
  readonly link: LinkProfile;
  /** Of what the machine may add. Default: the usual one. */
  readonly tolerance?: Tolerance;
  /** Loaded while the flows run. Default: none; attemptFlowRun loads none. */
  readonly page?: RunPage;
  /** Looks at the run while it lasts, by the files that its programs write. */
  readonly watch?: (run: FlowRun, files: FlowFiles) => { close(): Promise<void> };
}

export interface FlowAttempt extends EndedAttempt {
  /** null: a program of the lab left no report. */
  readonly records: FlowRecords | null;
  /** null: no page was loaded. */
  readonly pageLoad: PageLoad | null;
}

/** The lab made, the near end's last flows closed, reports written. */
const startAndEnd_ms = 30_000;

/**
 * Resolves also for a run that failed. Throws what would fail every run: a controller that there is not, no lab to be had, a full
 * disk (NoRoomError); and the signal's reason.
 */
export async function attemptFlowRun(request: FlowAttemptRequest): Promise<FlowAttempt> {
  const { home, run, link, signal, cpus } = request;
  signal.throwIfAborted();
  const begun_ms = performance.now();
  const folder = await makeRunFolder(run);
  try {
    const { paths } = folder;
    const evidence = request.evidence === undefined ? null : await openEvidence(request.evidence, folder.folder);
    await writeFile(paths.run, JSON.stringify(run));
    const commandLine = flowsCommandLine({ home, link, paths, evidence });
    const limit_ms = run.for_ms + startAndEnd_ms;
    const watched = request.watch?.(run, paths);
    const { exit, timedOut } = await runLab(commandLine, { timeout_ms: limit_ms, signal, cpus }).finally(() =>
      watched?.close(),
    );
    signal.throwIfAborted();
    if (evidence) {
      await keepFiles(evidence.folder, Object.values(paths));
      await refuseCutEvidence(evidence);
    }
    const { records } = await readFlowRecords(run, paths);
    const wall_ms = Math.round(performance.now() - begun_ms);
    // A flow that failed ends the programs with status 1: its report says more.
    if (records !== null && !timedOut) {
      if (exit.code !== 0) throwIfFull(folder);
      const reasons = invalidReasons(records, request.tolerance);
      const hasFailed = records.near.flows.some(({ state }) => state === "failed");
      return {
        status: reasons.length === 0 ? "valid" : hasFailed ? "failed" : "invalid",
        reasons,
        wall_ms,
        records,
        pageLoad: null,
      };
    }
    throwIfFull(folder);
    const failure = labFailure({ exit, timedOut }, "the lab", limit_ms);
    return { status: "failed", reasons: [failure], wall_ms, records: null, pageLoad: null };
  } finally {
    await folder.remove();
  }
}
