// What a reader sees of one request: its phases, protocol, connection's number, host and file. Reads HAR entries.
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import { type PhaseKey, phases } from "./colours.ts";

/** Phases in order; HAR's connect includes ssl. */
export function phasesOf(entry: HarEntry): { key: PhaseKey; start_ms: number; duration_ms: number }[] {
  const { timings } = entry;
  const durations: Record<PhaseKey, number> = {
    blocked: timings.blocked,
    dns: timings.dns,
    connect: timings.connect >= 0 ? timings.connect - Math.max(0, timings.ssl) : -1,
    ssl: timings.ssl,
    send: timings.send,
    wait: timings.wait,
    receive: timings.receive,
  };
  let start_ms = entry._trilane.startOffset_ms;
  return phases.flatMap(({ key }) => {
    const duration_ms = durations[key];
    if (!(duration_ms > 0)) return [];
    const phase = { key, start_ms, duration_ms };
    start_ms += duration_ms;
    return [phase];
  });
}

const shortProtocols: Readonly<Record<string, string>> = { "http/1.1": "h1", "http/1.0": "h1.0" };

export function protocolOf(entry: HarEntry): string {
  const protocol = entry._protocol ?? "";
  return shortProtocols[protocol] ?? (protocol || "none");
}

/** Connections are numbered in the order of their first request: ids of the browser mean nothing to a reader. */
export function connectionNumbers(entries: readonly HarEntry[]): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const entry of entries) {
    const id = entry._connectionId ?? entry.connection;
    if (id && id !== "0" && !numbers.has(id)) numbers.set(id, numbers.size + 1);
  }
  return numbers;
}

/** Host and file, or what there is of them. */
export function shortUrl(url: string): { host: string; file: string } {
  const parsed = URL.parse(url);
  if (!parsed?.host) return { host: "", file: url };
  const path = parsed.pathname.replace(/\/+$/, "");
  const file = path.slice(path.lastIndexOf("/") + 1) || "/";
  return { host: parsed.host, file: file + parsed.search };
}
