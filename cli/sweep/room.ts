// What a full disk does not end a run by: it is held until there is room. Knows no table.
import { setTimeout as delay } from "node:timers/promises";
import { NoRoomError } from "../errors.ts";

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

/** The line to tell of an error that says that the disk is full; null: it says something else. */
function wantOfRoom(error: unknown): string | null {
  if (error instanceof NoRoomError) return error.message;
  if (!(error instanceof Error && "syscall" in error)) return null;
  const { code, path } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT" ? `${path ?? "the disk"}: no space left: free some` : null;
}

/** What `write` gave, which is asked anew each time; null: the run was to end before there was room, and nothing is written. */
export async function onceThereIsRoom<T>(
  write: () => T | Promise<T>,
  waiting: Waiting,
): Promise<{ readonly written: T } | null> {
  const { tell, mustEnd, signal } = waiting;
  const pause = waiting.pause ?? ((time_ms: number) => delay(time_ms, undefined, { signal }).catch(() => undefined));
  for (let isTold = false; ; isTold = true) {
    try {
      return { written: await write() };
    } catch (error) {
      const reason = wantOfRoom(error);
      if (reason === null) throw error;
      if (!isTold) tell(reason);
      await pause(poll_ms);
      if (signal.aborted || mustEnd()) return null;
    }
  }
}
