// Which request changed most between two versions of a page: by the median of what it took, over loads of one cell of each. Pure.
import type { HarEntry, PageLoad } from "../../../schemas/generated/page_load.ts";
import { median } from "../../base/quantile.ts";

/** A request of both sides, in ms. */
export interface MovedRequest {
  /** Method and URL, without the host if both sides' pages have different ones. */
  readonly name: string;
  readonly before_ms: number;
  readonly after_ms: number;
}

/** Less is what any request differs by from load to load. */
const least_ms = 1;

/** Two versions may lie at two hosts, and caches are kept from answering by random queries. */
const keyOf = ({ request: { method, url } }: HarEntry): string => {
  const path = URL.parse(url)?.pathname ?? url;
  return `${method} ${path}`;
};

/** What each request took in each load, by its name; of several with one name their sum. */
function times_ms(loads: readonly PageLoad[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { log } of loads) {
    const inLoad = new Map<string, number>();
    for (const entry of log.entries) {
      if (!entry._trilane.complete) continue;
      inLoad.set(keyOf(entry), (inLoad.get(keyOf(entry)) ?? 0) + entry.time);
    }
    for (const [key, time_ms] of inLoad) found.set(key, [...(found.get(key) ?? []), time_ms]);
  }
  return found;
}

/** The one whose median moved most in the direction of the change; null if none is in most loads of both sides. */
export function movedRequest(
  before: readonly PageLoad[],
  after: readonly PageLoad[],
  direction: "slower" | "faster",
): MovedRequest | null {
  const [a, b] = [times_ms(before), times_ms(after)];
  const both = [...a].flatMap(([name, ofBefore]): MovedRequest[] => {
    const ofAfter = b.get(name) ?? [];
    if (ofBefore.length * 2 <= before.length || ofAfter.length * 2 <= after.length) return [];
    return [{ name, before_ms: median(ofBefore), after_ms: median(ofAfter) }];
  });
  const moved = ({ before_ms, after_ms }: MovedRequest): number =>
    direction === "slower" ? after_ms - before_ms : before_ms - after_ms;
  const [most] = both.toSorted((x, y) => moved(y) - moved(x));
  return most && moved(most) >= least_ms ? most : null;
}
