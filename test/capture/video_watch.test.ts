// What is asked of a frame's videos: the functions run from their text alone, in a frame that has a document and nothing else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Context, createContext, runInContext } from "node:vm";
import { askVideos, type Send } from "../../extension/capture/ask_videos.ts";
import { videosExpression, videosScript, type WatchedFrame } from "../../extension/capture/video_watch.ts";

/** Removed when their signal says so, as browsers do. */
function listenIn(
  listeners: Map<string, (event: object) => void>,
  type: string,
  take: (event: object) => void,
  { signal }: { readonly signal?: AbortSignal },
): void {
  listeners.set(type, take);
  signal?.addEventListener("abort", () => listeners.delete(type));
}

class Video {
  currentSrc = "https://cdn.test/clip.webm";
  duration = 4;
  isConnected = true;
  videoWidth = 320;
  videoHeight = 180;
  readyState = 4;
  paused = false;
  seeking = false;
  autoplay = false;
  ended = false;
  played = { length: 1 };
  error = null;
  networkState = 1;
  shadowRoot = null;
  readonly listeners = new Map<string, (event: object) => void>();
  addEventListener(type: string, take: (event: object) => void, how: object): void {
    listenIn(this.listeners, type, take, how);
  }
  root: object | null = null;
  getRootNode(): object | null {
    return this.root;
  }
  getVideoPlaybackQuality(): object {
    return { totalVideoFrames: 100, droppedVideoFrames: 3 };
  }
}

interface MadeFrame {
  readonly context: Context;
  tell(type: string, target: object, timeStamp?: number): void;
  readonly listeners: Map<string, (event: object) => void>;
  read(): WatchedFrame;
}

/** `elements`: what querySelectorAll finds. */
function frameWith(elements: readonly object[]): MadeFrame {
  const listeners = new Map<string, (event: object) => void>();
  const document = {
    addEventListener: (type: string, take: (event: object) => void, how: object) =>
      listenIn(listeners, type, take, how),
    querySelectorAll: () => elements,
  };
  for (const each of elements) if (each instanceof Video) each.root ??= document;
  const performance = { timeOrigin: 5000, now: () => 77 };
  const location = { href: "https://shop.test/" };
  const context = createContext({ document, performance, location, HTMLVideoElement: Video, AbortController });
  return {
    context,
    listeners,
    // From the document down to the element, if it is in it.
    tell(type, target, timeStamp = 1) {
      if (!(target instanceof Video && !target.isConnected)) listeners.get(type)?.({ type, target, timeStamp });
      if (target instanceof Video) target.listeners.get(type)?.({ type, target, timeStamp });
    },
    read: () => JSON.parse(JSON.stringify(runInContext(videosExpression, context))) as WatchedFrame,
  };
}

test("events of videos are kept with what the element was; those of other elements are not", () => {
  const video = new Video();
  const frame = frameWith([video]);
  runInContext(videosScript, frame.context);
  assert.ok(!frame.listeners.has("timeupdate") && !frame.listeners.has("progress"), "none comes all the time");
  frame.tell("playing", video, 12.5);
  frame.tell("error", { tagName: "SOURCE" });
  const { videos, watched, timeOrigin, read } = frame.read();
  assert.deepEqual([watched, timeOrigin, read, videos.length], [true, 5000, 77, 1]);
  assert.deepEqual(videos[0]?.events, [
    { type: "playing", time: 12.5, width: 320, height: 180, paused: false, seeking: false, autoplay: false, ready: 4 },
  ]);
  assert.deepEqual(videos[0]?.frames, { total: 100, dropped: 3 });
});

test("one that was heard and then removed is still heard; run twice, an event is kept once", () => {
  const video = new Video();
  const frame = frameWith([]);
  runInContext(videosScript, frame.context);
  runInContext(videosScript, frame.context);
  frame.tell("play", video);
  video.isConnected = false;
  frame.tell("pause", video);
  const [read] = frame.read().videos;
  assert.deepEqual([read?.connected, read?.inShadow, read?.events.length], [false, false, 2]);
});

test("once read, it lets go of the page's videos: nothing listens, nothing is kept", () => {
  const video = new Video();
  const frame = frameWith([]);
  runInContext(videosScript, frame.context);
  frame.tell("play", video);
  assert.ok(video.listeners.size > 0);
  assert.equal(frame.read().videos.length, 1);
  assert.deepEqual([frame.listeners.size, video.listeners.size], [0, 0]);
  const { watched, videos } = frame.read();
  assert.deepEqual([watched, videos], [false, []]);
});

test("not watched: videos are found, in open shadow trees too; one without end is live", () => {
  const inside = new Video();
  inside.root = {};
  inside.duration = Number.POSITIVE_INFINITY;
  const host = { shadowRoot: { querySelectorAll: () => [inside] } };
  const { watched, videos } = frameWith([new Video(), host]).read();
  assert.equal(watched, false);
  assert.deepEqual(
    videos.map(({ inShadow, live, duration, events }) => [inShadow, live, duration, events.length]),
    [
      [false, false, 4, 0],
      [true, true, null, 0],
    ],
  );
});

test("a page that floods it: so many videos and events are kept, and that there were more", () => {
  const frame = frameWith([]);
  runInContext(videosScript, frame.context);
  const first = new Video();
  for (let time = 0; time < 2000; time++) frame.tell("waiting", first, time);
  for (let count = 0; count < 100; count++) frame.tell("loadstart", new Video());
  const { videos, full } = frame.read();
  assert.deepEqual([full, videos.length, videos[0]?.cut, videos[0]?.events.length], [true, 50, true, 500]);
});

const answered = { url: "", timeOrigin: 0, read: 0, watched: true, full: false, videos: [] };

/** A session of these frames, each of which answers, refuses, or is silent. */
function session(frames: Readonly<Record<string, "answers" | "refuses" | "silent">>): Send {
  const ids = Object.keys(frames);
  return async (method, params) => {
    const { frameId, contextId } = params as { frameId?: string; contextId?: number };
    if (method === "Page.getFrameTree") {
      const [first = "", ...rest] = ids;
      return { frameTree: { frame: { id: first }, childFrames: rest.map((id) => ({ frame: { id } })) } };
    }
    if (method === "Page.createIsolatedWorld") return { executionContextId: ids.indexOf(frameId ?? "") };
    const frame = ids[contextId ?? -1] ?? "";
    if (frames[frame] === "refuses") throw new Error("Cannot find context");
    if (frames[frame] === "silent") return await new Promise(() => {});
    return { result: { value: { ...answered, url: frame } } };
  };
}

test("every frame of every session is asked; one that is gone is none, one that is silent is said", async () => {
  const page = session({ main: "answers", child: "answers", gone: "refuses" });
  const process = session({ other: "answers", busy: "silent" });
  const dead: Send = async () => {
    throw new Error("Session closed");
  };
  const late = new Promise((resolve) => setTimeout(resolve, 30));
  const { main, children, silent, beyond } = await askVideos([page, process, dead], "trilane", late);
  assert.deepEqual([main?.url, children.map(({ url }) => url), silent, beyond], ["main", ["child", "other"], 1, 0]);
});

test("a main frame that does not answer; more frames than are asked", async () => {
  const many = Object.fromEntries(Array.from({ length: 130 }, (_, place) => [`f${place}`, "answers" as const]));
  const { main, beyond } = await askVideos([session({ main: "refuses", ...many })], "trilane", new Promise(() => {}));
  assert.deepEqual([main, beyond], [null, 31]);
});
