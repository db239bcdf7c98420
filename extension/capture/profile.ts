// A capture and what the page answered -> the profile (schemas/profile.schema.json). Pure: the caller gives id, version
// and what it knows of the browser; bodies are not in it.

import type { Metrics } from "../../schemas/generated/metrics.ts";
import type { HarEntry, PageVideos } from "../../schemas/generated/page_load.ts";
import type { Profile, ProfileFacts } from "../../schemas/generated/profile.ts";
import { protocolShares } from "./answered_by.ts";
import { entriesOf, navigationRequest, navigationStart_s } from "./entries.ts";
import type { Capture } from "./requests.ts";
import { urlWithoutCredentials } from "./url_without_credentials.ts";
import type { PageTimings } from "./web_vitals.ts";
import { hostsOverH3 } from "./why_not_h3.ts";

export interface ProfileParts {
  readonly id: string;
  /** Trilane's. */
  readonly version: string;
  readonly url: string;
  readonly title: string;
  readonly kind: ProfileFacts["kind"];
  readonly cache: ProfileFacts["cache"];
  /** ISO 8601, UTC; of the navigation. */
  readonly started: string;
  readonly wall_ms: number;
  readonly ended: ProfileFacts["ended"];
  readonly metrics: Metrics;
  /** Default: not looked for. */
  readonly videos?: PageVideos | null;
  readonly entries: readonly HarEntry[];
  /** null: not reported. */
  readonly onContentLoad_ms: number | null;
  readonly onLoad_ms: number | null;
  readonly notes: ProfileFacts["notes"];
  readonly browser: ProfileFacts["browser"];
  readonly source?: ProfileFacts["source"];
}

const pageref = "page_1";
const never = -1;

/** "Chromium" "156.0.7987.1", "Firefox" "153.0" from what browsers call themselves to servers. */
function browserOf(userAgent: string): { name: string; version: string } {
  const found = /\b(Edg|OPR|HeadlessChrome|Chrome)\/([\d.]+)/.exec(userAgent);
  const firefox = /\bFirefox\/([\d.]+)/.exec(userAgent);
  if (firefox?.[1]) return { name: "Firefox", version: firefox[1] };
  const edge = /\bEdg\/([\d.]+)/.exec(userAgent);
  if (edge?.[1]) return { name: "Edge", version: edge[1] };
  return { name: "Chromium", version: found?.[2] ?? "" };
}

/** The number of transport connections that the entries name; null where none names any. */
function connectionsOf(entries: readonly HarEntry[]): number | null {
  const ids = new Set(entries.flatMap(({ _connectionId }) => (_connectionId === undefined ? [] : [_connectionId])));
  return ids.size > 0 ? ids.size : null;
}

export function profileOf(parts: ProfileParts): Profile {
  const url = urlWithoutCredentials(parts.url);
  const entries = parts.entries.map((entry) => ({ ...entry, pageref }));
  return {
    log: {
      version: "1.2",
      creator: { name: "Trilane", version: parts.version },
      browser: browserOf(parts.browser.user_agent),
      pages: [
        {
          id: pageref,
          startedDateTime: parts.started,
          title: url,
          pageTimings: { onContentLoad: parts.onContentLoad_ms ?? never, onLoad: parts.onLoad_ms ?? never },
        },
      ],
      entries,
      _trilane: {
        schema: "trilane/profile/1",
        id: parts.id,
        url,
        title: parts.title,
        kind: parts.kind,
        cache: parts.cache,
        started: parts.started,
        wall_ms: parts.wall_ms,
        ended: parts.ended,
        metrics: parts.metrics,
        protocols: protocolShares(entries),
        connections: connectionsOf(entries),
        h3: hostsOverH3(entries),
        ...(parts.videos ? { videos: parts.videos } : {}),
        notes: parts.notes,
        browser: parts.browser,
        ...(parts.source ? { source: parts.source } : {}),
      },
    },
  };
}

/**
 * What of a profile's parts the capture itself knows. `timings`: the page's answer, which ties its clock to the capture's.
 * `fallback_ms`: Date.now() when the watching began.
 */
export function captureParts(
  capture: Capture,
  timings: PageTimings | null,
  fallback_ms: number,
): Pick<ProfileParts, "entries" | "started" | "onContentLoad_ms" | "onLoad_ms"> {
  const first = navigationRequest(capture) ?? capture.requests[0];
  const start_s = navigationStart_s(capture, timings) ?? first?.sent.timestamp ?? 0;
  const since = (time_s: number | null): number | null =>
    time_s === null || !first ? null : Math.max(0, (time_s - start_s) * 1000);
  const wall_ms = first ? (first.sent.wallTime - (first.sent.timestamp - start_s)) * 1000 : fallback_ms;
  return {
    entries: entriesOf(capture, { pageref, navigationStart_s: start_s }),
    started: new Date(wall_ms).toISOString(),
    onContentLoad_ms: since(capture.domContent_s),
    onLoad_ms: since(capture.loadEvent_s),
  };
}
