// All that a flow run left behind, joined on its one clock: the reports and samples of both ends, the shaper's counters, bins and report.
// Pure; reading files is read_flow_records.ts's, numbers made of them are cli/instruments/flows/metrics'.

import type { FlowCounters } from "../../../../schemas/generated/flow_counters.ts";
import type { FlowReport } from "../../../../schemas/generated/flow_report.ts";
import type { FlowRun, RunFlow } from "../../../../schemas/generated/flow_run.ts";
import type { ShaperReport } from "../../../../schemas/generated/shaper_report.ts";
import type { Columns } from "../../../base/record_file.ts";
import {
  type BinSeries,
  type binFileColumns,
  binSeries,
  joinBins,
  type SampleSeries,
  type sampleFileColumns,
  sampleSeries,
} from "./series.ts";

export type { FlowCounters };

/** A flow's samples, by what an end does for the bulk: the sender has windows, the receiver's application counts goodput. */
export interface FlowSamples {
  readonly sender: SampleSeries;
  readonly receiver: SampleSeries;
}

/** A flow at the bottleneck. */
export interface FlowAtLink {
  /** Its places in `counters.flows`: none, where the shaper saw no packet of it; several, where it moved to other ports. */
  readonly counted: readonly number[];
  readonly down: BinSeries;
  readonly up: BinSeries;
}

export interface FlowRecords {
  /** The instructions of both ends: its flows are those of `near.flows`, `far.flows`, `samples` and `bins`, in this order. */
  readonly run: FlowRun;
  /** The run's time 0: the near end's start, CLOCK_MONOTONIC. */
  readonly start_ns: number;
  readonly for_ms: number;
  readonly near: FlowReport;
  readonly far: FlowReport;
  readonly samples: readonly FlowSamples[];
  readonly bins: readonly FlowAtLink[];
  /** Of all packets, those of other traffic (pings, a page) too. */
  readonly counters: FlowCounters;
  readonly shaper: ShaperReport;
}

/** What the files of a run hold, parsed. */
export interface FlowRunFiles {
  readonly run: FlowRun;
  readonly near: FlowReport;
  readonly far: FlowReport;
  readonly nearSamples: Columns<(typeof sampleFileColumns)[number]>;
  readonly farSamples: Columns<(typeof sampleFileColumns)[number]>;
  readonly bins: Columns<(typeof binFileColumns)[number]>;
  readonly counters: FlowCounters;
  readonly shaper: ShaperReport;
}

/** The far end's port of flow 0; each further flow has the next one. */
const firstPort = 20001;

/**
 * Where a flow of the run stands among those that the shaper counted. Of several connections, that with most bytes; of a flow that moves
 * of its own accord all, as each port counts by itself.
 */
function countedPlaces(counters: FlowCounters, { transport, migrate_ms }: RunFlow, flow: number): number[] {
  const protocol = transport === "quic" ? "udp" : "tcp";
  const bytes = (place: number): number => {
    const counts = counters.flows[place];
    return counts ? counts.down.sent_bytes + counts.up.sent_bytes : 0;
  };
  const places = counters.flows.flatMap((counted, place) =>
    counted.protocol === protocol && counted.far.port === firstPort + flow ? [place] : [],
  );
  return migrate_ms === undefined ? places.toSorted((a, b) => bytes(b) - bytes(a)).slice(0, 1) : places;
}

const summed = ["sent_bytes", "received_bytes", "lost_bytes", "goodput_bytes"] as const;

/** What the shaper counted of a flow in a direction; null: nothing. */
export function countsAtLink(
  { bins, counters }: Pick<FlowRecords, "bins" | "counters">,
  flow: number,
  direction: RunFlow["direction"],
): Record<(typeof summed)[number], number> | null {
  const counts = (bins[flow]?.counted ?? []).flatMap((place) => counters.flows[place]?.[direction] ?? []);
  if (counts.length === 0) return null;
  const sum = (name: (typeof summed)[number]): number => counts.reduce((total, its) => total + its[name], 0);
  return Object.fromEntries(summed.map((name) => [name, sum(name)])) as Record<(typeof summed)[number], number>;
}

export function composeFlowRecords(files: FlowRunFiles): FlowRecords {
  const { run, near, far, nearSamples, farSamples, bins, counters, shaper } = files;
  const { start_ns } = near;
  const nearSeries = sampleSeries(nearSamples, run.flows.length, start_ns);
  const farSeries = sampleSeries(farSamples, run.flows.length, start_ns);
  const binned = binSeries(bins, counters.flows.length, start_ns);
  const samples = run.flows.map(({ direction }, flow): FlowSamples => {
    const [atNear, atFar] = [nearSeries[flow] as SampleSeries, farSeries[flow] as SampleSeries];
    return direction === "down" ? { sender: atFar, receiver: atNear } : { sender: atNear, receiver: atFar };
  });
  const atLink = run.flows.map((flow, index): FlowAtLink => {
    const counted = countedPlaces(counters, flow, index);
    const its = counted.flatMap((place) => binned[place] ?? []);
    return { counted, down: joinBins(its.map(({ down }) => down)), up: joinBins(its.map(({ up }) => up)) };
  });
  return { run, start_ns, for_ms: run.for_ms, near, far, samples, bins: atLink, counters, shaper };
}
