// How a page that plays a video is told from others, and how its own record of the playback (schemas/video-events.schema.json) is read:
// from the document, which a world of ours shares with it. Knows no lab, and no clock.
import type { VideoError, VideoEvents } from "../../../schemas/generated/video_events.ts";
import type { WatchedPage } from "../../browser/page.ts";

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

type Asked = Pick<WatchedPage, "evaluate">;

/** Null: the page plays no video that keeps a record. */
export async function readVideo(page: Asked): Promise<VideoEvents | null> {
  return parsed(await page.evaluate(readExpression));
}

/** Settles at the first frame, or when it is clear that there will be none. */
export async function untilPlaying(page: Asked): Promise<void> {
  await page.evaluate(waitExpression(true));
}

/** Settles when the video has ended or failed. */
export async function untilClosed(page: Asked): Promise<void> {
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
export function videoFailure(record: VideoEvents): string | null {
  const error = record.events.find((event): event is VideoError => event.kind === "error");
  return error ? `the video could not be played: ${error.message}` : leftOut(record);
}
