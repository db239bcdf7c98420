// A run of flows as flent's data file (JSON, gzipped, version 4: doc/data-format.rst of flent), which flent's plotter opens. flent names
// its series by its own tests, so a run becomes the test with the same flows: tcp_ndown, tcp_nup, or rrul_be_nflows for both
// directions. Its series say TCP even where a flow is QUIC: SERIES_META, NOTE and TITLE say what each one was. Pure.
import { gzipSync } from "node:zlib";
import { countAt, rateOver } from "../metrics/cumulative.ts";
import { kindWords } from "../metrics/flow_kind.ts";
import { endsOf, receivedCounter, spanOf } from "../metrics/flow_spans.ts";
import type { FlowRecords } from "../records/flow_records.ts";

const step_s = 0.2;
const formatVersion = 4;
/** As flent counts windows, in packets of an Ethernet's size with timestamps. */
const segment_bytes = 1448;

export interface FlentRun {
  readonly run: number;
  readonly mix: string;
  readonly link: string;
  /** ISO 8601, UTC. */
  readonly started_at: string;
  readonly version: string;
  readonly records: FlowRecords;
}

interface RawValue {
  readonly t: number;
  readonly val?: number;
  readonly tcp_cwnd?: number;
  readonly tcp_rtt?: number;
}

interface FlentSeries {
  readonly name: string;
  readonly units: string;
  /** What it truly is. */
  readonly note: string;
  readonly values: readonly (number | null)[];
  readonly raw: readonly RawValue[];
}

/** Mbit/s in each step while the flow ran, and window and round trip as they were sampled. */
function flowSeries(
  records: FlowRecords,
  flow: number,
  name: string,
  times_s: readonly number[],
  began_s: number,
): FlentSeries {
  const ends = endsOf(records, flow);
  const span = spanOf(records, ends);
  const counter = span && receivedCounter(records, flow, span);
  const values = times_s.map((time_s) => {
    const step = { from_ms: (time_s - step_s) * 1000, to_ms: time_s * 1000 };
    if (!span || !counter || step.to_ms <= span.from_ms || step.from_ms >= span.to_ms) return null;
    return rateOver(counter, step) / 1e6;
  });
  const rates = times_s.flatMap((time_s, place): RawValue[] => {
    const val = values[place];
    return typeof val === "number" ? [{ t: began_s + time_s, val }] : [];
  });
  const sender = records.samples[flow]?.sender;
  const sampled = times_s.flatMap((time_s): RawValue[] => {
    if (!sender || !span || time_s * 1000 < span.from_ms || time_s * 1000 > span.to_ms) return [];
    const [window, rtt_ns] = (["cwnd_bytes", "srtt_ns"] as const).map((column) =>
      countAt({ time_ms: sender.time_ms, bytes: sender[column] }, time_s * 1000),
    );
    const known = (value: number | undefined): value is number => value !== undefined && value > 0;
    if (!known(window) || !known(rtt_ns)) return [];
    return [{ t: began_s + time_s, tcp_cwnd: window / segment_bytes, tcp_rtt: rtt_ns / 1e6 }];
  });
  const note = kindWords(ends.planned);
  return { name, units: "Mbits/s", note, values, raw: [...rates, ...sampled].toSorted((a, b) => a.t - b.t) };
}

/** The mean of the round trips that were begun in each step. */
function pingSeries(
  { near, start_ns }: FlowRecords,
  name: string,
  times_s: readonly number[],
  began_s: number,
): FlentSeries {
  const replies = (near.ping?.replies ?? []).map(({ sent_ns, rtt_ns }) => ({
    at_s: (sent_ns - start_ns) / 1e9,
    rtt_ms: rtt_ns / 1e6,
  }));
  const values = times_s.map((time_s) => {
    const here = replies.filter(({ at_s }) => at_s > time_s - step_s && at_s <= time_s);
    return here.length === 0 ? null : here.reduce((sum, { rtt_ms }) => sum + rtt_ms, 0) / here.length;
  });
  const raw = replies.map(({ at_s, rtt_ms }) => ({ t: began_s + at_s, val: rtt_ms }));
  return { name, units: "ms", note: "UDP, trilane-flows", values, raw };
}

