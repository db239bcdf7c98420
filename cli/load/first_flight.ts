// How much a server sends on a connection before it can have heard of any of it: its initial window, if its first response is larger. From what
// trilane-shaper counts as packets reach the link, a millisecond at a time: the server's own words are in it nowhere.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FlowCounters } from "../../schemas/generated/flow_counters.ts";
import { type Columns, parseRecords } from "../base/record_file.ts";

export interface FlightFiles {
  readonly counters: string;
  readonly bins: string;
}

const names = ["time_ns", "flow", "direction", "arrived_bytes"] as const;
/** Less, within a millisecond, is a frame or two beside a response. */
const least_bytes = 1200;
/** A shorter round trip is not told from a millisecond's bin. */
const leastRtt_ms = 10;

/** trilane-shaper's options. `counters`: what it is asked for already. */
export function flightArguments(scratch: string, counters: string | null): { files: FlightFiles; words: string[] } {
  const files = { counters: counters ?? join(scratch, "flights.json"), bins: join(scratch, "flights.bins") };
  const own = counters === null ? ["--flow-counters", files.counters] : [];
  return { files, words: [...own, "--flow-bins", files.bins, "--flow-bin", "1ms"] };
}

/** One connection's, its bins in order; null: no response was large enough to say. `handshake`: round trips from its first packet to its response. */
function flightOf(bins: readonly { time_ns: number; bytes: number }[], rtt_ns: number, handshake: number) {
  const [first] = bins;
  if (!first) return null;
  // Half a round trip before: what it sends for the handshake comes a whole one before.
  const from_ns = first.time_ns + (handshake - 0.5) * rtt_ns;
  const start = bins.find(({ time_ns, bytes }) => time_ns >= from_ns && bytes >= least_bytes);
  if (!start) return null;
  const flight = bins.filter(({ time_ns }) => time_ns >= start.time_ns && time_ns < start.time_ns + 0.9 * rtt_ns);
  return flight.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The most of any connection, in bytes of IP packets; null: none says. */
export function firstFlight_bytes(
  columns: Columns<(typeof names)[number]>,
  flows: FlowCounters["flows"],
  rtt_ms: number,
  isClear: boolean,
): number | null {
  if (rtt_ms < leastRtt_ms) return null;
  const bins = Array.from(columns.time_ns, (time_ns, at) => ({
    ...{ time_ns, flow: columns.flow[at], bytes: columns.arrived_bytes[at] ?? 0 },
    isDown: columns.direction[at] === 0,
  })).filter(({ isDown, bytes }) => isDown && bytes > 0);
  const byFlow = Map.groupBy(bins, ({ flow }) => flow);
  const flights = flows.flatMap(({ protocol }, at) => {
    if (protocol !== "tcp" && protocol !== "udp") return [];
    const handshake = protocol === "udp" || isClear ? 1 : 2;
    return (
      flightOf(
        (byFlow.get(at) ?? []).toSorted((a, b) => a.time_ns - b.time_ns),
        rtt_ms * 1e6,
        handshake,
      ) ?? []
    );
  });
  return flights.length === 0 ? null : Math.max(...flights);
}

/** Once the lab has gone. null also where the shaper left nothing. */
export async function readFirstFlight(files: FlightFiles, rtt_ms: number, isClear: boolean): Promise<number | null> {
  try {
    const { flows } = JSON.parse(await readFile(files.counters, "utf8")) as FlowCounters;
    return firstFlight_bytes(parseRecords(await readFile(files.bins), names, files.bins), flows, rtt_ms, isClear);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
