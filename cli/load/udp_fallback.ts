// What a link that refuses, limits or delays UDP does to a load: on lanes on which the browser chooses between QUIC and TCP, whether it
// went back to TCP and after which time, which is a result; on lanes that are forced onto QUIC, why nothing could be loaded. Pure.
import type { LoadFallback } from "../../schemas/generated/page_load.ts";
import { choosesQuic, isOverTcp, type Lane, laneFacts } from "../base/lanes.ts";
import type { LinkProfile } from "../link/link.ts";
import type { ShaperReport } from "./reports.ts";

/** Protocols beside the lane's own on which requests may be answered: those of TCP, where the browser tried QUIC on such a link. */
export function fallbackProtocols(lane: Lane, link: LinkProfile, shaper: ShaperReport | null): readonly string[] {
  const hasTried = typeof shaper?.udp?.quic_ns === "number";
  return link.udp && hasTried && choosesQuic(lane) ? ["h2"] : [];
}

interface FallbackEvidence {
  readonly lane: Lane;
  readonly link: LinkProfile;
  readonly shaper: ShaperReport | null;
  /** Of the requests before the load event that went over the link, ALPN's names; undefined: not answered. */
  readonly protocols: readonly (string | undefined)[];
}

/**
 * Null where nothing of the kind can happen. A load fell back if the browser tried QUIC, and then a request of a lane that is to be on
 * HTTP/3 throughout was answered over TCP; where HTTP/2 comes first (h3-altsvc), if none was answered over HTTP/3.
 */
export function fallbackOf({ lane, link, shaper, protocols }: FallbackEvidence): LoadFallback | null {
  if (!link.udp || !choosesQuic(lane)) return null;
  const { quic_ns = null, tcp_ns = null } = shaper?.udp ?? {};
  const overTcp = protocols.filter((protocol) => protocol !== undefined && protocol !== "h3").length;
  const overQuic = protocols.filter((protocol) => protocol === "h3").length;
  const fell_back = quic_ns !== null && overTcp > 0 && (overQuic === 0 || !isOverTcp(lane));
  return {
    fell_back,
    time_ms: fell_back && quic_ns !== null && tcp_ns !== null ? (tcp_ns - quic_ns) / 1e6 : null,
    requests_over_tcp: overTcp,
    requests: protocols.length,
  };
}

const blocked = "UDP is blocked on this link, and nothing but HTTP/3 is allowed on lane ";

/** Why a load that did not end could not: the lane is forced onto QUIC, and the link dropped all of it. Null: it is something else. */
export function blockedReason(lane: Lane, link: LinkProfile, shaper: ShaperReport | null): string | null {
  const isBlocked = link.udp !== undefined && "blocked" in link.udp;
  return laneFacts[lane].quic === "forced" && isBlocked && (shaper?.up.drops.udp ?? 0) > 0 ? `${blocked}${lane}` : null;
}

/** That another try comes to the same. */
export const isBlockedReason = (reason: string): boolean => reason.startsWith(blocked);
