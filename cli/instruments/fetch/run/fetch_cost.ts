// What a fetch cost beside what the client says itself, from what it left: the server's report, and strace's tables. Judges nothing.
import type { FetchCost } from "../../../../schemas/generated/fetch_cost.ts";
import type { FetchRecord } from "../../../../schemas/generated/fetch_record.ts";
import type { ReplayReport } from "../../../../schemas/generated/replay_report.ts";
import { serverCost } from "../cost/server_cost.ts";
import { readStrace } from "./strace.ts";

/** Files that strace writes. */
export interface Traces {
  readonly client: string;
  /** null: the server is none of ours. */
  readonly server: string | null;
}

export interface FetchLeft {
  readonly record: FetchRecord | null;
  /** null: the server is none of ours, or left none. */
  readonly replay: ReplayReport | null;
  /** null: system calls were not counted. */
  readonly traces: Traces | null;
}

const notCounted = "system calls were not counted";
const noLab = "the server is none of a lab’s";

/** A value, or why there is none. */
type Told<T> = { readonly value: T } | { readonly missing: string };

async function callsIn(file: string | null): Promise<Told<NonNullable<FetchCost["client_calls"]>>> {
  if (file === null) return { missing: noLab };
  const calls = await readStrace(file);
  return calls ? { value: calls } : { missing: "strace left no table" };
}

function serverIn({ record, replay, traces }: FetchLeft): Told<NonNullable<FetchCost["server"]>> {
  if (traces) return { missing: "strace adds to what it counts" };
  if (!replay) return { missing: noLab };
  const found = record ? serverCost(replay.connections, record) : { missing: "the client left no record" };
  return "cost" in found ? { value: found.cost } : found;
}

/** null: nothing of it was measured, as on the network as it is. */
export async function fetchCost(left: FetchLeft): Promise<FetchCost | null> {
  const { replay, traces } = left;
  if (!replay && !traces) return null;
  const server = serverIn(left);
  const client_calls = traces ? await callsIn(traces.client) : { missing: notCounted };
  const server_calls = traces ? await callsIn(traces.server) : { missing: notCounted };
  const all = { server, client_calls, server_calls };
  const missing = Object.entries(all).flatMap(([name, told]) => ("missing" in told ? [[name, told.missing]] : []));
  const orNull = <T>(told: Told<T>): T | null => ("value" in told ? told.value : null);
  return {
    schema: "trilane/fetch-cost/1",
    server: orNull(server),
    client_calls: orNull(client_calls),
    server_calls: orNull(server_calls),
    unavailable: Object.fromEntries(missing),
  };
}
