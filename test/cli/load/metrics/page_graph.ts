// Page loads of requests written by hand, for the tests of what is computed of their graph. Times in ms since the navigation.
import { parseLink } from "../../../../cli/link/link.ts";
import type { HarEntry, HarTimings, PageLoad } from "../../../../schemas/generated/page_load.ts";
import { pageLoad } from "../../sweep/page_load.ts";
import { entry } from "../fixtures.ts";

export const page = "https://shop.example/";

export interface Asked {
  readonly url: string;
  readonly type: string;
  readonly start_ms: number;
  readonly end_ms: number;
  /** URL of what asked for it; default: the page, for a parser. */
  readonly by?: string;
  readonly how?: "parser" | "script" | "other";
  /** What is left out is 0 or did not happen; the rest of the time is `receive`. */
  readonly phases?: Partial<HarTimings>;
  readonly bytes?: number;
  readonly redirectedTo?: string;
  readonly requestId?: string;
  readonly cached?: true | "shared";
}

const navigation_ns = 5_000_000_000;

function entryOf(asked: Asked, index: number): HarEntry {
  const { url, type, start_ms, end_ms, by, phases } = asked;
  const known = { blocked: 0, dns: -1, connect: -1, ssl: -1, send: 0, wait: 0, _blocked_queueing: 0, ...phases };
  const spent_ms = [known.blocked, known.dns, known.connect, known.send, known.wait].reduce(
    (sum, ms) => sum + Math.max(0, ms),
    0,
  );
  const toNs = (at_ms: number) => navigation_ns + at_ms * 1e6;
  const initiator = index === 0 ? { type: "other" } : { type: asked.how ?? "parser", url: by ?? page };
  return entry(url, {
    _resourceType: type,
    _initiator: initiator,
    ...(asked.cached ? { _fromCache: asked.cached === "shared" ? "shared" : "disk" } : {}),
    timings: { receive: end_ms - start_ms - spent_ms, ...known },
    response: { _transferSize: asked.bytes ?? 1000, redirectURL: asked.redirectedTo ?? "" },
    facts: {
      requestId: asked.requestId ?? String(index),
      documentUrl: page,
      start_ns: toNs(start_ms),
      startOffset_ms: start_ms,
      response_ns: toNs(start_ms + spent_ms),
      end_ns: toNs(end_ms),
    },
  });
}

/** The first request is the navigation's. `tasks`: the main thread's long ones, begin and end. */
export function graph(
  plt_ms: number,
  requests: readonly Asked[],
  tasks: readonly (readonly [number, number])[] = [],
  link = "8mbit/100ms",
): PageLoad {
  const load = pageLoad({ page: "shop", recording_digest: "0", lane: "h2", link: parseLink(link), plt_ms });
  load.log.entries = requests.map(entryOf);
  const long_tasks = tasks.map(([from, to]) => ({ start_ms: from, duration_ms: to - from }));
  Object.assign(load.log._trilane, { navigation_start_ns: navigation_ns, long_tasks });
  return load;
}
