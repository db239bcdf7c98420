// Fetches as CSV: a row for each attempt, those that failed too. The columns are documented here, once,
// for `trilane export --help`; metrics' are those of schemas/fetch-record.schema.json.

import type { FetchRecord } from "../../../../schemas/generated/fetch_record.ts";
import { type FetchMetric, metrics } from "../../../registry/metrics.ts";
import { columnMaker, csvTable } from "../../../results/export/csv_column.ts";
import { fetchMetricNames, metricOf } from "../metrics/fetch_metrics.ts";
import { reasonInWords } from "../metrics/fetched.ts";
import type { AutonomousSystems } from "../prefixes/read_prefixes.ts";
import type { StoredFetch } from "../store/fetch_runs.ts";

const column = columnMaker<[fetch: StoredFetch, record: FetchRecord | null, systems: AutonomousSystems | null]>();
const bit = (value: boolean | null | undefined): number | null => (value == null ? null : Number(value));

const ofFetch = [
  column("fetch_id", "number of the fetch in the results", ({ id }) => id),
  column("object", "its URL", ({ object }) => object),
  column("host", "of the URL, with its port", ({ object }) => URL.parse(object)?.host ?? null),
  column("lane", "h1, h2, h2-0rtt, h3 or h3-0rtt", ({ lane }) => lane),
  column("tls", "version of TLS that was asked for", ({ tls }) => tls),
  column("ip", "version of IP", ({ ip }) => ip),
  column("link", "the emulated link, short form; empty: the network as it was", ({ link }) => link),
  column("block", "repetition, from 0", ({ block }) => block),
  column("attempt", "try at this fetch, from 0", ({ attempt }) => attempt),
  column("position", "place in the planned order, from 0", ({ position }) => position),
  column("status", "valid, failed (it did not come) or invalid (the machine disturbed it)", ({ status }) => status),
  column("reasons", "why it is not valid; several are joined by |", (of) =>
    of.reasons.map((reason) => reasonInWords(reason, of)).join(" | "),
  ),
  column("started_at", "ISO 8601, UTC", ({ started_at }) => started_at),
  column("wall_ms", "the fetch's whole cost, lab and process included", ({ wall_ms }) => wall_ms),
  column("error_stage", "where it failed", (_, record) => record?.error?.stage ?? null),
  column("error_reason", "why", (of, record) => (record?.error ? reasonInWords(record.error.reason, of) : null)),
  column("final_url", "another one where a redirect was followed", (_, record) => record?.final_url ?? null),
  column("address", "of the server", (_, record) => record?.address ?? null),
  column("port", "of the server", (_, record) => record?.port ?? null),
  column("http_status", "of the response", (_, record) => record?.status ?? null),
  column("http_version", "of the response", (_, record) => record?.http_version ?? null),
  column("alpn", "as negotiated", (_, record) => record?.alpn ?? null),
  column("tls_version", "as negotiated", (_, record) => record?.tls_version ?? null),
  column("early_data", "accepted, rejected or unused", (_, record) => record?.early_data ?? null),
  column("resumed", "1: by a ticket", (_, record) => bit(record?.resumed)),
  column("redirects", "how many were followed", (_, record) => record?.redirects ?? null),
  column("body_sha256", "of the whole body", (_, record) => record?.body_sha256 ?? null),
  column("alt_svc", "of the response", (_, record) => record?.alt_svc ?? null),
  column("https_record", "present, absent, failed or not-asked", (_, record) => record?.https_record.state ?? null),
  column("https_record_alpn", "what the HTTPS records name, joined by spaces", (_, record) => {
    const records = record?.https_record.records ?? [];
    return records.length === 0 ? null : [...new Set(records.flatMap(({ alpn }) => alpn))].join(" ");
  }),
];

const ofMetric = (name: FetchMetric) =>
  column(name, metrics.fetch[name].meaning, (_, record) => (record === null ? null : metricOf(record, name)));

const ofSystem = [
  column("autonomous_system", "that announces the server's address, by --prefixes", (_, record, systems) =>
    record?.address ? (systems?.systemOf(record.address) ?? null) : null,
  ),
  column("autonomous_system_name", "its name, where that is known", (_, record, systems) => {
    const system = record?.address ? systems?.systemOf(record.address) : null;
    return system ? (systems?.nameOf(system) ?? null) : null;
  }),
];

const ofCost = [
  column(
    "server_cpu_user_us",
    "of a lab's server: CPU time while the connection was open",
    ({ cost }) => cost?.server?.cpu_user_us ?? null,
  ),
  column("server_cpu_system_us", "the same within the kernel", ({ cost }) => cost?.server?.cpu_system_us ?? null),
  column(
    "server_context_switches_voluntary",
    "of a lab's server",
    ({ cost }) => cost?.server?.context_switches_voluntary ?? null,
  ),
  column(
    "server_context_switches_involuntary",
    "of a lab's server",
    ({ cost }) => cost?.server?.context_switches_involuntary ?? null,
  ),
  column("server_cycles", "of a lab's server, where Linux counts them", ({ cost }) => cost?.server?.cycles ?? null),
  column("calls_counted", "1: strace counted system calls, and slowed the fetch", ({ cost }) =>
    Number(cost?.client_calls != null),
  ),
];

/** What `trilane export` writes a sweep of fetches as. */
export const fetchFormats = ["csv", "json"] as const;

/** New ones are appended, those of metrics by themselves: readers by place keep working. */
export const fetchColumns = [...ofFetch, ...fetchMetricNames.map(ofMetric), ...ofCost, ...ofSystem];

/** Lines with their ends, the header first. `systems`: of a file of prefixes. */
export const fetchCsvLines = (
  fetches: readonly StoredFetch[],
  systems: AutonomousSystems | null = null,
): Generator<string> =>
  csvTable(
    fetchColumns,
    fetches.map((fetch) => [fetch, fetch.record, systems] as const),
  );
