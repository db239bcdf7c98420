// A running link drawn in text, for each direction: the rate as an area under what the link carries, the queue as
// another below it, and a mark wherever packets were dropped. Pure: looks in, lines out.
import { count, formatSize } from "../../base/numbers.ts";
import { formatRate } from "../../registry/units.ts";
import { type Look, queueText, type Side } from "./samples.ts";

interface PlotSize {
  readonly columns: number;
  readonly rows: number;
}

/** Paints a piece of text, or leaves it. */
export type Paint = (what: "rate" | "queue" | "drops" | "faint", text: string) => string;

const eighths = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const axisWidth = 13;
const directions: readonly Side[] = ["down", "up"];

/** How many looks a plot of this width shows. */
export function plotted(columns: number): number {
  return Math.max(1, columns - axisWidth - 1);
}

/** Rows, top first, of an area chart of values from 0 to max. Anything above 0 shows. */
function area(values: readonly number[], max: number, rows: number): string[] {
  const heights = values.map((value) => {
    if (value <= 0 || max <= 0) return 0;
    return Math.max(1, Math.round((Math.min(value, max) / max) * rows * 8));
  });
  return Array.from({ length: rows }, (_, row) => {
    const below = (rows - 1 - row) * 8;
    return heights.map((height) => eighths[Math.min(8, Math.max(0, height - below))]).join("");
  });
}

/** An axis: its highest value at the top row, 0 at the lowest. */
function withAxis(rows: readonly string[], max: string, paint: (text: string) => string, faint: Paint): string[] {
  return rows.map((row, index) => {
    const label = index === 0 ? max : index === rows.length - 1 ? "0" : "";
    return `${faint("faint", `${label.padStart(axisWidth - 2)} ┤`)}${paint(row)}`;
  });
}

function dropMark(drops: number): string {
  if (drops <= 0) return " ";
  return drops < 10 ? String(drops) : "+";
}

/** `1 min 5 s`. */
function formatElapsed(time_ns: number): string {
  const seconds = Math.floor(time_ns / 1e9);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function fitted(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, Math.max(0, columns - 1))}…`;
}

function directionLines(side: Side, looks: readonly Look[], size: PlotSize, paint: Paint): string[] {
  const shown = looks.slice(-plotted(size.columns));
  const last = shown.at(-1);
  if (!last) return [];
  const samples = shown.map((look) => look[side]);
  const limits = shown.flatMap((look) => look.limits[side] ?? []);
  // Two thirds of the rows that title and drops leave show the rate, which is what one looks at first.
  const chartRows = Math.max(2, Math.floor((size.rows - 2) / 2) - 2);
  const rateRows = Math.max(1, Math.ceil((chartRows * 2) / 3));
  const queueRows = Math.max(1, chartRows - rateRows);
  const maxRate_bps = Math.max(1000, ...limits, ...samples.map((sample) => sample.rate_bps));
  const maxQueue_bytes = Math.max(1500, ...samples.map((sample) => sample.queue_bytes));
  const limit = last.limits[side];
  const of = limit === null ? "unlimited" : `of ${formatRate(limit)}`;
  const title = `${side}  ${formatRate(last[side].rate_bps)} ${of}  ${queueText(last[side])}  ${count(last.dropped[side], "drop")}`;
  return [
    fitted(title, size.columns),
    ...withAxis(
      area(
        samples.map((sample) => sample.rate_bps),
        maxRate_bps,
        rateRows,
      ),
      formatRate(maxRate_bps),
      (text) => paint("rate", text),
      paint,
    ),
    ...withAxis(
      area(
        samples.map((sample) => sample.queue_bytes),
        maxQueue_bytes,
        queueRows,
      ),
      formatSize(maxQueue_bytes),
      (text) => paint("queue", text),
      paint,
    ),
    `${paint("faint", `${"drops".padStart(axisWidth - 2)}  `)}${paint("drops", samples.map(({ drops }) => dropMark(drops)).join(""))}`,
  ];
}

/** At most `rows` lines of at most `columns` characters (and their colours). */
export function plotLines(looks: readonly Look[], size: PlotSize, paint: Paint): string[] {
  const last = looks.at(-1);
  if (!last) return ["waiting for the link"];
  const steered = last.changes > 0 ? `, changed ${count(last.changes, "time")}` : "";
  const lines = [fitted(`${last.link}  ${formatElapsed(last.at_ns)}${steered}`, size.columns)];
  for (const side of directions) lines.push(...directionLines(side, looks, size, paint));
  return lines.slice(0, size.rows);
}
