// The connections of a load: how many its requests used, and which were opened and carried none. Pure; judges nothing.
import type { HarEntry, UnusedConnections } from "../../schemas/generated/page_load.ts";
import type { ReplayReport } from "./reports.ts";

/** Of entries that went to the network: by the browser's word, or, where it says nothing of any (Firefox), by the server's. */
export function usedConnections(entries: readonly HarEntry[]): number {
  const named = new Set(entries.flatMap(({ _connectionId }) => _connectionId ?? []));
  return named.size > 0
    ? named.size
    : new Set(entries.flatMap(({ _trilane: { served } }) => served?.connection ?? [])).size;
}

/** By protocol; null: there is no report. `replay`: of the visit that counts. */
export function unusedConnections(
  replay: Pick<ReplayReport, "connections" | "requests"> | null,
): UnusedConnections | null {
  if (!replay) return null;
  const used = new Set(replay.requests.map(({ connection }) => connection));
  const counts: UnusedConnections = {};
  for (const { id, lane } of replay.connections) if (!used.has(id)) counts[lane] = (counts[lane] ?? 0) + 1;
  return counts;
}
