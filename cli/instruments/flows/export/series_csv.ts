// What flows did over time, as CSV: a row for each sample of each end of each flow of a run, as it was sampled (thinned where it was
// stored so). Goodput is that since the receiver's sample before. Columns are documented here, once.
import { type CsvValue, csvLine } from "../../../results/export/csv_column.ts";
import type { FlowRecords } from "../records/flow_records.ts";
import type { SampleSeries } from "../records/series.ts";

export interface RunSeries {
  readonly run: number;
  readonly mix: string;
  readonly link: string;
  readonly records: FlowRecords;
}

type Sampled = Exclude<keyof SampleSeries, "time_ms">;

const sampled: readonly (readonly [name: Sampled, meaning: string])[] = [
  ["sent_bytes", "that the application at this end has sent so far"],
  ["received_bytes", "that the application at this end has received so far"],
  ["cwnd_bytes", "congestion window of this end; empty, here and below: unavailable"],
  ["ssthresh_bytes", "its slow start threshold"],
  ["srtt_ns", "smoothed round-trip time"],
  ["min_rtt_ns", "least round-trip time"],
  ["in_flight_bytes", "sent and not acknowledged"],
  ["lost_packets", "that it took for lost so far"],
  ["retransmitted_bytes", "so far"],
  ["delivery_bps", "its own estimate of the rate at which it delivers"],
  ["pacing_bps", "at which it sends"],
];

export const seriesColumns: readonly { readonly name: string; readonly meaning: string }[] = [
  { name: "run_id", meaning: "number of the run in the results" },
  { name: "mix", meaning: "flows that ran together, by name" },
  { name: "link", meaning: "the emulated link, short form" },
  { name: "flow", meaning: "number of the flow in the run, from 0" },
  { name: "end", meaning: "sender or receiver" },
  { name: "time_ms", meaning: "since the run began" },
  { name: "goodput_bps", meaning: "at the receiver since its sample before; empty: at the sender, or the first" },
  ...sampled.map(([name, meaning]) => ({ name, meaning })),
];

/** In bit/s since the sample before; null for the first. */
function goodputAt({ time_ms, received_bytes }: SampleSeries, place: number): number | null {
  const [before, now] = [time_ms[place - 1], time_ms[place]];
  if (before === undefined || now === undefined || now <= before) return null;
  return (((received_bytes[place] as number) - (received_bytes[place - 1] as number)) * 8000) / (now - before);
}

/** Lines with their ends, the header first. */
export function* seriesCsvLines(runs: Iterable<RunSeries>): Generator<string> {
  yield csvLine(seriesColumns.map(({ name }) => name));
  for (const { run, mix, link, records } of runs)
    for (const [flow, ends] of records.samples.entries())
      for (const end of ["sender", "receiver"] as const) {
        const series = ends[end];
        const head: CsvValue[] = [run, mix, link, flow, end];
        for (const [place, time_ms] of series.time_ms.entries()) {
          const values = sampled.map(([name]) => series[name][place] as number);
          const goodput = end === "receiver" ? goodputAt(series, place) : null;
          yield csvLine([...head, time_ms, goodput, ...values.map((value) => (Number.isNaN(value) ? null : value))]);
        }
      }
}
