// How much a server sends on a connection before it can have heard of any of it. It is the initial window if a first response, or several, are larger, less the
// tickets and settings that went before in packets of their own. From what trilane-shaper counts as packets reach the link, a
// millisecond at a time: the server's own words are in it nowhere.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FlowCounters } from "../../schemas/generated/flow_counters.ts";
import { type Lane, laneFacts } from "../base/lanes.ts";
import { type Columns, parseRecords } from "../base/record_file.ts";
import type { LoadStep } from "./step.ts";

export interface FlightFiles {
  readonly counters: string;
  readonly bins: string;
}

const names = ["time_ns", "flow", "direction", "arrived_bytes"] as const;
/** Less, within a millisecond, is a frame or two beside a response. */
const leastResponse_bytes = 1200;
/** Of four packets, the window of RFC 3390: a flight of less was a small response. */
const leastWindow_bytes = 6000;
/** Less is a packet that opens a connection or acknowledges. */
const leastMessage_bytes = 150;
/** A shorter round trip cannot be distinguished from a millisecond's bin. */
const leastRtt_ms = 10;

/** trilane-shaper's options. `counters`: what it writes already. */
export function flightArguments(scratch: string, counters: string | null): { files: FlightFiles; words: string[] } {
  const files = { counters: counters ?? join(scratch, "flights.json"), bins: join(scratch, "flights.bins") };
  const own = counters === null ? ["--flow-counters", files.counters] : [];
  return { files, words: [...own, "--flow-bins", files.bins, "--flow-bin", "1ms"] };
}

interface Bin {
  readonly time_ns: number;
  readonly bytes: number;
  readonly isDown: boolean;
}

/**
 * When the client had sent its part of the handshake and a request came with it: its `turns`-th message of some length, with one of the
 * server's before each. null: never.
 */
function requested_ns(bins: readonly Bin[], turns: number): number | null {
  let taken = 0;
  let isClients = true;
  for (const { time_ns, bytes, isDown } of bins) {
    if (isDown) isClients ||= bytes >= leastMessage_bytes;
    else if (isClients && bytes >= leastMessage_bytes) {
      if (++taken === turns) return time_ns;
      isClients = false;
    }
  }
  return null;
}

/** One connection's, its bins in order; null: no response was large enough to say. */
function flightOf(bins: readonly Bin[], rtt_ns: number, turns: number): number | null {
  const from_ns = requested_ns(bins, turns);
  const flights: number[] = [];
  let end_ns = from_ns ?? Number.POSITIVE_INFINITY;
  for (const { time_ns, bytes, isDown } of bins) {
    if (!isDown || time_ns <= (from_ns ?? Number.POSITIVE_INFINITY)) continue;
    if (time_ns < end_ns && flights.length > 0) flights.push((flights.pop() ?? 0) + bytes);
    else if (time_ns > end_ns && bytes >= leastResponse_bytes) {
      flights.push(bytes);
      end_ns = time_ns + 0.9 * rtt_ns;
    }
  }
  // A small response is no window's fault, and lets none grow.
  return flights.find((flight) => flight >= leastWindow_bytes) ?? (flights.length > 0 ? Math.max(...flights) : null);
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
  })).filter(({ bytes }) => bytes > 0);
  const byFlow = Map.groupBy(
    bins.toSorted((a, b) => a.time_ns - b.time_ns),
    ({ flow }) => flow,
  );
  const flights = flows.flatMap(({ protocol }, at) =>
    protocol === "tcp" || protocol === "udp"
      ? (flightOf(byFlow.get(at) ?? [], rtt_ms * 1e6, isClear ? 1 : 2) ?? [])
      : [],
  );
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

export function flightStep(lane: Lane, rtt_ms: number): LoadStep {
  let files: FlightFiles | null = null;
  let first_flight_bytes: number | null = null;
  return {
    async prepare({ scratch, evidence }) {
      const flights = flightArguments(scratch, evidence?.counters ?? null);
      ({ files } = flights);
      return { shaperOptions: flights.words };
    },
    async gone() {
      if (files) first_flight_bytes = await readFirstFlight(files, rtt_ms, laneFacts[lane].clear);
    },
    says: () => ({ facts: { first_flight_bytes } }),
  };
}
