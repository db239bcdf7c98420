// Reads the files that a flow run left behind. A program that was killed has left none, or a record file that ends somewhere: what is
// missing is named, and judged by the caller. Judges nothing itself.
import { readFile } from "node:fs/promises";
import type { FlowReport } from "../../../../schemas/generated/flow_report.ts";
import type { FlowRun } from "../../../../schemas/generated/flow_run.ts";
import type { ShaperReport } from "../../../../schemas/generated/shaper_report.ts";
import { parseRecords, readDocument } from "../../../base/record_file.ts";
import type { FlowFiles } from "../../../link/flows/flow_run.ts";
import { composeFlowRecords, type FlowCounters, type FlowRecords } from "./flow_records.ts";
import { binFileColumns, sampleFileColumns } from "./series.ts";

export interface LeftRecords {
  /** null: something is missing. */
  readonly records: FlowRecords | null;
  /** Of `near`, `far`, `counters` and `shaper` those that are not there whole. */
  readonly missing: readonly (keyof FlowFiles)[];
}

async function readOrNull(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** RunError for a record file of another version. */
export async function readFlowRecords(run: FlowRun, files: FlowFiles): Promise<LeftRecords> {
  const [near, far, counters, shaper] = await Promise.all([
    readDocument<FlowReport>(files.near, "trilane/flow-report/1"),
    readDocument<FlowReport>(files.far, "trilane/flow-report/1"),
    readDocument<FlowCounters>(files.counters, "trilane/flow-counters/1"),
    readDocument<ShaperReport>(files.shaper, "trilane/shaper-report/1"),
  ]);
  if (near === null || far === null || counters === null || shaper === null) {
    const documents = Object.entries({ near, far, counters, shaper }) as [keyof FlowFiles, unknown][];
    return { records: null, missing: documents.flatMap(([name, document]) => (document === null ? [name] : [])) };
  }
  const [nearSamples, farSamples, bins] = await Promise.all(
    [files.nearSamples, files.farSamples, files.bins].map(async (path) => (await readOrNull(path)) ?? Buffer.alloc(0)),
  );
  const records = composeFlowRecords({
    run,
    near,
    far,
    nearSamples: parseRecords(nearSamples as Buffer, sampleFileColumns, files.nearSamples),
    farSamples: parseRecords(farSamples as Buffer, sampleFileColumns, files.farSamples),
    bins: parseRecords(bins as Buffer, binFileColumns, files.bins),
    counters,
    shaper,
  });
  return { records, missing: [] };
}
