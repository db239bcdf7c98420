// A run's records as they are stored: thinned, so that an hour of a hundred flows is not gigabytes, and packed into one gzip blob.
// What was counted in total stays exact; only the series are thinned. Pure.
import { gunzipSync, gzipSync } from "node:zlib";
import { boundedJson } from "../../../base/bounded_json.ts";
import { RunError } from "../../../base/errors.ts";
import type { FlowAtLink, FlowRecords, FlowSamples } from "./flow_records.ts";
import type { BinSeries, SampleSeries, Series } from "./series.ts";

const schema = "trilane/flow-records/1";

/** Of each flow's series. */
const mostTicks = 2000;
/** Of all of a run's flows together, so that a run of a thousand flows stays below 40 MB. */
const mostTicksOfAll = 200_000;
const leastTicks = 50;

/** How many ticks each series of a run with so many flows keeps. */
export function keptTicks(flows: number): number {
  return Math.max(leastTicks, Math.min(mostTicks, Math.floor(mostTicksOfAll / flows)));
}

/** Every n-th sample, and the last one: each says what was at its moment. */
function thinSamples(series: SampleSeries, ticks: number): SampleSeries {
  const { length } = series.time_ms;
  if (length <= ticks) return series;
  const step = Math.ceil(length / ticks);
  const isKept = (index: number): boolean => (length - 1 - index) % step === 0;
  const columns = Object.entries(series).map(([name, values]) => [name, values.filter((_, index) => isKept(index))]);
  return Object.fromEntries(columns) as SampleSeries;
}

/** Bins joined by their times, n lengths of the original ones to a bin: what was counted is summed, a peak stays the highest. */
function thinBins(series: BinSeries, ticks: number): BinSeries {
  const { time_ms } = series;
  if (time_ms.length <= ticks) return series;
  const first_ms = time_ms[0] ?? 0;
  const span_ms = ((time_ms.at(-1) ?? 0) - first_ms) * (1 + 1e-9);
  const starts: number[] = [];
  const places = [...time_ms].map((at_ms) => Math.floor(((at_ms - first_ms) / span_ms) * ticks));
  for (const [index, place] of places.entries()) if (place !== places[index - 1]) starts.push(index);
  const joined = (values: Float64Array, join: (a: number, b: number) => number): Float64Array =>
    Float64Array.from(starts, (start, bin) => values.subarray(start, starts[bin + 1] ?? values.length).reduce(join));
  const columns = Object.entries(series).map(([name, values]) => {
    if (name === "time_ms") return [name, Float64Array.from(starts, (start) => values[start] ?? Number.NaN)];
    return [name, joined(values, name === "queue_peak_bytes" ? (a, b) => Math.max(a, b) : (a, b) => a + b)];
  });
  return Object.fromEntries(columns) as BinSeries;
}

/** Each series with at most keptTicks. Reports and counters stay whole. */
export function thinnedRecords(records: FlowRecords): FlowRecords {
  const ticks = keptTicks(records.run.flows.length);
  const samples = records.samples.map(({ sender, receiver }) => ({
    sender: thinSamples(sender, ticks),
    receiver: thinSamples(receiver, ticks),
  }));
  const bins = records.bins.map((bin) => ({ ...bin, down: thinBins(bin.down, ticks), up: thinBins(bin.up, ticks) }));
  return { ...records, samples, bins };
}

/** Columns of numbers behind one another, and where each of them lies: [first number, length]. */
class Columns {
  readonly #columns: Float64Array[] = [];
  #length = 0;

  add(series: Series<string>): Record<string, [number, number]> {
    const places = Object.entries(series).map(([name, values]): [string, [number, number]] => {
      const at = this.#length;
      this.#columns.push(values);
      this.#length += values.length;
      return [name, [at, values.length]];
    });
    return Object.fromEntries(places);
  }

  /** Little-endian float64. */
  bytes(): Buffer {
    const bytes = Buffer.alloc(this.#length * 8);
    let at = 0;
    for (const column of this.#columns) for (const value of column) at = bytes.writeDoubleLE(value, at);
    return bytes;
  }
}

/** gzip of a line of JSON and, behind it, the series' columns. The caller thins first. */
export function packRecords(records: FlowRecords): Buffer {
  const columns = new Columns();
  const samples = records.samples.map(({ sender, receiver }) => ({
    sender: columns.add(sender),
    receiver: columns.add(receiver),
  }));
  const bins = records.bins.map(({ counted, down, up }) => ({ counted, down: columns.add(down), up: columns.add(up) }));
  const head = JSON.stringify({ schema, ...records, samples, bins });
  return gzipSync(Buffer.concat([Buffer.from(`${head}\n`), columns.bytes()]));
}

type Places = Record<string, [number, number]>;

interface PackedHead extends Omit<FlowRecords, "samples" | "bins"> {
  readonly schema: string;
  readonly samples: { readonly sender: Places; readonly receiver: Places }[];
  /** One place or none: of before flows could have several. */
  readonly bins: { readonly counted: readonly number[] | number | null; readonly down: Places; readonly up: Places }[];
}

/** Beyond `freely_bytes` it may unpack to as many times its size: results may be a stranger's. SECURITY.md lists these. */
const [mostRatio, freely_bytes] = [50, 64_000_000];

/** What packRecords packed. RunError, naming `source`, where it is nothing of the kind. */
export function unpackRecords(blob: Uint8Array, source: string): FlowRecords {
  try {
    return unpacked(blob);
  } catch {
    throw new RunError(`${source}: its stored series cannot be read: remove its sweep, or run it again`);
  }
}

/** Throws for whatever is not as packRecords packs it. */
function unpacked(blob: Uint8Array): FlowRecords {
  const bytes = gunzipSync(blob, { maxOutputLength: Math.max(freely_bytes, mostRatio * blob.length) });
  const end = bytes.indexOf(0x0a);
  const { schema: found, ...head } = boundedJson(bytes.subarray(0, Math.max(0, end))) as PackedHead;
  if (found !== schema) throw new RangeError("of another kind");
  // Each number stands in one series: many of the same ones would take more memory than the file has.
  let left = (bytes.length - end - 1) / 8;
  const read = <Read>(places: Places): Read =>
    Object.fromEntries(
      Object.entries(places).map(([name, [at, length]]) => {
        left -= length;
        if (!(length >= 0 && left >= 0)) throw new RangeError("more numbers than there are");
        return [name, Float64Array.from({ length }, (_, index) => bytes.readDoubleLE(end + 1 + (at + index) * 8))];
      }),
    ) as Read;
  const samples = head.samples.map(
    ({ sender, receiver }): FlowSamples => ({ sender: read(sender), receiver: read(receiver) }),
  );
  const bins = head.bins.map(
    ({ counted, down, up }): FlowAtLink => ({ counted: [counted ?? []].flat(), down: read(down), up: read(up) }),
  );
  return { ...head, samples, bins };
}
