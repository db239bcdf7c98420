// Writes that a full disk does not end a run by: they are held until there is room. Knows no table.
import { setTimeout as delay } from "node:timers/promises";
import { NoRoomError } from "../results/failure.ts";

/** How often a full disk is looked at again. */
const poll_ms = 2000;

export interface Waiting {
  /** Told once of each wait. */
  readonly tell: (reason: string) => void;
  /** Whether the run is to end, room or not. */
  readonly mustEnd: () => boolean;
  readonly signal: AbortSignal;
  /** Another in tests. */
  readonly pause?: (time_ms: number) => Promise<void>;
}

/** What `write` gave; null: the run was to end before there was room, and nothing is written. */
export async function onceThereIsRoom<T>(write: () => T, waiting: Waiting): Promise<{ readonly written: T } | null> {
  const { tell, mustEnd, signal } = waiting;
  const pause = waiting.pause ?? ((time_ms: number) => delay(time_ms, undefined, { signal }).catch(() => undefined));
  for (let isTold = false; ; isTold = true) {
    try {
      return { written: write() };
    } catch (error) {
      if (!(error instanceof NoRoomError)) throw error;
      if (!isTold) tell(error.message);
      await pause(poll_ms);
      if (signal.aborted || mustEnd()) return null;
    }
  }
}
