// Records of fetches that are made up for tests: an object that came over h2 in round times.

import type { StoredFetch } from "../../../../cli/instruments/fetch/store/fetch_runs.ts";
import type { FetchRecord } from "../../../../schemas/generated/fetch_record.ts";
import { examplesOf } from "../../../schemas/mutations.ts";

const example = examplesOf("fetch-record").get("h2") as unknown as FetchRecord;

/** The example of the schema, in round times and of round sizes. */
export function fetchRecord(changed: Partial<FetchRecord> = {}): FetchRecord {
  return {
    ...example,
    ...{ dns_ms: 10, connect_ms: 50, tls_ms: 50, established_ms: 100, first_byte_ms: 150, download_ms: 200 },
    ...{ body_bytes: 200_000, body_sha256: null, bytes_received: 210_000, bytes_sent: 900, certificate_bytes: 1500 },
    ...{ rtt_smoothed_ms: 50, rtt_min_ms: 50, cycles: null, alt_svc: null },
    https_record: { state: "absent", reason: null, lookup_ms: 1, records: [] },
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
