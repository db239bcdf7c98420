// What a load lost when its link moved (rebind, switch): requests that were under way on connections of TCP, which die of another
// address. Browsers ask again only for what no byte of an answer had come of. Pure.
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import type { ShaperReport } from "../../schemas/generated/shaper_report.ts";
import { isFailed, isHttp } from "./on_wire.ts";

/**
 * How a connection ends for the browser when the other end, or the network, does not know it any more; SOCKET_NOT_CONNECTED is for
 * requests that were yet to be sent on it.
 */
const lostConnection =
  /^net::ERR_(CONNECTION_\w+|SOCKET_NOT_CONNECTED|EMPTY_RESPONSE|HTTP2_\w+|QUIC_\w+|TIMED_OUT|NETWORK_CHANGED)$/;

/** Those that failed so after the first move; none where the link did not move. */
export function lostToMoves(entries: readonly HarEntry[], shaper: ShaperReport | null): HarEntry[] {
  const first_ns = shaper?.moves?.list[0]?.at_ns;
  if (first_ns === undefined) return [];
  return entries.filter(
    (entry) =>
      isFailed(entry) &&
      isHttp(entry) &&
      lostConnection.test(entry.response._error ?? "") &&
      (entry._trilane.end_ns ?? 0) >= first_ns,
  );
}
