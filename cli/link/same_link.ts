// What a link is to the shaper, whatever it is called: two profiles with one key shape packets alike. Reads nothing.
import { mapFiles } from "./files.ts";
import type { LinkDirection, LinkProfile, LinkQueue } from "./link.ts";

/** What a queue of so many BDP holds: an initial window of full packets at least (shaper/language/link_profile.c). */
export function bdpQueue_bytes(bdp: number, rate_bps: number, rtt_ms: number): number {
  return Math.max(10 * 1500, (bdp * rate_bps * rtt_ms) / 8000);
}

function queueOf({ rate_bps, rate_steps, trace, queue }: LinkDirection, rtt_ms: number): LinkQueue {
  if (!("bdp" in queue) || rate_bps === null || rate_steps || trace) return queue;
  return { bytes: Math.round(bdpQueue_bytes(queue.bdp, rate_bps, rtt_ms)) };
}

/** Without chance a seed decides nothing. */
function isRandom({ loss, loss_model, jitter, duplicate, reorder, onoff, aqm }: LinkDirection): boolean {
  return loss > 0 || [loss_model, jitter, duplicate, reorder, onoff, aqm].some((part) => part !== undefined);
}

/** Of a settled profile (files.ts): files count by what is in them. */
export function shaperKey(profile: LinkProfile): string {
  const mapped = mapFiles(profile, (file) => ({ ...file, file: file.sha256 ?? file.file }));
  const { seed, rebind, switch: next, udp } = mapped;
  const links = [mapped, ...(next ? [next.link] : [])];
  const ways = links.flatMap(({ down, up, rtt_ms }) =>
    [down, up].map((way) => ({ ...way, queue: queueOf(way, rtt_ms) })),
  );
  const [one, other, ...further] = ways;
  // Of a link that stays as it is the key is as it was before links could move.
  const moves = rebind || next ? [rebind ?? null, next ? [next.at_ms, ...further] : null] : [];
  const beside = udp ? [udp] : [];
  return JSON.stringify([one, other, ways.some(isRandom) ? seed : null, ...beside, ...moves]);
}
