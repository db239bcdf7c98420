// A video that is watched to its end: what its page recorded, and how disturbed the machine was until it played and until it ended.
// Judges nothing.
import type { VideoEvents } from "../../../schemas/generated/video_events.ts";
import { NavigationError, type WatchedPage } from "../../browser/page.ts";
import { readVideo, untilClosed, untilPlaying, videoFailure } from "./video_page.ts";

export interface WatchedVideo<Reading> {
  readonly record: VideoEvents;
  /** Read when it began to play. */
  readonly began: Reading;
}

/** Why it did not end in time, as far as its record tells; null: the page gave none. `isLoaded`: its load event came. */
export function whyUnended(record: VideoEvents | null, timeOut: string, isLoaded: boolean): string {
  if (record === null) return `${timeOut}: its page did not ${isLoaded ? "answer" : "load"}`;
  const failure = videoFailure(record);
  if (failure !== null) return failure;
  return record.events.some(({ kind }) => kind === "playing") ? timeOut : `${timeOut}: it never began to play`;
}

const noRecord = "the page kept no record of a video: it plays none, or its script did not run";

/** NavigationError where the page plays none, or it failed. `orFail`: rejects when the load is given up. */
export async function watchVideo<Reading>(
  page: Pick<WatchedPage, "evaluate">,
  orFail: <T>(promise: Promise<T>) => Promise<T>,
  read: () => Reading,
): Promise<WatchedVideo<Reading>> {
  if ((await orFail(readVideo(page))) === null) throw new NavigationError(noRecord);
  await orFail(untilPlaying(page));
  const began = read();
  await orFail(untilClosed(page));
  const record = await orFail(readVideo(page));
  const failure = record ? videoFailure(record) : noRecord;
  if (record === null || failure !== null) throw new NavigationError(failure ?? noRecord);
  return { record, began };
}
