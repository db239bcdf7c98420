// For how long a server that sends sends nothing new after its client's address has changed (rebind, switch), from the shaper's report
// and the server's. What is sent then the link brings in its own time. Pure; cli/load/metrics/path_moves.ts has what users see.
import type { PathChanges } from "../../schemas/generated/path_changes.ts";
import type { ShaperReport } from "../../schemas/generated/shaper_report.ts";

/** Less than this in a round trip before a move, and nothing was being sent that it could have stopped. */
const flowing_bytes = 3000;
/** A silence during which the machine held the link up for longer than this share of a round trip is not the protocol's. */
const heldUpShare = 0.1;

export interface MovedSilences {
  /** After each move in the midst of sending. Where nothing followed before the next one: until that, it was longer. */
  readonly silences_ms: readonly number[];
  /** Moves left out: during so many the machine held the link up. */
  readonly heldUp: number;
}

export interface Moved {
  readonly shaper: Pick<ShaperReport, "moves" | "timeline" | "overdue">;
  /** Of the one connection that was there. */
  readonly changes: PathChanges | readonly [];
  readonly roundTrip_ms: number;
  /** When what was to be sent had arrived: CLOCK_MONOTONIC. */
  readonly end_ns: number;
}

function deliveredWithin(timeline: ShaperReport["timeline"], from_ns: number, to_ns: number): number {
  if (!timeline) return 0;
  const { start_ns, bin_ns, down } = timeline;
  return down.bytes_out.reduce((sum, bytes, i) => {
    const begin_ns = start_ns + i * bin_ns;
    return begin_ns + bin_ns > from_ns && begin_ns < to_ns ? sum + bytes : sum;
  }, 0);
}

const overlap_ns = (intervals: readonly (readonly number[])[], from_ns: number, to_ns: number): number =>
  intervals.reduce((sum, [a = 0, b = 0]) => sum + Math.max(0, Math.min(b, to_ns) - Math.max(a, from_ns)), 0);

/** Of the last move, after which there may have been nothing left to send, only what is known to have ended. */
export function movedSilences({ shaper, changes, roundTrip_ms, end_ns }: Moved): MovedSilences {
  const roundTrip_ns = roundTrip_ms * 1e6;
  const all = shaper.moves?.list ?? [];
  const silences_ms: number[] = [];
  let heldUp = 0;
  for (const [i, { at_ns }] of all.entries()) {
    const next_ns = all[i + 1]?.at_ns ?? Number.POSITIVE_INFINITY;
    const isFlowing = deliveredWithin(shaper.timeline, at_ns - roundTrip_ns, at_ns) >= flowing_bytes;
    if (!isFlowing || at_ns > end_ns) continue;
    const change = changes.find(({ seen_ns }) => seen_ns >= at_ns && seen_ns < next_ns);
    const resumed_ns = Math.min(change?.resumed_ns ?? Number.POSITIVE_INFINITY, next_ns);
    if (resumed_ns > end_ns) continue;
    if (overlap_ns(shaper.overdue?.intervals ?? [], at_ns, resumed_ns) > heldUpShare * roundTrip_ns) heldUp++;
    else silences_ms.push((resumed_ns - at_ns) / 1e6);
  }
  return { silences_ms, heldUp };
}
