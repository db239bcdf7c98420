// What is counted as one in figures of fetches, what a link is called, and the colour and line of what an object was fetched over.

import { laneClass } from "../../../../extension/figures/colours.ts";
import { count } from "../../../base/numbers.ts";
import type { Unit } from "../answer/quantity_summary.ts";
import { isQuic, serverOfLane, type Variant } from "../metrics/fetched.ts";

/** `7 hosts`. */
export const unitCount = (n: number, unit: Unit): string =>
  unit === "fetch" ? count(n, "fetch", "fetches") : count(n, unit);

export const unitNames: Readonly<Record<Unit, string>> = {
  host: "hosts by their median",
  object: "objects by their median",
  fetch: "fetches",
};

/** The link in sentences; null: the network as it is. */
export const linkName = (link: string | null): string => link ?? "the network as it is";

/** Lines of settings are dashed from the second on: 0-RTT has the first dashes, TLS 1.2 the next. */
const olderTls = (lane: string): string => `${lane}:tls1.2`;

/** `among`: all that are drawn: those of several servers differ by their dashes. */
export function variantClass(
  { lane, tls }: Pick<Variant, "lane" | "tls">,
  among: readonly Pick<Variant, "lane">[],
): string {
  if (serverOfLane(lane) !== null) return laneClass(lane, [...new Set(among.map((each) => each.lane))]);
  if (isQuic(lane) || tls === "1.3") return laneClass(lane);
  return laneClass(olderTls(lane), [lane, `${lane}:other`, olderTls(lane)]);
}
