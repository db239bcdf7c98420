// How long the server itself took for a request on each protocol, so that a reader sees that it favours no lane.
import type { LoadFacts } from "../../schemas/generated/page_load.ts";
import { count } from "../base/numbers.ts";
import { median } from "../base/quantile.ts";
import { numberAt } from "./figures/unknown_json.ts";

/** Medians further apart than this are said to be so: the product's bar. */
export const fairWithin_us = 50;
/** Of fewer requests than this a median is no ground for a comparison. */
export const enoughRequests = 20;

const protocols = ["h1", "h2", "h3"] as const;

const microseconds = (time_us: number): string => `${time_us < 10 ? time_us.toFixed(1) : time_us.toFixed(0)} µs`;

interface ServerTimes {
  readonly protocol: string;
  readonly requests: number;
  readonly waited: number;
  readonly median_us: number;
  readonly p90_us: number;
}

function timesOf(facts: readonly LoadFacts[], protocol: string): ServerTimes[] {
  const loads = facts.flatMap(({ replay }) => {
    const at = (key: string): number | null => numberAt(replay, "server_time", protocol, key);
    const [median_ns, p90_ns, requests, waited] = [at("median_ns"), at("p90_ns"), at("requests"), at("waited")];
    return median_ns === null || p90_ns === null || requests === null
      ? []
      : [{ median_ns, p90_ns, requests, waited: waited ?? 0 }];
  });
  if (loads.length === 0) return [];
  const sum = (of: (load: (typeof loads)[number]) => number): number => loads.reduce((all, load) => all + of(load), 0);
  return [
    {
      protocol,
      requests: sum((load) => load.requests),
      waited: sum((load) => load.waited),
      median_us: median(loads.map((load) => load.median_ns)) / 1000,
      p90_us: median(loads.map((load) => load.p90_ns)) / 1000,
    },
  ];
}

function verdict(times: readonly ServerTimes[]): string {
  if (times.length < 2) return "";
  if (times.some(({ requests }) => requests < enoughRequests)) return "; too few requests to compare the protocols";
  const medians_us = times.map(({ median_us }) => median_us);
  const apart_us = Math.max(...medians_us) - Math.min(...medians_us);
  const apart = `; the protocols are ${microseconds(apart_us)} apart`;
  return apart_us <= fairWithin_us
    ? `${apart}, within the ${fairWithin_us} µs allowed`
    : `${apart}, more than the ${fairWithin_us} µs allowed: the server favours one`;
}

/** One sentence, over the loads that told; null where none did. */
export function serverTimeNote(facts: readonly LoadFacts[]): string | null {
  const times = protocols.flatMap((protocol) => timesOf(facts, protocol));
  if (times.length === 0) return null;
  const lines = times.map(({ protocol, requests, waited, median_us, p90_us }) => {
    const others = waited > 0 ? `, ${waited} after a wait for the link` : "";
    return `${protocol} ${microseconds(median_us)} (nine in ten within ${microseconds(p90_us)}; ${count(requests, "request")}${others})`;
  });
  return `${lines.join(", ")}${verdict(times)}`;
}