/** What flent computes of its own series: of the steps in which there is any. */
function combined(name: string, parts: readonly FlentSeries[], of: (values: number[]) => number): FlentSeries {
  const [first] = parts;
  const values = (first?.values ?? []).map((_, step) => {
    const here = parts.map((part) => part.values[step]).filter((value) => typeof value === "number");
    return here.length === 0 ? null : of(here);
  });
  return { name, units: "Mbits/s", note: "computed from the others", values, raw: [] };
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const meanOf = (values: readonly number[]): number => sumOf(values) / values.length;

function testOf(down: number, up: number): { test: string; suffix: string } {
  if (up === 0) return { test: "tcp_ndown", suffix: "" };
  return down === 0 ? { test: "tcp_nup", suffix: "" } : { test: "rrul_be_nflows", suffix: " BE" };
}

/** The document; `flentFile` has it as flent's file. */
export function flentDocument({ run, mix, link, started_at, version, records }: FlentRun): object {
  const { flows } = records.run;
  const [down, up] = [
    flows.filter(({ direction }) => direction === "down").length,
    flows.filter(({ direction }) => direction === "up").length,
  ];
  const { test, suffix } = testOf(down, up);
  const began = new Date(started_at);
  const began_s = began.getTime() / 1000;
  const length_s = (records.near.end_ns - records.start_ns) / 1e9;
  const times_s = Array.from({ length: Math.floor(length_s / step_s) }, (_, step) => (step + 1) * step_s);
  const counted = { down: 0, up: 0 };
  const ofFlows = flows.map(({ direction }, flow) => {
    counted[direction] += 1;
    const name = `TCP ${direction}load${suffix}::${counted[direction]}`;
    return { direction, series: flowSeries(records, flow, name, times_s, began_s) };
  });
  const totals = (["down", "up"] as const).flatMap((direction) => {
    const parts = ofFlows.filter((flow) => flow.direction === direction).map(({ series }) => series);
    if (parts.length === 0) return [];
    return [combined(`TCP ${direction}load sum`, parts, sumOf), combined(`TCP ${direction}load avg`, parts, meanOf)];
  });
  const pings =
    records.near.ping === null
      ? []
      : ["Ping (ms) ICMP", ...(suffix ? ["Ping (ms) avg"] : [])].map((name) =>
          pingSeries(records, name, times_s, began_s),
        );
  const all = [...ofFlows.map(({ series }) => series), ...totals, ...pings];
  const meanValue = (values: readonly (number | null)[]): number | null => {
    const there = values.filter((value) => value !== null);
    return there.length === 0 ? null : meanOf(there);
  };
  return {
    metadata: {
      NAME: test,
      TITLE: `${mix}, ${link}, run ${run}`,
      NOTE: ofFlows.map(({ series }) => `${series.name} is ${series.note}`).join("; "),
      ...{ TIME: began.toISOString(), T0: began.toISOString() },
      ...{ HOST: "far", HOSTS: ["far"], LOCAL_HOST: "near", IP_VERSION: 4 },
      ...{ LENGTH: Math.round(length_s), TOTAL_LENGTH: Math.round(length_s), STEP_SIZE: step_s },
      TEST_PARAMETERS: { download_streams: String(down), upload_streams: String(up) },
      FLENT_VERSION: `trilane-${version}`,
      SERIES_META: Object.fromEntries(
        all.map(({ name, units, note, values }) => [name, { UNITS: units, NOTE: note, MEAN_VALUE: meanValue(values) }]),
      ),
    },
    version: formatVersion,
    x_values: times_s.map((time_s) => Number(time_s.toFixed(3))),
    results: Object.fromEntries(all.map(({ name, values }) => [name, values])),
    raw_values: Object.fromEntries(all.map(({ name, raw }) => [name, raw])),
  };
}

/** Its name has to end in this, or flent does not open it. */
export const flentEnding = ".flent.gz";

export const flentFile = (run: FlentRun): Buffer => gzipSync(JSON.stringify(flentDocument(run)));

/** A name for the file: of the mix, the link and the run. */
export function flentName({ run, mix, link }: Pick<FlentRun, "run" | "mix" | "link">): string {
  const words = `${mix} ${link}`.replaceAll(/[^A-Za-z0-9.]+/g, "-").slice(0, 150);
  return `${words}-run-${run}${flentEnding}`;
}
