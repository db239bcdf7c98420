// What a run waits for and does not end by: a full disk, and another process that holds the results. Knows no table.
import { setTimeout as delay } from "node:timers/promises";
import { LockedError, NoRoomError } from "../base/errors.ts";

/** How often a full disk is looked at again. */
const full = { poll_ms: 2000, reportAfterPolls: 1 };

/**
 * How long a run's write itself waits for another process's: short, as no lab of this process continues meanwhile. Longer than a
 * removal's pauses (cli/results/store/remove_rows.ts) are apart is not needed, shorter would miss them.
 */
export const writeWait_ms = 300;
/** Reported after about 5 s: a write of another sweep takes less. */
const locked = { poll_ms: 200, reportAfterPolls: 10 };

export interface Waiting {
  /** Reported once for each wait. */
  readonly tell: (reason: string) => void;
  /** Whether the run is to end, room or not. */
  readonly mustEnd: () => boolean;
  readonly signal: AbortSignal;
  /** Another in tests. */
  readonly pause?: (time_ms: number) => Promise<void>;
}

/** What passes by itself or is put right while a run waits. */
interface Obstacle {
  /** The line to tell. */
  readonly reason: string;
  readonly poll_ms: number;
  /** After so many tries in vain. */
  readonly reportAfterPolls: number;
}

function obstacleOf(error: unknown): Obstacle | null {
  if (error instanceof LockedError) return { reason: error.message, ...locked };
  if (error instanceof NoRoomError) return { reason: error.message, ...full };
  if (!(error instanceof Error && "syscall" in error)) return null;
  // Of a copy, whose file is read from a disk that has room.
  const { code, path, dest = path } = error as NodeJS.ErrnoException & { readonly dest?: string };
  const reason = `${dest ?? "the disk"}: no space left: free some`;
  return code === "ENOSPC" || code === "EDQUOT" ? { reason, ...full } : null;
}

/**
 * What `write` gave, which is called anew each time; null: the run was to end before there was room, or while another process held
 * the file, and nothing is written.
 */
export async function retryWhileBlocked<T>(
  write: () => T | Promise<T>,
  waiting: Waiting,
): Promise<{ readonly written: T } | null> {
  const { tell, mustEnd, signal } = waiting;
  const pause = waiting.pause ?? ((time_ms: number) => delay(time_ms, undefined, { signal }).catch(() => undefined));
  let isReported = false;
  for (let tries = 1; ; tries++) {
    try {
      return { written: await write() };
    } catch (error) {
      const obstacle = obstacleOf(error);
      if (obstacle === null) throw error;
      if (!isReported && tries >= obstacle.reportAfterPolls) {
        tell(obstacle.reason);
        isReported = true;
      }
      await pause(obstacle.poll_ms);
      if (signal.aborted || mustEnd()) return null;
    }
  }
}
