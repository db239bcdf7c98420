// What runs in a page to watch its videos: in an isolated world of every frame, from before the frame's own scripts, so that no
// object is the page's. Writes down a few events of each <video>, rare ones only (none comes with every frame or
// second), and reads the rest on demand, once: then it lets go of all, or videos that the page is done with would stay for as
// long as it is open. Computes nothing: videos.ts does.
//
// An element becomes known by its first event that reaches the document: one in a shadow tree, or in no document, is not heard.
// Those in open shadow trees are found when the page is read.

/** A media event of one element, and what the element was then. */
export interface VideoEvent {
  readonly type: string;
  /** ms since the frame's time origin. */
  readonly time: number;
  readonly width: number;
  readonly height: number;
  readonly paused: boolean;
  readonly seeking: boolean;
  readonly autoplay: boolean;
  /** HTMLMediaElement.readyState; 3 and 4: it can play on. */
  readonly ready: number;
}

/** One element as it was read. */
export interface WatchedVideo {
  /** Empty: it was not heard. */
  readonly events: readonly VideoEvent[];
  /** More events came than are kept. */
  readonly cut: boolean;
  readonly source: string;
  /** In seconds; null: not known, or without end. */
  readonly duration: number | null;
  readonly live: boolean;
  readonly connected: boolean;
  readonly inShadow: boolean;
  readonly width: number;
  readonly height: number;
  readonly ready: number;
  readonly paused: boolean;
  readonly ended: boolean;
  readonly played: boolean;
  /** MediaError's code; null: none. */
  readonly error: number | null;
  /** None of its sources could be used. */
  readonly noSource: boolean;
  /** getVideoPlaybackQuality(); null: nothing was loaded. */
  readonly frames: { readonly total: number; readonly dropped: number } | null;
}

export interface WatchedFrame {
  readonly url: string;
  /** Since the epoch, in ms. */
  readonly timeOrigin: number;
  /** When it was read. */
  readonly read: number;
  /** Whether its events were heard from its beginning. */
  readonly watched: boolean;
  /** More videos were heard than are kept. */
  readonly full: boolean;
  readonly videos: readonly WatchedVideo[];
}

type Listener = (event: { readonly type: string; readonly timeStamp: number; readonly target: unknown }) => void;

interface Target {
  addEventListener(type: string, take: Listener, how: object): void;
}

interface Video extends Target {
  readonly currentSrc: string;
  readonly duration: number;
  readonly isConnected: boolean;
  readonly videoWidth: number;
  readonly videoHeight: number;
  readonly readyState: number;
  readonly paused: boolean;
  readonly seeking: boolean;
  readonly autoplay: boolean;
  readonly ended: boolean;
  readonly played: { readonly length: number };
  /** 3: it found no source that it could use. */
  readonly networkState: number;
  readonly error: { readonly code: number } | null;
  getRootNode(): unknown;
  getVideoPlaybackQuality(): { readonly totalVideoFrames: number; readonly droppedVideoFrames: number };
}

interface Root {
  querySelectorAll(selector: string): Iterable<{ readonly shadowRoot: Root | null }>;
}

interface Heard {
  readonly events: VideoEvent[];
  cut: boolean;
}

/** What of a frame's globals is used. The types of browsers are not there where the command line is checked. */
interface FrameScope {
  readonly performance: { readonly timeOrigin: number; now(): number };
  readonly document: Root & Target;
  readonly location: { readonly href: string };
  readonly HTMLVideoElement: new () => Video;
  readonly AbortController: new () => { readonly signal: object; abort(): void };
  trilaneVideos?: { readonly heard: Map<Video, Heard>; full: boolean; readonly stop: () => void } | undefined;
}

/** Runs in the page, as text: it may use nothing from outside itself. */
function watchVideos(): void {
  const scope = globalThis as unknown as FrameScope;
  if (scope.trilaneVideos) return;
  const mostVideos = 50;
  const mostEvents = 500;
  const listening = new scope.AbortController();
  const stop = (): void => listening.abort();
  const watched: NonNullable<FrameScope["trilaneVideos"]> = { heard: new Map(), full: false, stop };
  scope.trilaneVideos = watched;
  const lifetime = ["loadstart", "loadedmetadata", "canplaythrough", "resize", "emptied", "error"];
  const playback = ["play", "playing", "waiting", "pause", "seeking", "seeked", "ended"];
  const types = [...lifetime, ...playback];
  const listen = (target: Target, take: Listener, capture: boolean): void => {
    const how = { capture, passive: true, signal: listening.signal };
    for (const type of types) target.addEventListener(type, take, how);
  };
  // An element that left the document is still heard, by listeners of its own. The event that makes it known reaches them next.
  const follow = (video: Video): void => {
    const heard: Heard = { events: [], cut: false };
    watched.heard.set(video, heard);
    const keep: Listener = ({ type, timeStamp: time }) => {
      if (heard.events.length >= mostEvents) {
        heard.cut = true;
        return;
      }
      const { videoWidth: width, videoHeight: height, paused, seeking, autoplay, readyState: ready } = video;
      heard.events.push({ type, time, width, height, paused, seeking, autoplay, ready });
    };
    listen(video, keep, false);
  };
  const find: Listener = ({ target }) => {
    if (!(target instanceof scope.HTMLVideoElement) || watched.heard.has(target)) return;
    if (watched.heard.size < mostVideos) follow(target);
    else watched.full = true;
  };
  listen(scope.document, find, true);
}

/** Runs in the page, given to chrome.scripting or as text to DevTools: it may use nothing from outside itself. */
export function readVideos(): WatchedFrame {
  const scope = globalThis as unknown as FrameScope;
  const { document: page, trilaneVideos: watched, performance } = scope;
  const found = new Set<Video>(watched?.heard.keys() ?? []);
  const search = (root: Root): void => {
    for (const element of root.querySelectorAll("*")) {
      if (element instanceof scope.HTMLVideoElement) found.add(element);
      if (element.shadowRoot) search(element.shadowRoot);
    }
  };
  search(page);
  const framesOf = (video: Video): WatchedVideo["frames"] => {
    if (video.readyState === 0) return null;
    const { totalVideoFrames, droppedVideoFrames } = video.getVideoPlaybackQuality();
    return { total: totalVideoFrames, dropped: droppedVideoFrames };
  };
  const read: WatchedFrame = {
    url: scope.location.href,
    timeOrigin: performance.timeOrigin,
    read: performance.now(),
    watched: watched !== undefined,
    full: watched?.full ?? false,
    videos: [...found].map((video) => {
      const { events = [], cut = false } = watched?.heard.get(video) ?? {};
      const { error, currentSrc: source, duration } = video;
      return {
        events,
        cut,
        source: source.slice(0, 2000),
        duration: Number.isFinite(duration) ? duration : null,
        live: duration === Number.POSITIVE_INFINITY,
        connected: video.isConnected,
        inShadow: video.isConnected && video.getRootNode() !== page,
        width: video.videoWidth,
        height: video.videoHeight,
        ready: video.readyState,
        paused: video.paused,
        ended: video.ended,
        played: video.played.length > 0,
        error: error ? error.code : null,
        noSource: video.networkState === 3,
        frames: framesOf(video),
      };
    }),
  };
  watched?.stop();
  scope.trilaneVideos = undefined;
  return read;
}

/** For Page.addScriptToEvaluateOnNewDocument, in the world that videosExpression is evaluated in later. */
export const videosScript = `(${watchVideos})();`;

/** A frame's WatchedFrame. */
export const videosExpression = `(${readVideos})()`;
