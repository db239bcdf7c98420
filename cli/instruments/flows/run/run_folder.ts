// The folder of one flow run: the instructions of both ends and the shaper, and what they write. In memory where there is room for it, so that samples cost
// no disk; removed with the run, or with this process. Reads nothing.
import { join } from "node:path";
import type { FlowRun } from "../../../../schemas/generated/flow_run.ts";
import { makeRemovedFolder, type RemovedFolder, scratchParent } from "../../../browser/scratch.ts";
import type { FlowFiles } from "../../../link/flows/flow_run.ts";
import { binFileColumns, sampleFileColumns } from "../records/series.ts";

/** Of RUN.json and of what the programs write. */
export interface RunPaths extends FlowFiles {
  readonly run: string;
}

export interface RunFolder extends RemovedFolder {
  readonly paths: RunPaths;
}

export function runPathsIn(folder: string): RunPaths {
  return {
    run: join(folder, "run.json"),
    near: join(folder, "near.json"),
    far: join(folder, "far.json"),
    nearSamples: join(folder, "near-samples.rec"),
    farSamples: join(folder, "far-samples.rec"),
    bins: join(folder, "flow-bins.rec"),
    counters: join(folder, "flow-counters.json"),
    shaper: join(folder, "shaper.json"),
  };
}

/** Reports, counters and bins of a flow; the pings. */
const perFlow_bytes = 20_000;
const least_bytes = 10e6;

/** Bins of the shaper: fine enough for a second's share, coarse enough for hours. */
export const bin_ms = 50;

/** What the samples and reports of a run take at most. */
export function neededBytes({ flows, for_ms, sample_ms }: FlowRun): number {
  const samples_bytes = 2 * (for_ms / sample_ms + 1) * sampleFileColumns.length * 8;
  const bins_bytes = 2 * (for_ms / bin_ms + 1) * binFileColumns.length * 8;
  return least_bytes + flows.length * (samples_bytes + bins_bytes + perFlow_bytes);
}

/** NoRoomError where no folder has room for the run. */
export async function makeRunFolder(run: FlowRun): Promise<RunFolder> {
  const made = await makeRemovedFolder(scratchParent(neededBytes(run)), "flows");
  return { ...made, paths: runPathsIn(made.folder) };
}
