// The reports that trilane-replay, trilane-shaper and trilane-flows leave behind. Reads files; judges nothing.
import { readFile } from "node:fs/promises";
import type { FlowReport } from "../../schemas/generated/flow_report.ts";
import type { ReplayReport } from "../../schemas/generated/replay_report.ts";
import type { ShaperReport } from "../../schemas/generated/shaper_report.ts";

export type { ReplayConnection, ReplayedRequest, ReplayReport } from "../../schemas/generated/replay_report.ts";
export type { ShaperReport } from "../../schemas/generated/shaper_report.ts";

export async function readDocument(path: string, schema: string): Promise<unknown> {
  try {
    const document: unknown = JSON.parse(await readFile(path, "utf8"));
    const named =
      typeof document === "object" && document !== null && "schema" in document ? document.schema : undefined;
    return named === schema ? document : null;
  } catch {
    // Not written: the program was killed before it could. The load then says so.
    return null;
  }
}

// Written by programs of the same build, whose tests hold them to the schema: its name is the check that matters here.
export async function readReplayReport(path: string): Promise<ReplayReport | null> {
  return (await readDocument(path, "trilane/replay-report/1")) as ReplayReport | null;
}

export async function readShaperReport(path: string): Promise<ShaperReport | null> {
  return (await readDocument(path, "trilane/shaper-report/1")) as ShaperReport | null;
}

export async function readFlowReport(path: string): Promise<FlowReport | null> {
  return (await readDocument(path, "trilane/flow-report/1")) as FlowReport | null;
}
