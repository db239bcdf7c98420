// A load that ends with its page's video: the page's own record of the playback (schemas/video-events.schema.json), read from the document, which a
// world of ours shares with it; how disturbed the machine was until it played; and why it did not end.
import { setTimeout as delay } from "node:timers/promises";
import type { VideoError, VideoEvents } from "../../schemas/generated/video_events.ts";
import { NavigationError, type WatchedPage } from "../browser/page.ts";
import type { machineStep } from "./machine_step.ts";
import { playbackOf } from "./metrics/video/playback.ts";
import type { PressureReading } from "./pressure.ts";
import type { LoadStep } from "./step.ts";
import { endless, neverBegan } from "./time_out.ts";

const element = "trilane-video";

/** The record as the page has it now, as text; null: this page keeps none. */
const readExpression = `(() => {
  document.dispatchEvent(new Event("${element}-read"));
  return document.getElementById("${element}")?.textContent ?? null;
})()`;

/** Settles once the record is closed, or with \`orPlaying\` once it plays. */
const waitExpression = (orPlaying: boolean): string => `new Promise((resolve) => {
  const video = document.querySelector("video");
  const isPlaying = () => ${orPlaying} && video !== null && video.currentTime > 0;
  const isClosed = () => {
    document.dispatchEvent(new Event("${element}-read"));
    const { events } = JSON.parse(document.getElementById("${element}").textContent);
    return ["ended", "error"].includes(events.at(-1)?.kind);
  };
  if (isPlaying() || isClosed()) return resolve(true);
  document.addEventListener("${element}-closed", () => resolve(true), { once: true });
  if (${orPlaying}) video?.addEventListener("playing", () => resolve(true), { once: true });
})`;

function parsed(text: unknown): VideoEvents | null {
  if (typeof text !== "string") return null;
  try {
    const record = JSON.parse(text) as VideoEvents;
    // Our own page wrote it, and its tests hold it to the schema: the name is the check that matters here.
    return record.schema === "trilane/video-events/1" ? record : null;
  } catch {
    return null;
  }
}

type Page = Pick<WatchedPage, "evaluate">;

/** Null: the page plays no video that keeps a record. */
async function readVideo(page: Page): Promise<VideoEvents | null> {
  return parsed(await page.evaluate(readExpression));
}

/** Settles at the first frame, or when it is clear that there will be none. */
async function untilPlaying(page: Page): Promise<void> {
  await page.evaluate(waitExpression(true));
}

/** Settles when the video has ended or failed. */
async function untilClosed(page: Page): Promise<void> {
  await page.evaluate(waitExpression(false));
}

/** A player leaves out what its browser has no codec for, and plays the rest. */
function leftOut({ settings, events }: VideoEvents): string | null {
  if (!events.some(({ kind }) => kind === "ended")) return null;
  for (const [stream, name] of [
    ["video", "pictures"],
    ["audio", "sound"],
  ] as const) {
    if (events.some((event) => event.kind === "segment" && event.stream === stream && event.number > 0)) continue;
    const codecs = [...new Set(settings[stream].map(({ codec }) => codec))].join(", ");
    return `the video was played without its ${name}: the browser has no codec ${codecs}, or the manifest names another one`;
  }
  return null;
}

/** Why it could not be played, or not as a whole; null: nothing says so. */
function videoFailure(record: VideoEvents): string | null {
  const error = record.events.find((event): event is VideoError => event.kind === "error");
  return error ? `the video could not be played: ${error.message}` : leftOut(record);
}

interface WatchedVideo<Reading> {
  readonly record: VideoEvents;
  /** Read when it began to play. */
  readonly began: Reading;
}

/** Why it did not end in time, as far as its record says; null: the page gave none. `isLoaded`: its load event came. */
export function whyUnended(record: VideoEvents | null, timeOut: string, isLoaded: boolean): string {
  if (record === null) return `${timeOut}: its page did not ${isLoaded ? "answer" : "load"}`;
  const failure = videoFailure(record);
  if (failure !== null) return failure;
  return record.events.some(({ kind }) => kind === "playing") ? timeOut : `${timeOut}: it never began to play`;
}

const noRecord = "the page kept no record of a video: it plays none, or its script did not run";

/** NavigationError if the page plays none, or it failed. `orFail`: rejects when the load is given up. */
export async function watchVideo<Reading>(
  page: Page,
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

export function videoStep(video_s: number, machine: ReturnType<typeof machineStep>): LoadStep {
  const more_ms = video_s * 1000;
  let page: Page | null = null;
  let isLoaded = false;
  let record: VideoEvents | null = null;
  let began: PressureReading | null = null;
  const playback = () => record && playbackOf(record.events);
  return {
    needs: { video: true },
    started: { autoplays: true },
    // A player chooses what it requests: no share of the recording is expected of it, but an answer to each request.
    judged: { recorded: null, exact: true },
    lasts: { more_ms, overdue: endless },
    // What makes connections to its servers resume is there once it plays.
    onFirstVisit: { lasts: { more_ms, overdue: neverBegan }, until: (visit) => untilPlaying(visit.page) },
    opened(visit) {
      page = visit.page;
    },
    async until(visit) {
      isLoaded = true;
      ({ record, began } = await watchVideo(visit.page, visit.orFail, machine.read));
    },
    async failed(cause) {
      began = null;
      const { message, isTimeOut, patience_ms } = await cause;
      const left = page && readVideo(page).catch(() => null);
      record = await Promise.race([left, delay(patience_ms, null, { ref: false })]);
      return isTimeOut ? whyUnended(record, message, isLoaded) : message;
    },
    ends: ({ at_ns }) => at_ns(playback()?.ended_ms),
    says({ at_ns }) {
      // Against a whole video's length what delays its start would be little.
      machine.judgeUntil(at_ns(playback()?.began_ms), began);
      return record ? { facts: { video: record } } : {};
    },
  };
}
