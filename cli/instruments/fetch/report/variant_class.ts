// The colour and line of what an object was fetched over: the lane's, and dots for TLS 1.2.
import { laneClass } from "../../../../extension/figures/colours.ts";
import { isQuic, serverOfLane, type Variant } from "../metrics/fetched.ts";

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
