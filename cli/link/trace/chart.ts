// A trace's rate over time drawn in a terminal: a column of blocks is the mean of its share of the time, a light column
// behind it the greatest of the windows in it, a mark below it an outage. Text out; colour only if it is wanted.

import { opportunity_bits } from "../opportunities.ts";
import { formatLength } from "../trace_quantities.ts";
import type { Outage } from "./facts.ts";

interface ChartOptions {
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
  /** The light columns show the greatest rate over so long a time. */
  readonly window_ms: number;
}

interface Column {
  readonly mean_bps: number;
  readonly greatest_bps: number;
  readonly outage: boolean;
}

/** Width of the axis's numbers and its line. */
const margin = 7;
const eighths = ["", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const blue = "\x1b[34m";
const orange = "\x1b[33m";
const plain = "\x1b[0m";

/** A round number of Mbit/s about or above the greatest, and one whose half is short, too. */
function roundTop(greatest: number): number {
  if (greatest <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(greatest));
  const step = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].find((each) => each * power >= greatest * 0.98) ?? 10;
  return Number((step * power).toPrecision(3));
}

function columnsOf(times: Uint32Array, outages: Iterable<Outage>, columns: number, window_ms: number): Column[] {
  const length_ms = times.at(-1) ?? 0;
  const sums = new Float64Array(columns);
  const greatest = new Float64Array(columns);
  const off = new Array<boolean>(columns).fill(false);
  const columnOf = (time_ms: number): number => Math.min(columns - 1, Math.floor((time_ms * columns) / length_ms));
  // A window longer than a column would be drawn narrower than it is.
  const fits = window_ms <= length_ms / columns;
  const step_ms = fits ? window_ms : length_ms;
  let window = 0;
  let inWindow = 0;
  const close = (): void => {
    const column = columnOf(window * step_ms);
    greatest[column] = Math.max(greatest[column] ?? 0, inWindow);
  };
  for (const time_ms of times) {
    const column = columnOf(time_ms);
    sums[column] = (sums[column] ?? 0) + 1;
    const here = Math.floor(time_ms / step_ms);
    if (here !== window) {
      close();
      [window, inWindow] = [here, 0];
    }
    inWindow++;
  }
  close();
  for (const { start_ms, length_ms: lasts_ms } of outages)
    for (let column = columnOf(start_ms); column <= columnOf(start_ms + lasts_ms - 1); column++) off[column] = true;
  const perColumn = (opportunity_bits * 1000 * columns) / length_ms;
  const perWindow = fits ? (opportunity_bits * 1000) / step_ms : 0;
  return Array.from({ length: columns }, (_, index) => {
    const mean_bps = (sums[index] ?? 0) * perColumn;
    return {
      mean_bps,
      greatest_bps: Math.max(mean_bps, (greatest[index] ?? 0) * perWindow),
      outage: off[index] ?? false,
    };
  });
}

function cell({ mean_bps, greatest_bps }: Column, row: number, row_bps: number): "" | "light" | string {
  const filled = Math.round((mean_bps / row_bps - row) * 8);
  if (filled >= 1) return eighths[Math.min(8, filled)] ?? "█";
  return greatest_bps / row_bps - row >= 0.5 ? "light" : "";
}

function rowText(columns: readonly Column[], row: number, row_bps: number, colour: boolean): string {
  let text = "";
  for (const column of columns) {
    const drawn = cell(column, row, row_bps);
    text += drawn === "light" ? "░" : drawn === "" ? " " : drawn;
  }
  const trimmed = text.trimEnd();
  return colour && trimmed !== "" ? `${blue}${trimmed}${plain}` : trimmed;
}

const inMbit = (rate_bps: number): string => String(Number((rate_bps / 1e6).toPrecision(3)));

/** `0`, `20`, `40 s` under their places. */
function timeAxis(length_ms: number, columns: number): [string, string] {
  const length_s = length_ms / 1000;
  const raw = length_s / 6;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step_s = ([1, 2, 5, 10].find((each) => each * power >= raw) ?? 10) * power;
  const ticks = [...Array(Math.floor(length_s / step_s + 1e-9) + 1).keys()].map((index) => index * step_s);
  const line = new Array<string>(columns + 1).fill("─");
  const labels = new Array<string>(columns + 1 + margin).fill(" ");
  ticks.forEach((tick_s, index) => {
    const place = Math.min(columns, Math.round((tick_s / length_s) * columns));
    line[place] = index === 0 ? "┼" : "┬";
    const label = `${Number(tick_s.toPrecision(6))}${index === ticks.length - 1 ? " s" : ""}`;
    const from = Math.min(place + margin - 1 - Math.floor(label.length / 2), columns + margin - label.length);
    for (const [offset, letter] of [...label].entries()) labels[from + offset] = letter;
  });
  return [line.join(""), labels.join("").trimEnd()];
}

/** The chart's lines, none wider than the given columns. */
export function chartLines(times: Uint32Array, outages: Iterable<Outage>, options: ChartOptions): string[] {
  const { rows, colour } = options;
  const width = options.columns - margin - 1;
  const columns = columnsOf(times, outages, width, options.window_ms);
  const top_bps = roundTop(columns.reduce((most, column) => Math.max(most, column.greatest_bps), 0) / 1e6) * 1e6;
  const row_bps = top_bps / rows;
  const lines: string[] = [];
  for (let row = rows - 1; row >= 0; row--) {
    const label = row === rows - 1 ? inMbit(top_bps) : row === rows / 2 - 1 ? inMbit(top_bps / 2) : "";
    lines.push(`${label.padStart(margin - 2)} ${label === "" ? "│" : "┤"}${rowText(columns, row, row_bps, colour)}`);
  }
  const length_ms = times.at(-1) ?? 0;
  const [axis, labels] = timeAxis(length_ms, width);
  lines.push(`${"0".padStart(margin - 2)} ${axis}`);
  const outage = columns.some((column) => column.outage);
  if (outage) {
    const marks = columns
      .map((column) => (column.outage ? "×" : " "))
      .join("")
      .trimEnd();
    lines.push(`${" ".repeat(margin)}${colour ? `${orange}${marks}${plain}` : marks}`);
  }
  lines.push(labels);
  const greatest = columns.some((column) => column.greatest_bps > column.mean_bps);
  const legend = ["█ mean", greatest && `░ greatest ${formatLength(options.window_ms)}`, outage && "× outage"];
  lines.push(`${" ".repeat(margin)}${legend.filter((part) => part !== false).join("  ")}`);
  return lines;
}
