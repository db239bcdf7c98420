// An entry of a page load or a profile as it is when all is well, for tests: a document that came over h2. Each says what differs.
import type { HarEntry } from "../schemas/generated/page_load.ts";

export type EntryChange = Omit<Partial<HarEntry>, "request" | "response" | "_trilane"> & {
  readonly request?: Partial<HarEntry["request"]>;
  readonly response?: Partial<HarEntry["response"]>;
  readonly facts?: Partial<HarEntry["_trilane"]>;
};

export function harEntry(url: string, { request, response, facts, ...fields }: EntryChange = {}): HarEntry {
  const both = { httpVersion: "h2", cookies: [], headers: [], headersSize: -1 };
  return {
    pageref: "page_1",
    startedDateTime: "2026-01-02T03:04:05.678Z",
    time: 30,
    request: { method: "GET", url, ...both, queryString: [], bodySize: 0, ...request },
    response: {
      ...{ status: 200, statusText: "", ...both, content: { size: 1000, mimeType: "text/html" } },
      ...{ redirectURL: "", bodySize: -1, _transferSize: 1100, _error: null, ...response },
    },
    cache: {},
    timings: { blocked: 0, dns: 5, connect: 10, ssl: 5, send: 0, wait: 10, receive: 5, _blocked_queueing: 0 },
    ...{ connection: "7", _connectionId: "7", _protocol: "h2" },
    ...{ _resourceType: "document", _initiator: { type: "other" } },
    ...fields,
    _trilane: {
      ...{ requestId: url, frame: "main", documentUrl: "https://shop.example/", start_ns: 1_000_000_000 },
      ...{ startOffset_ms: 0, response_ns: 1_020_000_000, end_ns: 1_030_000_000, complete: true, canceled: false },
      ...{ blocked: null, connectionReused: false, serverPort: 443, ...facts },
    },
  };
}
