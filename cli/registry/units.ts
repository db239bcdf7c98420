// The units of all that is measured, and the one text of a value in each: three significant figures, the same digits in a sentence, a
// table, a figure and the terminal. Rounds for display only.
import type { Interval } from "../base/interval.ts";
import { count, formatSize, formatTime, formatTimeRange } from "../base/numbers.ts";

/** `times`: how often, of whatever it is; `ratio`: of two alike, as a share. */
export type Unit = "ms" | "us" | "bit/s" | "bytes" | "packets" | "moves" | "times" | "ratio";

/** Three significant figures, without zeros at the end: `3.1`. */
export const figures = (value: number): string => String(Number(value.toPrecision(3)));

/** `4.71 Mbit/s`. */
export function formatRate(rate_bps: number): string {
  if (rate_bps >= 999.5e6) return `${figures(rate_bps / 1e9)} Gbit/s`;
  if (rate_bps >= 999.5e3 || rate_bps === 0) return `${figures(rate_bps / 1e6)} Mbit/s`;
  return rate_bps >= 999.5 ? `${figures(rate_bps / 1e3)} kbit/s` : `${figures(rate_bps)} bit/s`;
}

/** `1200`, `3.12 million`. */
function timesText(value: number): string {
  if (value >= 999.5e6) return `${figures(value / 1e9)} billion`;
  return value >= 999.5e3 ? `${figures(value / 1e6)} million` : figures(value);
}

const texts: Readonly<Record<Unit, (value: number) => string>> = {
  ms: formatTime,
  us: (time_us) => `${figures(time_us)} µs`,
  "bit/s": formatRate,
  bytes: (size_bytes) => formatSize(Math.round(size_bytes)),
  packets: (packets) => `${Math.round(packets)} packets`,
  moves: (moves) => count(Math.round(moves), "move"),
  times: timesText,
  ratio: figures,
};

/** `4.71 Mbit/s`, `30 kB`, `52.4 ms`, `0.982`. */
export const formatValue = (value: number, unit: Unit): string => texts[unit](value);

/** `2.95 to 3.22 Mbit/s`: the unit once if both ends have the same. Empty if they read alike: such a range says no more than its number. */
export function formatRange(range: Interval, unit: Unit): string {
  const [low, high] = [formatValue(range.low, unit), formatValue(range.high, unit)];
  if (low === high) return "";
  if (unit === "ms") return formatTimeRange(range);
  const [lowUnit, highUnit] = [low, high].map((text) => text.split(" ").slice(1).join(" "));
  return `${lowUnit === highUnit ? low.split(" ")[0] : low} to ${high}`;
}

/** What an axis or a column counts in. */
export const axisUnits: Readonly<Record<Unit, { readonly per: number; readonly name: string }>> = {
  ms: { per: 1, name: "ms" },
  us: { per: 1, name: "µs" },
  "bit/s": { per: 1e6, name: "Mbit/s" },
  bytes: { per: 1000, name: "kB" },
  packets: { per: 1, name: "packets" },
  moves: { per: 1, name: "moves" },
  times: { per: 1, name: "" },
  ratio: { per: 1, name: "ratio" },
};

/** The same figures in a column whose head names the axis' unit: `3.1`; times from ten seconds on with their own, `12.3s`. */
export function columnText(value: number, unit: Unit): string {
  const { per, name } = axisUnits[unit];
  const [amount = "", own] = formatValue(value, unit).split(" ");
  if (own === undefined || own === name) return amount;
  return unit === "ms" ? `${amount}${own}` : String(Number(Number((value / per).toPrecision(3)).toFixed(3)));
}
