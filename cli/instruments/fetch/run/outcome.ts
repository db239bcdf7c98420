// What a finished plan of fetches says in the terminal: a table by lane, no wider than 80 columns. Pure; summaries in, text out.
import type { FetchMetricSummary, FetchSummary } from "../../../../schemas/generated/sweep_event.ts";
import { tablesByLink, textTable } from "../../../base/text_table.ts";
import { type FetchMetric, metrics } from "../../../registry/metrics.ts";
import { columnText } from "../../../registry/units.ts";
import { isPlainTcp } from "../metrics/fetched.ts";

interface Column {
  readonly title: string;
  readonly name: FetchMetric;
}

const columns: readonly Column[] = [
  { title: "connect", name: "connect_ms" },
  { title: "TLS", name: "tls_ms" },
  { title: "1st byte", name: "first_byte_ms" },
  { title: "download", name: "download_ms" },
  { title: "Mbit/s", name: "throughput_bps" },
];

/** The name that distinguishes the rows of a table. */
function rowName({ lane, tls, ip }: FetchSummary, all: readonly FetchSummary[]): string {
  const overTcp = all.filter((each) => isPlainTcp(each.lane));
  const withTls = overTcp.some((each) => each.tls !== "1.3") && isPlainTcp(lane);
  const withIp = new Set(all.map((each) => each.ip)).size > 1;
  return `${lane}${withTls ? ` ${tls}` : ""}${withIp ? ` v${ip}` : ""}`;
}

const figuresOf = ({ name }: Column, value: number): string => columnText(value, metrics.fetch[name].unit);

const cell = (column: Column, summary: FetchMetricSummary | undefined): string =>
  summary?.median == null ? "-" : figuresOf(column, summary.median);

function range(column: Column, summary: FetchMetricSummary | undefined): string {
  if (summary?.low == null || summary.high == null) return "";
  return `${figuresOf(column, summary.low)}-${figuresOf(column, summary.high)}`;
}

function rowsOf(summary: FetchSummary, all: readonly FetchSummary[]): string[][] {
  const { metrics, valid, failed } = summary;
  const medians = columns.map((column) => cell(column, metrics[column.name]));
  const ranges = columns.map((column) => range(column, metrics[column.name]));
  const first = [rowName(summary, all), ...medians, String(valid), String(failed)];
  return ranges.every((text) => text === "") ? [first] : [first, ["  95 %", ...ranges, "", ""]];
}

function tableOf(summaries: readonly FetchSummary[]): string[] {
  const head = ["ms", ...columns.map(({ title }) => title), "n", "failed"];
  return textTable([head, ...summaries.flatMap((summary) => rowsOf(summary, summaries))]);
}

/** Medians, and below each its 95 % interval; a table for each link. */
export const fetchTable = (summaries: readonly FetchSummary[]): string[] => tablesByLink(summaries, tableOf);
