// What flow runs leave behind where somebody asked for it (--evidence): what both ends were told, their reports, samples and qlogs, the
// shaper's counters, bins and report, a capture. Where it lies is named so that it is found again from a row of results.

import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { asFileName } from "../../../engine/evidence_folder.ts";
import type { FlowSweep } from "../../../results/store/results.ts";
import type { FlowCell } from "../store/flow_runs.ts";
import type { EvidencePaths } from "./lab_run.ts";
import { type RunPaths, runPathsIn } from "./run_folder.ts";

/** FOLDER/sweep-3/cell-7-tcp_cubic/5mbit_50ms/block0-attempt0, with the page's lane in front where there is one. */
export function flowEvidenceFolder(
  folder: string,
  sweep: Pick<FlowSweep, "id">,
): (cell: Pick<FlowCell, "id" | "mix" | "link" | "lane">, block: number, attempt: number) => string {
  return ({ id, mix, link, lane }, block, attempt) =>
    join(
      resolve(folder),
      `sweep-${sweep.id}`,
      `cell-${id}-${asFileName(mix)}`,
      asFileName(link),
      `${lane === null ? "" : `${lane}-`}block${block}-attempt${attempt}`,
    );
}

/** Makes a run's folder of evidence, empty: an attempt that was killed may have left something there. */
export async function openFlowEvidence(folder: string): Promise<{ paths: RunPaths; evidence: EvidencePaths }> {
  const qlog = join(folder, "qlog");
  await rm(folder, { recursive: true, force: true });
  await mkdir(qlog, { recursive: true });
  return { paths: runPathsIn(folder), evidence: { qlog, packets: join(folder, "packets.pcapng") } };
}
