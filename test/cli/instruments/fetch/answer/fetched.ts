// Fetches as the results have them, made of the schema's example and of what a test says of each.

import { bareLane, type Fetched } from "../../../../../cli/instruments/fetch/metrics/fetched.ts";
import example from "../../../../../schemas/examples/fetch-record/h2.json" with { type: "json" };
import type { FetchRecord } from "../../../../../schemas/generated/fetch_record.ts";

export type Changes = Partial<Omit<Fetched, "record">> & { readonly record?: Partial<FetchRecord> };

export function fetchedOf({ record = {}, ...changes }: Changes = {}): Fetched {
  const { object = "https://shop.example/", lane = "h2", tls = "1.3", ip = 4, block = 0 } = changes;
  const { link = "50mbit/20ms", cost = null } = changes;
  const own = { ...(example as FetchRecord), url: object, final_url: object, lane: bareLane(lane), tls, ip, ...record };
  return { object, link, lane, tls, ip, block, cost, record: own };
}

/** One over h2 and one over h3 of the same block, with their download times. */
export const pairOf = (object: string, block: number, h2_ms: number, h3_ms: number, tls: "1.2" | "1.3" = "1.3") => [
  fetchedOf({ object, block, lane: "h2", tls, record: { download_ms: h2_ms } }),
  fetchedOf({ object, block, lane: "h3", record: { download_ms: h3_ms } }),
];

/** One that did not come. */
export function failedOf(changes: Changes, stage: "connect" | "dns" | "timeout", reason: string): Fetched {
  const none = { connect_ms: null, established_ms: null, first_byte_ms: null, download_ms: null, body_bytes: null };
  const unavailable = Object.fromEntries(Object.keys(none).map((name) => [name, reason]));
  return fetchedOf({
    ...changes,
    record: {
      ...none,
      certificate_bytes: null,
      alt_svc: null,
      error: { stage, reason },
      unavailable,
      ...changes.record,
    },
  });
}
