// The script of a video page: begins playback with dash.js and records it (schemas/video-events.schema.json). Stands in the page
// as text: it uses nothing from outside itself but what it is given. Decides nothing but what is pinned; judges nothing.
//
// dash.js is left as it ships, but for three things. It asks no one for the time and remembers no earlier visit. Playback stands
// still when either stream has run out: Chromium by itself would go on with the sound for seconds, and then skip pictures.
// If representations are pinned, its adaptation is off, and no request is given up for being slow.
import type {
  VideoBuffer,
  VideoError,
  VideoEvents,
  VideoPlayState,
  VideoQuality,
  VideoSegment,
  VideoSettings,
} from "../../../../schemas/generated/video_events.ts";

interface Ranges {
  readonly length: number;
  start(place: number): number;
  end(place: number): number;
}

interface FrameFacts {
  readonly presentationTime: number;
  readonly expectedDisplayTime: number;
  readonly mediaTime: number;
  readonly presentedFrames: number;
  readonly width: number;
  readonly height: number;
}

interface VideoElement {
  readonly currentTime: number;
  readonly error: { readonly message: string; readonly code: number } | null;
  muted: boolean;
  play(): Promise<void>;
  getVideoPlaybackQuality(): { readonly totalVideoFrames: number; readonly droppedVideoFrames: number };
  requestVideoFrameCallback(take: (now: number, facts: FrameFacts) => void): void;
  addEventListener(name: string, listener: () => void): void;
}

interface ResourceEntry {
  readonly name: string;
  readonly nextHopProtocol: string;
  readonly responseStatus: number;
  readonly decodedBodySize: number;
  readonly startTime: number;
  readonly domainLookupStart: number;
  readonly domainLookupEnd: number;
  readonly connectStart: number;
  readonly connectEnd: number;
  readonly fetchStart: number;
  readonly requestStart: number;
  readonly responseStart: number;
  readonly responseEnd: number;
}

interface DashEvent {
  readonly newRepresentation?: { readonly id: string };
  readonly error?: { readonly message?: string } | string;
}

interface DashPlayer {
  updateSettings(settings: object): void;
  initialize(view: VideoElement, url: string, autoPlay: boolean): void;
  on(name: string, listener: (event: DashEvent) => void): void;
}

interface Buffered {
  readonly buffered: Ranges;
}

/** What of a page's globals is used. The types of browsers are not there where the command line is checked. */
interface PageScope {
  readonly performance: { now(): number };
  readonly document: {
    getElementById(id: string): { textContent: string };
    addEventListener(name: string, listener: () => void): void;
    dispatchEvent(event: object): void;
  };
  readonly dashjs: {
    readonly MediaPlayer: { (): { create(): DashPlayer }; readonly events: Readonly<Record<string, string>> };
  };
  readonly Event: new (name: string) => object;
  readonly MediaSource: { readonly prototype: { addSourceBuffer(type: string): Buffered } };
  readonly PerformanceObserver: new (
    take: (list: { getEntries(): ResourceEntry[] }) => void,
  ) => { observe(options: { type: string; buffered: boolean }): void; takeRecords(): ResourceEntry[] };
  setInterval(run: () => void, every_ms: number): number;
  clearInterval(timer: number): void;
  trilaneVideo?: VideoEvents;
}

interface PlayedBy {
  readonly settings: VideoSettings;
  readonly manifest: string;
}

