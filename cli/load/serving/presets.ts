// Named settings of the transports. Pure data.
import type { Transport } from "./serving.ts";
import { type Setting, settings } from "./settings.ts";

export type TransportPreset = Exclude<Transport["preset"], "custom">;

type Settings = Omit<Transport, "preset">;

const stockOf = (of: Setting["protocol"]): object =>
  Object.fromEntries(settings.filter(({ protocol }) => protocol === of).map(({ name, stock }) => [name, stock]));

const stock = { tcp: stockOf("tcp"), quic: stockOf("quic") } as Settings;

/**
 * Tuned as Wolsing et al. (2019) tune TCP, so that it is not compared with what only QUIC has: pacing, a window that is
 * kept over pauses, and an initial window of 32 packets, here for both.
 */
const tuned: Settings = {
  tcp: { ...stock.tcp, initial_window_packets: 32, pacing: true, slow_start_after_idle: false },
  quic: { ...stock.quic, initial_window_packets: 32 },
};

export const presets: Readonly<Record<TransportPreset, Settings>> = { stock, tuned };
