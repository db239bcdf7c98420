// Page loads of which it is known why they took as long as they did: made by hand, a phase at a time, for the tests of why.ts.

import { type Lane, laneFacts } from "../../../../cli/base/lanes.ts";
import { parseLink } from "../../../../cli/link/link.ts";
import type { PageLoad } from "../../../../schemas/generated/page_load.ts";
import type { ShaperReport, ShaperTimelineBins } from "../../../../schemas/generated/shaper_report.ts";
import { type Asked, graph, page } from "../../load/metrics/page_graph.ts";

const bin_ms = 10;
const bins = 200;

export interface MadeLoad {
  readonly lane: Lane;
  readonly plt_ms: number;
  readonly requests: readonly Asked[];
  readonly connections?: number;
  /** At which times the link lost a packet; null: no report of the link. */
  readonly lost_at_ms?: readonly number[] | null;
  /** What waits in the link's queue all the time. */
  readonly queue_bytes?: number;
  readonly link?: string;
}

export function madeLoad(made: MadeLoad): PageLoad {
  const { lane, plt_ms, requests, connections = 1, lost_at_ms = [], queue_bytes = 0, link = "10mbit/50ms" } = made;
  const load = graph(plt_ms, requests, [], link);
  const facts = load.log._trilane;
  for (const entry of load.log.entries) entry._protocol = laneFacts[lane].protocols[0] ?? "";
  const bytes = Array.from({ length: bins }, () => 0);
  const of = (lost: readonly number[], queued: number): ShaperTimelineBins => ({
    bytes_out: bytes,
    queue_peak_bytes: bytes.map(() => queued),
    dropped_packets: bytes,
    lost_packets: bytes.map((_, bin) => lost.filter((at_ms) => Math.floor(at_ms / bin_ms) === bin).length),
  });
  const timeline = {
    start_ns: facts.navigation_start_ns ?? 0,
    bin_ns: bin_ms * 1e6,
    down: of(lost_at_ms ?? [], queue_bytes),
    up: of([], 0),
  };
  const shaper = lost_at_ms === null ? null : ({ link: parseLink(link), timeline } as unknown as ShaperReport);
  Object.assign(facts, { lane, shaper, counts: { ...facts.counts, connections } });
  return load;
}

/** The page's document: `connect` of its time goes to the connection. */
export const documentOf = (connect: number, wait: number, receive: number): Asked => ({
  url: page,
  type: "document",
  start_ms: 0,
  end_ms: connect + wait + receive,
  phases: { connect, ssl: 0, wait },
});

/** An image asked for once the document is there. */
export const imageOf = (start_ms: number, { blocked = 0, wait = 50, receive = 100 }): Asked => ({
  url: `${page}hero.jpg`,
  type: "image",
  start_ms,
  end_ms: start_ms + blocked + wait + receive,
  phases: { blocked, wait },
});
