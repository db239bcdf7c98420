// A page's screencast: a JPEG whenever what is shown has changed, thinned out where it moves all the time. Knows nothing of
// loads.
import type { CDPSession } from "./browser.ts";

/** A frame as the browser reported it. */
export interface ScreencastFrame {
  /** Wall clock, since 1970; -Infinity for what was shown before the film began. */
  readonly at_ms: number;
  readonly jpeg: Uint8Array;
}

export interface Film {
  /** The frames up to now. */
  stop(): Promise<ScreencastFrame[]>;
}

/** Small enough for a report, large enough to see which parts are there. */
const picture = { format: "jpeg", quality: 60, maxWidth: 400, maxHeight: 400 } as const;

/** A page that moves all the time is thinned out: the film's length in frames, and how near two may be at first. */
const mostFrames = 60;
const nearest_ms = 20;

/**
 * At most `most` frames: of those that are nearer than some time to the one kept before them, only the last one of a
 * row is kept, and that time is doubled until there are few enough. First and last always stay.
 */
export function thinned<Frame>(frames: readonly Frame[], at_ms: (frame: Frame) => number, most = mostFrames): Frame[] {
  let kept = [...frames];
  for (let apart_ms = nearest_ms; kept.length > most; apart_ms *= 2) {
    let before_ms = Number.NEGATIVE_INFINITY;
    const last = kept.length - 1;
    kept = kept.filter((frame, index) => {
      if (index !== last && at_ms(frame) - before_ms < apart_ms) return false;
      before_ms = at_ms(frame);
      return true;
    });
  }
  return kept;
}

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** The browser shows a frame as soon as it can; a page that stands still has no other. */
const firstFramePatience_ms = 5000;

/** Begins to film what a page shows, with what it shows now. */
export async function startFilm(session: CDPSession): Promise<Film> {
  let frames: ScreencastFrame[] = [];
  const first = Promise.withResolvers<void>();
  session.on("Page.screencastFrame", ({ data, metadata, sessionId }) => {
    // Until a frame is acknowledged there are no further ones.
    session.send("Page.screencastFrameAck", { sessionId }).catch(() => {});
    const jpeg = Buffer.from(data, "base64");
    const last = frames.at(-1);
    if (metadata.timestamp === undefined || (last && same(last.jpeg, jpeg))) return;
    frames.push({ at_ms: metadata.timestamp * 1000, jpeg });
    first.resolve();
    if (frames.length > 4 * mostFrames) frames = thinned(frames, (frame) => frame.at_ms, 2 * mostFrames);
  });
  await session.send("Page.startScreencast", picture);
  const late = setTimeout(first.resolve, firstFramePatience_ms);
  await first.promise;
  clearTimeout(late);
  // The browser dates a frame by when it is due on the screen, which can be after a navigation that begins at once.
  frames = frames.map((frame) => ({ ...frame, at_ms: Number.NEGATIVE_INFINITY }));
  return {
    async stop() {
      await session.send("Page.stopScreencast").catch(() => {});
      return frames;
    },
  };
}
