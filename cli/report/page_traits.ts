// What sets pages apart: requests, bytes, sizes, hosts, servers, connections, kinds of content, HTTPS. Counted from one load of each
// page, and from all of its loads where the results have the numbers. Draws nothing.
import { kindOf } from "../../extension/figures/share_colours.ts";
import type { HarEntry, PageLoad } from "../../schemas/generated/page_load.ts";
import { withoutFactors } from "../base/lanes.ts";
import { median } from "../base/quantile.ts";
import type { Load } from "../results/store/results.ts";
import { isValid } from "../results/verdict/sample.ts";
import { field } from "./figures/unknown_json.ts";

/** What only the requests themselves tell. */
export interface RequestTraits {
  readonly hosts: number;
  readonly servers: number;
  /** Of requests, 0 to 1. */
  readonly images: number;
  readonly scripts: number;
  /** Recorded over https://, whatever the lane made of the others. */
  readonly https: number;
}

export interface PageTraits extends Partial<RequestTraits> {
  readonly requests?: number;
  readonly bytes?: number;
  readonly objectBytes?: number;
  /** Over h1, which opens up to six to a host; absent where that lane was not loaded. */
  readonly h1Connections?: number;
}

/** Lanes over TLS ask for http:// origins by https://: there only the servers know how many exchanges were recorded so. */
function httpsShare({ entries, _trilane: { replay } }: PageLoad["log"]): number {
  const recorded = field(replay, "origins", "http_exchanges");
  const isUpgraded = field(replay, "origins", "http") === "upgraded" && typeof recorded === "number";
  const clear = isUpgraded ? recorded : entries.filter((entry) => entry.request.url.startsWith("http:")).length;
  return 1 - Math.min(1, clear / entries.length);
}

export function requestTraits({ log }: PageLoad): RequestTraits | null {
  const { entries } = log;
  if (entries.length === 0) return null;
  const distinct = (of: (entry: HarEntry) => string | undefined): number =>
    new Set(entries.map(of).filter((value) => value)).size;
  const share = (kind: string): number =>
    entries.filter((entry) => kindOf(entry._resourceType) === kind).length / entries.length;
  return {
    hosts: distinct((entry) => URL.parse(entry.request.url)?.host),
    servers: distinct((entry) => entry.serverIPAddress),
    images: share("image"),
    scripts: share("script"),
    https: httpsShare(log),
  };
}

/** Of one page's loads. */
export function pageTraits(loads: readonly Load[], seen: RequestTraits | undefined): PageTraits {
  const valid = loads.filter(isValid);
  const middle = (values: readonly (number | null)[]): number | undefined => {
    const known = values.filter((value) => value !== null);
    return known.length > 0 ? median(known) : undefined;
  };
  const traits = {
    requests: middle(valid.map((load) => load.requests)),
    bytes: middle(valid.map((load) => load.bytes)),
    objectBytes: middle(valid.map(({ bytes, requests }) => (bytes !== null && requests ? bytes / requests : null))),
    h1Connections: middle(valid.filter(({ lane }) => withoutFactors(lane) === "h1").map((load) => load.connections)),
  };
  return { ...seen, ...Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== undefined)) };
}
