// What each host's connections and first bytes took, by protocol, as a table. Timings in, columns out.
import { count, formatTime } from "../../../cli/base/numbers.ts";
import { type HostTimings, hostTimings, type TimingName } from "../../capture/host_timings.ts";
import { html } from "../../figures/markup.ts";
import { shadeClass } from "../../figures/share_colours.ts";
import type { Profile } from "../../history/records.ts";
import type { Column, SortableTable } from "./sortable.ts";

const why =
  (name: TimingName) =>
  ({ unavailable }: HostTimings): string =>
    unavailable[name] ?? "not known";

type Duration = "dns_ms" | "connect_ms" | "tls_ms" | "first_byte_ms" | "reused_first_byte_ms";

const duration = (name: Duration, title: string, meaning: string): Column<HostTimings> => ({
  title,
  meaning,
  isNumber: true,
  value: (row) => row[name],
  cell: (row) => formatTime(row[name] ?? 0),
  why: why(name),
});

const isH3 = ({ protocol }: HostTimings): boolean => protocol !== null && /^h3/.test(protocol);

function h3Words(row: HostTimings): string {
  if (isH3(row)) return "used";
  return row.h3_offered ? "offered, not used" : "not offered";
}

const columns: readonly Column<HostTimings>[] = [
  { title: "host", value: ({ host }) => host, cell: ({ host }) => host },
  {
    title: "protocol",
    meaning: "as negotiated (ALPN)",
    value: ({ protocol }) => protocol,
    cell: ({ protocol }) => html`<i class="chip ${shadeClass(protocol ?? "none")}"></i>${protocol}`,
    why: why("protocol"),
  },
  duration("connect_ms", "connect", "TCP: until it was connected. QUIC: its whole handshake, TLS included"),
  duration("tls_ms", "TLS", "the handshake over TCP, after connect"),
  duration("first_byte_ms", "first byte, new", "on a new connection: from its start to the response's headers"),
  duration(
    "reused_first_byte_ms",
    "first byte, open",
    "on an open connection: from the request to the response's headers",
  ),
  duration("dns_ms", "DNS", "name lookup"),
  {
    title: "HTTP/3",
    meaning: "offered by Alt-Svc, or known to the browser from an earlier answer or DNS",
    value: (row) => (isH3(row) || row.h3_offered !== null ? h3Words(row) : null),
    cell: h3Words,
    why: why("h3_offered"),
  },
  { title: "IP", meaning: "IP version", value: ({ ip }) => ip, cell: ({ ip }) => `IPv${ip}`, why: why("ip") },
  {
    title: "TLS version",
    meaning: "QUIC always has 1.3",
    value: ({ tls_version }) => tls_version,
    cell: ({ tls_version }) => tls_version,
    why: why("tls_version"),
  },
  { title: "requests", isNumber: true, value: ({ requests }) => requests, cell: ({ requests }) => String(requests) },
  {
    title: "connections",
    meaning: "that its requests used; of these, opened while they were watched",
    isNumber: true,
    value: ({ connections }) => connections,
    cell: ({ connections, opened }) => `${connections}${opened === connections ? "" : `, ${opened} new`}`,
    why: why("connections"),
  },
];

/** Few enough to be read; the rest is one click away. */
const rowsShown = 8;

export function hostsTable({ log }: Profile): SortableTable<HostTimings> {
  const rows = hostTimings(log.entries).toSorted((a, b) => b.requests - a.requests);
  const unused = new Set(rows.filter((row) => !isH3(row) && row.h3_offered).map(({ host }) => host));
  return {
    name: "hosts",
    label: "Connections and first bytes by host and protocol",
    caption: html`${unused.size > 0 && html`<b>${count(unused.size, "host")} offered HTTP/3, and not all requests used it.</b> `}Medians. First byte: to the response's headers, from the start of a new connection (which includes connect and TLS) or from the request on an open one. Connections that the browser began before a request needed them have no times.`,
    columns,
    rows,
    sorted: { column: columns.findIndex(({ title }) => title === "requests"), descending: true },
    shown: rowsShown,
  };
}
