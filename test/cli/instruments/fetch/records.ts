// Records of fetches that are made up for tests: an object that came over h2 in round times.

import type { StoredFetch } from "../../../../cli/instruments/fetch/store/fetch_runs.ts";
import type { FetchRecord } from "../../../../schemas/generated/fetch_record.ts";

export function fetchRecord(changed: Partial<FetchRecord> = {}): FetchRecord {
  return {
    schema: "trilane/fetch-record/1",
    url: "https://shop.example/",
    final_url: "https://shop.example/",
    lane: "h2",
    tls: "1.3",
    ip: 4,
    start_ns: 1e9,
    address: "192.0.2.7",
    port: 443,
    alpn: "h2",
    tls_version: "1.3",
    http_version: "2",
    status: 200,
    dns_ms: 10,
    connect_ms: 50,
    tls_ms: 50,
    established_ms: 100,
    first_byte_ms: 150,
    download_ms: 200,
    body_bytes: 200_000,
    body_sha256: null,
    bytes_received: 210_000,
    bytes_sent: 900,
    rtt_smoothed_ms: 50,
    rtt_min_ms: 50,
    segments_retransmitted: 0,
    packets_lost: null,
    certificate_bytes: 1500,
    early_data: "unused",
    resumed: false,
    reused: false,
    redirects: 0,
    location: null,
    alt_svc: null,
    https_record: { state: "absent", reason: null, lookup_ms: 1, records: [] },
    cpu_user_us: 900,
    cpu_system_us: 400,
    context_switches_voluntary: 9,
    context_switches_involuntary: 0,
    cycles: null,
    error: null,
    unavailable: { packets_lost: "TCP counts segments" },
    ...changed,
  };
}

let number = 0;

export function storedFetch(
  changed: Partial<Omit<StoredFetch, "record">> & { readonly record?: Partial<FetchRecord> | null } = {},
): StoredFetch {
  const { record, object = "https://shop.example/", ...rest } = changed;
  number += 1;
  return {
    id: number,
    cell: 1,
    object,
    lane: "h2",
    tls: "1.3",
    ip: 4,
    link: null,
    block: 0,
    attempt: 0,
    position: 0,
    status: "valid",
    reasons: [],
    started_at: "2026-01-01T00:00:00.000Z",
    wall_ms: 250,
    cost: null,
    ...rest,
    record: record === null ? null : fetchRecord({ url: object, final_url: object, ...record }),
  };
}