export function playAndRecord({ settings, manifest }: PlayedBy): void {
  const scope = globalThis as unknown as PageScope;
  const { performance, document: page, dashjs, MediaSource, PerformanceObserver } = scope;
  const video = page.getElementById("player") as unknown as VideoElement;
  const events: VideoEvents["events"] = [];
  scope.trilaneVideo = { schema: "trilane/video-events/1", settings, events };
  let isClosed = false;
  let isPlaying = false;
  const representations = new Map([...settings.video, ...settings.audio].map((each) => [each.id, each]));
  const fpsOf = (width: number, height: number): number =>
    settings.video.find((each) => each.width === width && each.height === height)?.fps ?? settings.video[0]?.fps ?? 1;

  const write = (): void => {
    page.getElementById("trilane-video").textContent = JSON.stringify(scope.trilaneVideo);
  };
  page.addEventListener("trilane-video-read", write);

  const add = (event: VideoEvents["events"][number]): void => {
    if (!isClosed) events.push(event);
  };
  const addPlayState = (kind: VideoPlayState["kind"]): void =>
    add({ kind, t_ms: performance.now(), media_s: video.currentTime });

  // What the player hands to the decoders, also ahead of the element's own view, which is of both at once.
  const sourceBuffers: { video?: Buffered; audio?: Buffered } = {};
  const addSourceBuffer = MediaSource.prototype.addSourceBuffer;
  MediaSource.prototype.addSourceBuffer = function (type) {
    const added = addSourceBuffer.call(this, type);
    sourceBuffers[type.startsWith("video") ? "video" : "audio"] = added;
    return added;
  };
  const ahead_s = (stream: "video" | "audio"): number => {
    let ranges: Ranges | undefined;
    try {
      ranges = sourceBuffers[stream]?.buffered;
    } catch {
      // Taken out of its source.
    }
    for (let place = 0; ranges && place < ranges.length; place++)
      // A range may begin a little behind its first segment's time.
      if (ranges.start(place) <= video.currentTime + 0.1 && ranges.end(place) > video.currentTime)
        return ranges.end(place) - video.currentTime;
    return 0;
  };
  const sample = (): void => {
    const { totalVideoFrames, droppedVideoFrames } = video.getVideoPlaybackQuality();
    const event: VideoBuffer = {
      kind: "buffer",
      t_ms: performance.now(),
      media_s: video.currentTime,
      video_s: ahead_s("video"),
      audio_s: ahead_s("audio"),
      total_frames: totalVideoFrames,
      dropped_frames: droppedVideoFrames,
    };
    add(event);
    if (isPlaying) noteRendered();
  };

  const addQuality = (state: VideoQuality["state"], id: string, t_ms: number): void => {
    const representation = representations.get(id);
    if (!representation) return;
    const stream = id.startsWith("v") ? "video" : "audio";
    const { bitrate_bps } = representation;
    add({ kind: "quality", t_ms, media_s: video.currentTime, stream, state, representation: id, bitrate_bps });
  };
  // What is played is what came whole last of that place in the clip. dash.js does not say so of what it begins with.
  const loaded = { video: new Map<number, string>(), audio: new Map<number, string>() };
  const rendered = { video: "", audio: "" };
  const noteRendered = (): void => {
    const number = 1 + Math.floor(video.currentTime / settings.segment_s);
    for (const stream of ["video", "audio"] as const) {
      const id = loaded[stream].get(number);
      if (id === undefined || id === rendered[stream]) continue;
      rendered[stream] = id;
      addQuality("rendered", id, performance.now());
    }
  };

  const addSegments = (entries: readonly ResourceEntry[]): void => {
    for (const entry of entries) {
      const [, representation = "", name = ""] = /\/([va]\d+)\/(init|\d+)\.(?:mp4|m4s)$/.exec(entry.name) ?? [];
      if (!representations.has(representation)) continue;
      const isAnswered = entry.responseStart > 0 && entry.nextHopProtocol !== "";
      const isConnected = isAnswered && entry.connectEnd > entry.connectStart;
      const isLookedUp = isAnswered && entry.domainLookupEnd > entry.domainLookupStart;
      const event: VideoSegment = {
        kind: "segment",
        t_ms: performance.now(),
        stream: representation.startsWith("v") ? "video" : "audio",
        representation,
        number: name === "init" ? 0 : Number(name),
        url: entry.name,
        protocol: entry.nextHopProtocol,
        status: entry.responseStatus,
        bytes: entry.decodedBodySize,
        start_ms: entry.startTime,
        dns_start_ms: isLookedUp ? entry.domainLookupStart : null,
        dns_end_ms: isLookedUp ? entry.domainLookupEnd : null,
        connect_start_ms: isConnected ? entry.connectStart : null,
        connect_end_ms: isConnected ? entry.connectEnd : null,
        request_ms: isAnswered ? entry.requestStart : null,
        first_byte_ms: isAnswered ? entry.responseStart : null,
        end_ms: entry.responseEnd,
      };
      add(event);
      const { stream, number, bytes } = event;
      // Of what it begins with dash.js does not say that it asks for it.
      if (loaded[stream].size === 0) {
        loaded[stream].set(0, representation);
        addQuality("requested", representation, event.start_ms);
      }
      if (number > 0 && bytes === representations.get(representation)?.segment_bytes)
        loaded[stream].set(number, representation);
    }
  };
  const observer = new PerformanceObserver((list) => addSegments(list.getEntries()));
  observer.observe({ type: "resource", buffered: true });

  // From where the playhead was last reported on its way: the timer looks only every 100 ms.
  const cameToEnd_ms = (): number => {
    const { clip_s } = settings;
    const now_ms = performance.now();
    const last = events.findLast((event) => "media_s" in event && event.kind !== "waiting" && event.media_s < clip_s);
    return last && "media_s" in last ? Math.min(now_ms, last.t_ms + (clip_s - last.media_s) * 1000) : now_ms;
  };
  const timer = scope.setInterval(() => {
    sample();
    // After it gave up a request dash.js may not end the stream: the playhead stands at the clip's end, and no event says so.
    if (video.currentTime >= settings.clip_s)
      close({ kind: "ended", t_ms: cameToEnd_ms(), media_s: video.currentTime });
  }, 100);
  const close = (last: VideoPlayState | VideoError): void => {
    if (isClosed) return;
    addSegments(observer.takeRecords());
    sample();
    add(last);
    isClosed = true;
    scope.clearInterval(timer);
    write();
    page.dispatchEvent(new scope.Event("trilane-video-closed"));
  };
  const fail = (message: string): void => close({ kind: "error", t_ms: performance.now(), message });

  video.addEventListener("playing", () => {
    isPlaying = true;
  });
  for (const kind of ["loadstart", "canplay", "playing", "waiting", "timeupdate"] as const)
    video.addEventListener(kind, () => addPlayState(kind));
  video.addEventListener("ended", () => close({ kind: "ended", t_ms: performance.now(), media_s: video.currentTime }));
  video.addEventListener("error", () => {
    // dash.js takes an element's source away, and gives it another, where it recovers from an error.
    if (video.error) fail(`the browser cannot play it: ${video.error.message || `code ${video.error.code}`}`);
  });

  const takeFrame = (_now: number, facts: FrameFacts): void => {
    add({
      kind: "frame",
      t_ms: facts.presentationTime,
      media_s: facts.mediaTime,
      number: Math.round(facts.mediaTime * fpsOf(facts.width, facts.height)),
      presented_frames: facts.presentedFrames,
      expected_display_ms: facts.expectedDisplayTime,
      width: facts.width,
      height: facts.height,
    });
    if (!isClosed) video.requestVideoFrameCallback(takeFrame);
  };
  video.requestVideoFrameCallback(takeFrame);

  const player = dashjs.MediaPlayer().create();
  const { fixed } = settings;
  const kbps = (id: string | undefined): number => (representations.get(id ?? "")?.bitrate_bps ?? 0) / 1000;
  player.updateSettings({
    debug: { logLevel: 0 },
    streaming: {
      utcSynchronization: { enabled: false },
      lastBitrateCachingInfo: { enabled: false },
      lastMediaSettingsCachingInfo: { enabled: false },
      buffer: { syntheticStallEvents: { enabled: true } },
      ...(fixed
        ? {
            fragmentRequestTimeout: 3_600_000,
            abr: {
              autoSwitchBitrate: { video: false, audio: false },
              initialBitrate: { video: kbps(fixed.video), audio: kbps(fixed.audio) },
            },
          }
        : {}),
    },
  });
  const named = dashjs.MediaPlayer.events;
  const listen = (name: string, take: (event: DashEvent) => void): void => {
    const event = named[name];
    if (event === undefined) throw new Error(`dash.js has no event ${name}`);
    player.on(event, take);
  };
  listen("QUALITY_CHANGE_REQUESTED", ({ newRepresentation }) =>
    addQuality("requested", newRepresentation?.id ?? "", performance.now()),
  );
  listen("ERROR", ({ error }) =>
    fail(`dash.js: ${typeof error === "string" ? error : (error?.message ?? "")}` || "dash.js failed"),
  );
  // Where the browser plays sound only for a person, it plays without.
  listen("PLAYBACK_NOT_ALLOWED", () => {
    video.muted = true;
    video.play().catch((error: unknown) => fail(String(error)));
  });
  addPlayState("start");
  player.initialize(video, manifest, true);
}
