// Profiles of made-up pages of any number of requests, for the views' tests and benchmark: several hosts, protocols, kinds
// and connections, one failed request. The same number gives the same profile.
import { protocolShares } from "../../../extension/capture/answered_by.ts";
import type { HarEntry } from "../../../schemas/generated/page_load.ts";
import type { Profile } from "../../../schemas/generated/profile.ts";
import { harEntry } from "../../har_entry.ts";

const hosts = [
  { host: "www.example.test", protocol: "http/1.1", connections: 6 },
  { host: "cdn.example.test", protocol: "h2", connections: 1 },
  { host: "img.example.test", protocol: "h3", connections: 1 },
] as const;
const kinds = ["document", "script", "stylesheet", "image", "font", "fetch"] as const;

function entryOf(index: number): HarEntry {
  const site = hosts[index % hosts.length] ?? hosts[0];
  const kind = index === 0 ? "document" : (kinds[1 + (index % (kinds.length - 1))] ?? "other");
  const isNew = index < 12;
  const failed = index === 7;
  const timings = {
    blocked: 1 + (index % 5),
    dns: isNew ? 10 : -1,
    connect: isNew ? 40 : -1,
    ssl: isNew ? 25 : -1,
    send: 0.2,
    wait: 30 + (index % 17),
    receive: 4 + (index % 23),
    _blocked_queueing: 0.5,
  };
  const startOffset_ms = index * 3;
  const connection = String(100 + (index % hosts.length) * 10 + (index % site.connections));
  const { _blocked_queueing: _, ssl: __, ...summed } = timings;
  const type = "application/octet-stream";
  return harEntry(`https://${site.host}/${index === 0 ? "" : `part-${index}.bin?v=${index}`}`, {
    startedDateTime: new Date(Date.UTC(2026, 0, 1) + startOffset_ms).toISOString(),
    time: Object.values(summed).reduce((sum, part) => sum + Math.max(0, part), 0),
    request: {
      ...{ httpVersion: site.protocol, cookies: [{ name: "session", value: "secret" }] },
      headers: [
        { name: "Accept", value: "*/*" },
        { name: "Cookie", value: "session=secret" },
      ],
    },
    response: {
      ...{ status: failed ? 0 : 200, httpVersion: site.protocol, content: { size: 3000, mimeType: type } },
      ...{ headers: [{ name: "content-type", value: type }], _transferSize: failed ? 0 : 1000 + index },
      _error: failed ? "net::ERR_CONNECTION_RESET" : null,
    },
    ...{ timings, serverIPAddress: `203.0.113.${1 + (index % hosts.length)}`, connection, _connectionId: connection },
    ...{ _protocol: site.protocol, _priority: "Medium", _initialPriority: "Medium", _resourceType: kind },
    _initiator: { type: index === 0 ? "other" : "parser" },
    facts: {
      ...{ requestId: `r${index}`, documentUrl: "https://www.example.test/", start_ns: startOffset_ms * 1e6 },
      ...{ startOffset_ms, response_ns: null, end_ns: null, complete: !failed, connectionReused: !isNew },
    },
  });
}

export function profileOfRequests(requests: number, id = "made-up"): Profile {
  const entries = Array.from({ length: requests }, (_, index) => entryOf(index));
  return {
    log: {
      version: "1.2",
      creator: { name: "Trilane", version: "0" },
      browser: { name: "Chromium", version: "0" },
      pages: [
        {
          startedDateTime: "2026-01-01T00:00:00.000Z",
          id: "page_1",
          title: "A made-up page",
          pageTimings: { onContentLoad: 200, onLoad: requests * 3 },
        },
      ],
      entries,
      _trilane: {
        schema: "trilane/profile/1",
        id,
        url: "https://www.example.test/",
        title: "A made-up page",
        kind: "reload",
        cache: "off",
        started: "2026-01-01T00:00:00.000Z",
        wall_ms: requests * 3 + 500,
        ended: "quiet",
        metrics: {
          plt_ms: requests * 3,
          ttfb_ms: 120,
          dcl_ms: 200,
          fcp_ms: 240,
          lcp_ms: null,
          cls: 0.0123,
          tbt_ms: 30,
          unavailable: { lcp_ms: "the page painted nothing large" },
        },
        protocols: protocolShares(entries),
        connections: 8,
        h3: hosts.map(({ host, protocol }) => ({
          host,
          used: protocol === "h3",
          requests: 1,
          requests_h3: protocol === "h3" ? 1 : 0,
          why: protocol === "h3" ? "" : "It was not offered.",
        })),
        notes: [],
        browser: { user_agent: "", platform: "", connection: null },
      },
    },
  };
}
