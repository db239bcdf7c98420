// What a link is to the shaper, whatever it is called: two profiles with one key shape packets alike. Reads nothing.
import { mapFiles } from "./label.ts";
import type { LinkDirection, LinkProfile, LinkQueue } from "./link.ts";

/** A queue in BDP has room for an initial window at least (shaper/link_profile.c). */
const leastQueue_bytes = 10 * 1500;

function queueOf({ rate_bps, rate_steps, trace, queue }: LinkDirection, rtt_ms: number): LinkQueue {
  if (!("bdp" in queue) || rate_bps === null || rate_steps || trace) return queue;
  return { bytes: Math.max(leastQueue_bytes, Math.round((queue.bdp * rate_bps * rtt_ms) / 8000)) };
}

/** Without chance a seed decides nothing. */
function isRandom({ loss, loss_model, jitter, duplicate, reorder, onoff, aqm }: LinkDirection): boolean {
  return loss > 0 || [loss_model, jitter, duplicate, reorder, onoff, aqm].some((part) => part !== undefined);
}

/** Of a settled profile (files.ts): files count by what is in them. */
export function shaperKey(profile: LinkProfile): string {
  const { down, up, rtt_ms, seed } = mapFiles(profile, (file) => ({ ...file, file: file.sha256 ?? file.file }));
  const [one, other] = [down, up].map((way) => ({ ...way, queue: queueOf(way, rtt_ms) }));
  return JSON.stringify([one, other, [down, up].some(isRandom) ? seed : null]);
}
