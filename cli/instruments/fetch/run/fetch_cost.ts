// What a fetch cost beside what the client says itself, from what it left: the server's report, and strace's tables. Judges nothing.
import type { FetchCost, ProcessCost } from "../../../../schemas/generated/fetch_cost.ts";
import type { FetchRecord } from "../../../../schemas/generated/fetch_record.ts";
import type { ReplayConnection, ReplayReport } from "../../../../schemas/generated/replay_report.ts";
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
  /** That came to the link from the server; null: there was none, or it left no report. */
  readonly packets_down: number | null;
}

const notCounted = "system calls were not counted";
const noLab = "the server is none of a lab’s";

/** A value, or why there is none. */
type Known<T> = { readonly value: T } | { readonly missing: string };

async function callsIn(file: string | null): Promise<Known<NonNullable<FetchCost["client_calls"]>>> {
  if (file === null) return { missing: noLab };
  const calls = await readStrace(file);
  return calls ? { value: calls } : { missing: "strace left no table" };
}

function serverIn({ record, replay, traces }: FetchLeft): Known<NonNullable<FetchCost["server"]>> {
  if (traces) return { missing: "strace adds to what it counts" };
  if (!replay) return { missing: noLab };
  const found = record ? serverCost(replay.connections, record) : { missing: "the client left no record" };
  return "cost" in found ? { value: found.cost } : found;
}

/** null: nothing of it was measured, as on the network as it is. */
export async function fetchCost(left: FetchLeft): Promise<FetchCost | null> {
  const { replay, traces, packets_down } = left;
  if (!replay && !traces) return null;
  const server = serverIn(left);
  const client_calls = traces ? await callsIn(traces.client) : { missing: notCounted };
  const server_calls = traces ? await callsIn(traces.server) : { missing: notCounted };
  const all = { server, client_calls, server_calls };
  const missing = Object.entries(all).flatMap(([name, known]) => ("missing" in known ? [[name, known.missing]] : []));
  const orNull = <T>(known: Known<T>): T | null => ("value" in known ? known.value : null);
  return {
    schema: "trilane/fetch-cost/1",
    server: orNull(server),
    client_calls: orNull(client_calls),
    server_calls: orNull(server_calls),
    ...(traces && packets_down !== null ? { packets_down } : {}),
    unavailable: Object.fromEntries(missing),
  };
}

// What one object cost its server in a lab: the connection of trilane-replay's report that the object came over. Pure.

type Connection = Pick<ReplayConnection, "lane" | "local_address" | "local_port" | "opened_ns" | "cost">;

/** A lab's two ends have one clock: the connection is the first one of the lane's protocol that was opened once the object's had begun. */
export function serverCost(
  connections: readonly Connection[],
  { start_ns, lane, reused }: Pick<FetchRecord, "start_ns" | "lane" | "reused">,
): { readonly cost: ProcessCost } | { readonly missing: string } {
  if (start_ns === null) return { missing: "no connection was begun" };
  if (reused) return { missing: "its connection had others’ objects, too" };
  const [protocol = ""] = lane.split("-");
  const own = connections
    .filter((each) => each.lane === protocol && each.opened_ns >= start_ns)
    .sort((a, b) => a.opened_ns - b.opened_ns)[0];
  if (!own) return { missing: "the server had no connection for it" };
  return own.cost ? { cost: own.cost } : { missing: "the server did not say" };
}
