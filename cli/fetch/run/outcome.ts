// What a finished plan of fetches says in the terminal: a table by lane, no wider than 80 columns. Pure; summaries in, text out.
import type { FetchMetricSummary, FetchSummary } from "../../../schemas/generated/sweep_event.ts";
import { textTable } from "../../base/text_table.ts";
import type { FetchMetric } from "../metrics/fetch_metrics.ts";

interface Column {
  readonly title: string;
  readonly name: FetchMetric;
  /** How many of the unit shown are one of the metric's. */
  readonly scale: number;
}

const columns: readonly Column[] = [
  { title: "connect", name: "connect_ms", scale: 1 },
  { title: "TLS", name: "tls_ms", scale: 1 },
  { title: "1st byte", name: "first_byte_ms", scale: 1 },
  { title: "download", name: "download_ms", scale: 1 },
  { title: "Mbit/s", name: "throughput_bps", scale: 1e-6 },
];

/** Of links with a table each; more are in the export. */
const mostLinks = 12;

function figures(value: number): string {
  if (value >= 99_950) return value.toExponential(1).replace("e+", "e");
  return value >= 999.5 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

/** The name that tells the rows of a table apart. */
function rowName({ lane, tls, ip }: FetchSummary, all: readonly FetchSummary[]): string {
  const overTcp = all.filter((each) => each.lane === "h1" || each.lane === "h2");
  const withTls = overTcp.some((each) => each.tls !== "1.3") && (lane === "h1" || lane === "h2");
  const withIp = new Set(all.map((each) => each.ip)).size > 1;
  return `${lane}${withTls ? ` ${tls}` : ""}${withIp ? ` v${ip}` : ""}`;
}

const cell = ({ scale }: Column, summary: FetchMetricSummary | undefined): string =>
  summary?.median == null ? "-" : figures(summary.median * scale);

function range({ scale }: Column, summary: FetchMetricSummary | undefined): string {
  if (summary?.low == null || summary.high == null) return "";
  return `${figures(summary.low * scale)}-${figures(summary.high * scale)}`;
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
export function fetchTable(summaries: readonly FetchSummary[]): string[] {
  const byLink = [...Map.groupBy(summaries, ({ link }) => link)];
  const lines = byLink
    .slice(0, mostLinks)
    .flatMap(([link, of], place) => [
      ...(place > 0 ? [""] : []),
      ...(byLink.length > 1 && link !== null ? [link] : []),
      ...tableOf(of),
    ]);
  const hidden = byLink.length - mostLinks;
  return hidden > 0 ? [...lines, "", `and ${hidden} more links, see \`trilane export\``] : lines;
}
