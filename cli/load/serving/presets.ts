// Named settings of the transports. Pure data.
import type { Transport } from "./serving.ts";

export type TransportPreset = Exclude<Transport["preset"], "custom">;

type Settings = Omit<Transport, "preset">;

const stock: Settings = {
  tcp: {
    congestion_control: "cubic",
    initial_window_packets: 10,
    pacing: false,
    slow_start_after_idle: true,
    bounds_unsent: true,
    send_buffer_bytes: null,
    receive_buffer_bytes: null,
  },
  quic: {
    congestion_control: "cubic",
    initial_window_packets: 10,
    pacing: true,
    max_udp_payload_bytes: 1350,
    max_ack_delay_ms: 25,
    batching: "gso",
    send_buffer_bytes: null,
    receive_buffer_bytes: null,
  },
};

/**
 * Tuned as Wolsing et al. (2019) tune TCP, so that it is not compared with what only QUIC has: pacing, a window that is
 * kept over pauses, and an initial window of 32 packets, here for both.
 */
const tuned: Settings = {
  tcp: { ...stock.tcp, initial_window_packets: 32, pacing: true, slow_start_after_idle: false },
  quic: { ...stock.quic, initial_window_packets: 32 },
};

export const presets: Readonly<Record<TransportPreset, Settings>> = { stock, tuned };
