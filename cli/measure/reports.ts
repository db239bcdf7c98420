// The reports that trilane-replay and trilane-shaper leave behind, as far as a load needs them. Reads files; judges
// nothing. Their contracts are schemas/replay-report.schema.json and schemas/shaper-report.schema.json.
import { readFile } from "node:fs/promises";

export interface ReplayedRequest {
  readonly connection: number;
  readonly method: string;
  readonly url: string;
  readonly outcome: "exact" | "fuzzy" | "missed";
  readonly status: number;
  readonly request_ns: number;
  readonly complete: boolean;
}

export interface DnsAnswer {
  readonly name: string;
  readonly type: string;
  readonly answer: string;
  readonly time_ns: number;
}

export interface ReplayReport {
  readonly versions: Record<string, string>;
  readonly transport: { tcp: { congestion_control: string }; quic: { congestion_control: string } };
  readonly connections: readonly { id: number; lane: string }[];
  readonly requests: readonly ReplayedRequest[];
  readonly dns: readonly DnsAnswer[];
  readonly [more: string]: unknown;
}

export interface ShapedDirection {
  readonly packets_in: number;
  readonly bytes_in: number;
  readonly packets_out: number;
  readonly bytes_out: number;
  /** null where no packet left. */
  readonly late_ns: { p50: number | null; p99: number | null; max: number | null };
  readonly [more: string]: unknown;
}

export interface ShaperReport {
  readonly down: ShapedDirection;
  readonly up: ShapedDirection;
  readonly [more: string]: unknown;
}

async function readDocument(path: string, schema: string): Promise<unknown> {
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
