// Small page loads in data, for the tests of this folder: what a page's entry, the replay's record and the shaper's
// record look like when all is well. Each test spoils one thing.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { usualDevice } from "../../../cli/browser/device.ts";
import type { ReplayedRequest, ReplayReport, ShaperReport } from "../../../cli/load/reports.ts";
import type { Evidence } from "../../../cli/load/validity.ts";
import type { NotExpected, RecordedRequests } from "../../../cli/recording/archive/recorded_requests.ts";
import type { HarEntry } from "../../../schemas/generated/page_load.ts";
import { type EntryChange, harEntry } from "../../har_entry.ts";

export { harEntry as entry } from "../../har_entry.ts";

/** One that got no answer: it failed, was given up, or is under way. */
export function unanswered(url: string, { facts, response, ...change }: EntryChange = {}): HarEntry {
  const { _protocol, _connectionId, connection, ...fields } = harEntry(url, {
    ...change,
    response: { status: 0, _error: "net::ERR_FAILED", ...response },
    facts: { complete: false, response_ns: null, ...facts },
  });
  return fields;
}

function example<T>(schema: string, name: string): T {
  const path = join(import.meta.dirname, "..", "..", "..", "schemas", "examples", schema, name);
  return JSON.parse(readFileSync(path, "utf8")) as T;
}

/** The ids of the connections in replayReport. */
export const connectionOn = { "http/1.1": 0, h2: 1, h3: 2 } as const;
type Protocol = keyof typeof connectionOn;

export function replayed(url: string, outcome: ReplayedRequest["outcome"] = "exact", method = "GET"): ReplayedRequest {
  return {
    ...{
      connection: connectionOn.h2,
      method,
      url,
      outcome,
      seq: outcome === "missed" ? null : 0,
      instead: outcome === "fuzzy" ? { url: `${url}?recorded`, difference: "query" as const, likeness: 0.5 } : null,
      status: outcome === "missed" ? 404 : 200,
      complete: true,
      body_bytes: 1000,
      request_body_bytes: 0,
    },
    ...{ request_ns: 1_010_000_000, whole_ns: 1_010_000_000, think_ns: 0 },
    ...{ first_byte_ns: 1_011_000_000, end_ns: 1_020_000_000 },
  };
}

export function replayReport(requests: ReplayedRequest[], dns: ReplayReport["dns"] = []): ReplayReport {
  return { ...example<ReplayReport>("replay-report", "three-lanes.json"), requests, dns };
}

export function shaperReport(late_p99_ns = 50_000): ShaperReport {
  const report = example<ShaperReport>("shaper-report", "traffic.json");
  const late_ns = { p50: 10_000, p99: late_p99_ns, max: 900_000 };
  return { ...report, down: { ...report.down, late_ns }, up: { ...report.up, late_ns } };
}

export const pageUrl = "https://shop.example/";
export const imageUrl = "https://cdn.example/a.jpg?v=2";

export const objectUrl = (place: number): string => (place === 0 ? pageUrl : `${pageUrl}${place}`);

/** A recording of requests of so many bytes each, each exchange its own. */
export function recordedOf(
  ...sizes: readonly (number | { readonly bytes: number; readonly notExpected: NotExpected })[]
): RecordedRequests {
  const requests = sizes.map((size, place) => ({
    method: "GET",
    url: objectUrl(place),
    ...(typeof size === "number" ? { bytes: size, notExpected: null } : size),
  }));
  return {
    digest: "d",
    requests,
    placeOf: new Map(requests.map((_, place) => [place, place])),
    placeOfKey: new Map(requests.map((_, place) => [`GET shop.example:/${place || ""}`, place])),
    addresses: new Map(),
    isMixed: false,
    device: usualDevice,
  };
}

/** The page and an image, one after the other, each over its protocol. */
export function over(page: Protocol, image: Protocol): Pick<Evidence, "entries" | "replay"> {
  const both = [
    { url: pageUrl, protocol: page },
    { url: imageUrl, protocol: image },
  ];
  return {
    entries: both.map(({ url, protocol }, index) =>
      harEntry(url, { _protocol: protocol, facts: { start_ns: 1_000_000_000 + index } }),
    ),
    replay: replayReport(both.map(({ url, protocol }) => ({ ...replayed(url), connection: connectionOn[protocol] }))),
  };
}

/** A load over h2 of a document and an image, as it should be. */
export function evidence(change: Partial<Evidence> = {}): Evidence {
  return {
    lane: "h2",
    failedUrls: [],
    recorded: null,
    strict: false,
    timeout_ms: 60_000,
    upgraded: false,
    entries: [harEntry(pageUrl), harEntry(imageUrl, { _connectionId: "8", connection: "8", _resourceType: "image" })],
    documents: [pageUrl],
    loadEnd_ns: 1_500_000_000,
    replay: replayReport([replayed(pageUrl), replayed(imageUrl)]),
    shaper: shaperReport(),
    failure: null,
    ...change,
  };
}
