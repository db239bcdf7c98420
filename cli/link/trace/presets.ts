// Models of real networks by name. Means are the published ones; spread, memory and outages are rounded from traces that
// were recorded on these operators' networks (Winstein et al., NSDI 2013; windows of 1 s, times of 1 s and more without
// an opportunity), which have other means.
import type { CellularModel } from "./model.ts";

export interface Preset {
  readonly name: string;
  readonly summary: string;
  readonly down: CellularModel;
  readonly up: CellularModel;
}

const verizon = { spread: 0.6, memory_ms: 5_000, outageEvery_ms: 120_000, outageLength_ms: 1_200 };

export const presets: readonly Preset[] = [
  {
    name: "verizon-lte",
    summary: "19.1 Mbit/s down, 9.1 up; rate forgotten after 5 s, an outage every 2 minutes",
    down: { mean_bps: 19.1e6, ...verizon },
    up: { mean_bps: 9.1e6, ...verizon, spread: 0.5 },
  },
  {
    name: "att-lte",
    summary: "6.7 Mbit/s down, 1.1 up; rate forgotten after 10 to 20 s, an outage every minute, long ones up",
    down: { mean_bps: 6.7e6, spread: 0.55, memory_ms: 20_000, outageEvery_ms: 40_000, outageLength_ms: 1_000 },
    up: { mean_bps: 1.1e6, spread: 0.4, memory_ms: 10_000, outageEvery_ms: 60_000, outageLength_ms: 5_000 },
  },
];
