// Small page loads in data, for the tests of this folder: what a page's entry, the replay's record and the shaper's
// record look like when all is well. Each test spoils one thing.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { usualDevice } from "../../../cli/browser/device.ts";
import type { ReplayedRequest, ReplayReport, ShaperReport } from "../../../cli/load/reports.ts";
import type { Evidence } from "../../../cli/load/validity.ts";
import type { NotExpected, RecordedRequests } from "../../../cli/recording/archive/recorded_requests.ts";
import type { HarEntry } from "../../../schemas/generated/page_load.ts";

type Change = Omit<Partial<HarEntry>, "response"> & {
  facts?: Partial<HarEntry["_trilane"]>;
  response?: Partial<HarEntry["response"]>;
};

export function entry(url: string, change: Change = {}): HarEntry {
  const { facts, response, ...fields } = change;
  return {
    pageref: "page_1",
    startedDateTime: "2026-01-02T03:04:05.678Z",
    time: 30,
    request: {
      method: "GET",
      url,
      httpVersion: "h2",
      cookies: [],
      headers: [],
      queryString: [],
      headersSize: -1,
      bodySize: 0,
    },
    response: {
      status: 200,
      statusText: "",
      httpVersion: "h2",
      cookies: [],
      headers: [],
      content: { size: 1000, mimeType: "text/html" },
      redirectURL: "",
      headersSize: -1,
      bodySize: -1,
      _transferSize: 1100,
      _error: null,
      ...response,
    },
    cache: {},
    timings: { blocked: 0, dns: 5, connect: 10, ssl: 5, send: 0, wait: 10, receive: 5, _blocked_queueing: 0 },
    connection: "7",
    _connectionId: "7",
    _protocol: "h2",
    _resourceType: "document",
    _initiator: { type: "other" },
    ...fields,
    _trilane: {
      requestId: url,
      frame: "main",
      documentUrl: "https://shop.example/",
      start_ns: 1_000_000_000,
      startOffset_ms: 0,
      response_ns: 1_020_000_000,
      end_ns: 1_030_000_000,
      complete: true,
      canceled: false,
      blocked: null,
      connectionReused: false,
      serverPort: 443,
      ...facts,
    },
  };
}

/** One that got no answer: it failed, was given up, or is under way. */
export function unanswered(url: string, { facts, response, ...change }: Change = {}): HarEntry {
  const { _protocol, _connectionId, connection, ...fields } = entry(url, {
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
      entry(url, { _protocol: protocol, facts: { start_ns: 1_000_000_000 + index } }),
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
    entries: [entry(pageUrl), entry(imageUrl, { _connectionId: "8", connection: "8", _resourceType: "image" })],
    documents: [pageUrl],
    loadEnd_ns: 1_500_000_000,
    replay: replayReport([replayed(pageUrl), replayed(imageUrl)]),
    shaper: shaperReport(),
    failure: null,
    ...change,
  };
}
