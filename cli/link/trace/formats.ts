// The formats that `trilane trace convert` reads, each turned into spans of a rate, and which of them a file is in.
// Mahimahi's own format is opportunities.ts's.
import { UserError } from "../../base/errors.ts";
import { readForeignJson } from "../../base/foreign_file.ts";
import { lineError, linesOf, quoted, type TextLine } from "../../base/text_lines.ts";
import { cellsOf, isHeader, numberIn, readColumns, type TableColumns } from "./columns.ts";
import type { RateSpan } from "./spans.ts";

export const sourceFormats = ["mahimahi", "csv", "pensieve", "bytes-log", "iperf3"] as const;
export type SourceFormat = (typeof sourceFormats)[number];

export const formatHelp: Readonly<Record<SourceFormat, string>> = {
  mahimahi: "a time in ms a line, each an opportunity of 1500 bytes",
  csv: "columns of time and rate with a header as time_s,rate_mbps; a rate holds until the next time",
  pensieve: "two columns without a header, seconds and Mbit/s; a rate holds from the time before to its own",
  "bytes-log": "Norway's 3G and Ghent's 4G logs: time, ms, place (2), bytes, ms that they took",
  iperf3: "what `iperf3 --json` printed: the rate of each interval",
};

function* dataLines(path: string): Generator<TextLine, void, undefined> {
  for (const line of linesOf(path)) if (line.text.trim() !== "" && !line.text.startsWith("#")) yield line;
}

/** Which format a file is in, by its first lines. @throws UserError if it is in no known one. */
export function detectFormat(path: string): SourceFormat {
  for (const { text, number } of dataLines(path)) {
    if (text.trimStart().startsWith("{")) return "iperf3";
    if (/^\d+$/.test(text.trim())) return "mahimahi";
    if (isHeader(text)) return "csv";
    const cells = cellsOf(text);
    if (cells.length === 2 && !/[,;]/.test(text)) return "pensieve";
    if (cells.length === 6 && !/[,;]/.test(text)) return "bytes-log";
    if (cells.length >= 2) return "csv";
    throw lineError(path, number, `${quoted(text)} begins no format that is known: name it with --from`);
  }
  throw new UserError(`${path}: holds no line`);
}

function* csvSpans(path: string, titles: string | undefined): Generator<RateSpan, void, undefined> {
  let columns: TableColumns | null = titles === undefined ? null : readColumns(titles.split(","), "trace: --columns");
  let first = 0;
  let before: { at_ms: number; rate_bps: number } | null = null;
  let lasted_ms = 0;
  for (const line of dataLines(path)) {
    if (before === null && isHeader(line.text)) {
      columns ??= readColumns(cellsOf(line.text), `${path}:${line.number}`);
      continue;
    }
    columns ??= readColumns([], `${path}:${line.number}`);
    const cells = cellsOf(line.text);
    const time_ms = numberIn(path, line, cells, columns.time, "time") * columns.timeUnit_ms;
    const rate_bps = numberIn(path, line, cells, columns.rate, "rate") * columns.rateUnit_bps;
    if (before === null) first = time_ms;
    const at_ms = time_ms - first;
    if (before !== null) {
      if (at_ms <= before.at_ms)
        throw lineError(path, line.number, "its time is not later than the one before it: sort the times, each once");
      lasted_ms = at_ms - before.at_ms;
      yield { start_ms: before.at_ms, end_ms: at_ms, rate_bps: before.rate_bps };
    }
    before = { at_ms, rate_bps };
  }
  if (before === null) throw new UserError(`${path}: holds no line with a time and a rate`);
  if (lasted_ms === 0) throw new UserError(`${path}: holds one time only: how long its rate lasts is not known`);
  // Nothing says how long the last one holds: as long as the one before it.
  yield { start_ms: before.at_ms, end_ms: before.at_ms + lasted_ms, rate_bps: before.rate_bps };
}

function* pensieveSpans(path: string): Generator<RateSpan, void, undefined> {
  let from_ms: number | null = null;
  let origin_ms = 0;
  for (const line of dataLines(path)) {
    const cells = cellsOf(line.text);
    const time_ms = numberIn(path, line, cells, 0, "time") * 1000;
    const rate_bps = numberIn(path, line, cells, 1, "rate") * 1e6;
    // As Pensieve's simulator has it: the first line is where time begins, and its rate is not used.
    if (from_ms === null) {
      [origin_ms, from_ms] = [time_ms, 0];
      continue;
    }
    const end_ms = time_ms - origin_ms;
    if (end_ms <= from_ms)
      throw lineError(path, line.number, "its time is not later than the one before it: sort the times, each once");
    yield { start_ms: from_ms, end_ms, rate_bps };
    from_ms = end_ms;
  }
  if (from_ms === null) throw new UserError(`${path}: holds no line with a time and a rate`);
}

function* bytesLogSpans(path: string): Generator<RateSpan, void, undefined> {
  let start_ms = 0;
  for (const line of dataLines(path)) {
    const cells = cellsOf(line.text);
    const bytes = numberIn(path, line, cells, 4, "number of bytes");
    const took_ms = numberIn(path, line, cells, 5, "time in ms");
    if (took_ms === 0) continue;
    yield { start_ms, end_ms: start_ms + took_ms, rate_bps: (bytes * 8 * 1000) / took_ms };
    start_ms += took_ms;
  }
}

function at(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[key] : undefined),
    value,
  );
}

function* iperf3Spans(path: string): Generator<RateSpan, void, undefined> {
  let document: unknown;
  try {
    document = readForeignJson(path);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UserError(`${path}: not JSON (${error.message})`);
  }
  const intervals = at(document, "intervals");
  if (!Array.isArray(intervals) || intervals.length === 0)
    throw new UserError(`${path}: has no "intervals": it is not what \`iperf3 --json\` prints`);
  let start_ms = 0;
  for (const [index, interval] of intervals.entries()) {
    const [seconds, rate_bps] = [at(interval, "sum", "seconds"), at(interval, "sum", "bits_per_second")];
    if (typeof seconds !== "number" || typeof rate_bps !== "number" || !(seconds > 0) || !(rate_bps >= 0))
      throw new UserError(`${path}: intervals[${index}].sum has no seconds and bits_per_second`);
    yield { start_ms, end_ms: start_ms + seconds * 1000, rate_bps };
    start_ms += seconds * 1000;
  }
}

/** A file's rate over time, from 0. Mahimahi's traces are not read here. */
export function spansIn(
  path: string,
  format: Exclude<SourceFormat, "mahimahi">,
  columns: string | undefined,
): Generator<RateSpan, void, undefined> {
  switch (format) {
    case "csv":
      return csvSpans(path, columns);
    case "pensieve":
      return pensieveSpans(path);
    case "bytes-log":
      return bytesLogSpans(path);
    case "iperf3":
      return iperf3Spans(path);
  }
}
