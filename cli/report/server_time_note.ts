// How long the server itself took for a request on each protocol, so that a reader sees that it favours no lane.
import type { LoadFacts } from "../../schemas/generated/page_load.ts";
import { count } from "../stats/numbers.ts";
import { median } from "../stats/quantile.ts";
import { numberAt } from "./unknown_json.ts";

/** Medians further apart than this are said to be so: the product's bar. */
export const fairWithin_us = 50;

const protocols = ["h1", "h2", "h3"] as const;

const microseconds = (time_us: number): string => `${time_us < 10 ? time_us.toFixed(1) : time_us.toFixed(0)} µs`;

/** One sentence, over the loads that told; null where none did. */
export function serverTimeNote(facts: readonly LoadFacts[]): string | null {
  const medians_us: number[] = [];
  const told = protocols.flatMap((protocol) => {
    const times = facts.flatMap(({ replay }) => {
      const middle_ns = numberAt(replay, "server_time", protocol, "median_ns");
      const p90_ns = numberAt(replay, "server_time", protocol, "p90_ns");
      return middle_ns === null || p90_ns === null ? [] : [{ middle_ns, p90_ns }];
    });
    if (times.length === 0) return [];
    const middle_us = median(times.map((time) => time.middle_ns)) / 1000;
    const p90_us = median(times.map((time) => time.p90_ns)) / 1000;
    medians_us.push(middle_us);
    return [
      `${protocol} ${microseconds(middle_us)} (nine in ten within ${microseconds(p90_us)}; ${count(times.length, "load")})`,
    ];
  });
  if (told.length === 0) return null;
  const apart_us = Math.max(...medians_us) - Math.min(...medians_us);
  const verdict =
    medians_us.length < 2
      ? ""
      : apart_us <= fairWithin_us
        ? `; the protocols are ${microseconds(apart_us)} apart, within the ${fairWithin_us} µs allowed`
        : `; the protocols are ${microseconds(apart_us)} apart, more than the ${fairWithin_us} µs allowed: the server favours one`;
  return `${told.join(", ")}${verdict}`;
}
