// A metric of flows as people read it: three significant figures, and its unit. Rounds for display only.
import { count, formatSize } from "../../base/numbers.ts";
import type { FlowMetricFacts } from "./measured.ts";

const figures = (value: number): string => String(Number(value.toPrecision(3)));

function rateText(rate_bps: number): string {
  if (rate_bps >= 999.5e6) return `${figures(rate_bps / 1e9)} Gbit/s`;
  if (rate_bps >= 999.5e3) return `${figures(rate_bps / 1e6)} Mbit/s`;
  return rate_bps >= 999.5 ? `${figures(rate_bps / 1e3)} kbit/s` : `${figures(rate_bps)} bit/s`;
}

/** `4.71 Mbit/s`, `30 kB`, `52.4 ms`, `0.982`. */
export function metricText(value: number, unit: FlowMetricFacts["unit"]): string {
  switch (unit) {
    case "bit/s":
      return rateText(value);
    case "bytes":
      return formatSize(Math.round(value));
    case "ms":
      return value >= 9995 ? `${figures(value / 1000)} s` : `${figures(value)} ms`;
    case "packets":
      return `${Math.round(value)} packets`;
    case "moves":
      return count(Math.round(value), "move");
    case "ratio":
      return figures(value);
  }
}
