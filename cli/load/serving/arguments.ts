// A serving as options of trilane-replay. Only what differs from the program's own defaults is said, so that the command
// lines in reports stay short. Pure.
import { type Serving, stockServing, type Transport } from "./serving.ts";

const tlsArguments: Readonly<Record<Serving["tls"], readonly string[]>> = {
  both: [],
  "1.2": ["--tls-max", "1.2"],
  "1.3": ["--tls-min", "1.3"],
};

function thinkText(think: Serving["think"]): string {
  return typeof think === "string" ? think : String(think.ms);
}

function chainText(chain: Serving["chain"]): string {
  return typeof chain === "string" ? chain : String(chain.bytes);
}

const onOff = (on: boolean): string => (on ? "on" : "off");

/** Option names of each setting of a transport, and its value as text; null: there is nothing to say. */
function transportSettings({ tcp, quic }: Transport): [option: string, value: string | null][] {
  const size = (bytes: number | null): string | null => (bytes === null ? null : String(bytes));
  return [
    ["--tcp-congestion", tcp.congestion_control],
    ["--tcp-initcwnd", String(tcp.initial_window_packets)],
    ["--tcp-pacing", onOff(tcp.pacing)],
    ["--tcp-slow-start-after-idle", onOff(tcp.slow_start_after_idle)],
    ["--tcp-bounds-unsent", onOff(tcp.bounds_unsent)],
    ["--tcp-send-buffer", size(tcp.send_buffer_bytes)],
    ["--tcp-receive-buffer", size(tcp.receive_buffer_bytes)],
    ["--quic-congestion", quic.congestion_control],
    ["--quic-initcwnd", String(quic.initial_window_packets)],
    ["--quic-pacing", onOff(quic.pacing)],
    ["--quic-payload", String(quic.max_udp_payload_bytes)],
    ["--quic-max-ack-delay", String(quic.max_ack_delay_ms)],
    ["--quic-batching", quic.batching],
    ["--quic-send-buffer", size(quic.send_buffer_bytes)],
    ["--quic-receive-buffer", size(quic.receive_buffer_bytes)],
  ];
}

export function servingArguments(serving: Serving): string[] {
  const stock = new Map(transportSettings(stockServing.transport));
  const transport = transportSettings(serving.transport).flatMap(([option, value]) =>
    value === null || value === stock.get(option) ? [] : [option, value],
  );
  return [
    ...(serving.origins === stockServing.origins ? [] : ["--origins", serving.origins]),
    ...(serving.think === "none" ? [] : ["--think", thinkText(serving.think)]),
    ...(serving.chain === "recorded" ? [] : ["--chain", chainText(serving.chain)]),
    ...tlsArguments[serving.tls],
    ...transport,
  ];
}
