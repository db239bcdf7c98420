// Generated from ../profile.schema.json by `npm run generate`: change the schema instead.
import type { Metrics } from "./metrics.ts";
import type { HarEntry, HarPage, HarProduct, Resolution, Stall } from "./page_load.ts";

/**
 * One page as a user's own browser loaded it: HAR 1.2 with the fields of page-load.schema.json, and _trilane for the rest. In HAR's phases -1 means: does not apply. Bodies are never in it.
 */
export interface Profile {
  log: ProfileLog;
}
export interface ProfileLog {
  version: "1.2";
  creator: HarProduct;
  browser: HarProduct;
  /**
   * @minItems 1
   * @maxItems 1
   */
  pages: [HarPage];
  entries: HarEntry[];
  comment?: string;
  _trilane: ProfileFacts;
}
export interface ProfileFacts {
  schema: "trilane/profile/1";
  id: string;
  /**
   * Of the document that was shown last.
   */
  url: string;
  title: string;
  /**
   * reload: the page was loaded anew under the debugger. observed: read afterwards from the page's own performance timeline, which tells no headers, no connections and little of other sites. imported: from a HAR of somebody else.
   */
  kind: "reload" | "observed" | "imported";
  /**
   * Whether the browser's caches were used; null: as it was (observed) or not told (imported).
   */
  cache: "on" | "off" | null;
  started: string;
  /**
   * How long was watched.
   */
  wall_ms: number;
  /**
   * What ended the watching. quiet: the page loaded and its network fell quiet. timeout: it did not within the time there is. canceled: by the user. detached: the browser or another program took the debugger away. download: the address was saved as a file, no page came. null: nothing was watched.
   */
  ended: "quiet" | "timeout" | "canceled" | "closed" | "navigated" | "crashed" | "detached" | "download" | null;
  metrics: Metrics;
  /**
   * Most requests first.
   */
  protocols: ProtocolShare[];
  /**
   * Transport connections used; null: not told.
   */
  connections: number | null;
  /**
   * Each host that was asked over the network: whether HTTP/3 was used, and if not, why, as far as the browser tells.
   */
  h3: HostH3[];
  videos?: PageVideos;
  /**
   * What a reader must know: what is missing, what was done to the page.
   */
  notes: ProfileNote[];
  browser: ProfileBrowser;
  source?: ProfileSource;
}
export interface ProtocolShare {
  /**
   * What answered: an ALPN name (http/1.0, http/1.1, h2, h3), h3 0-RTT (on a connection that carried requests in its first flight), cache, service worker, none (no answer), unknown (not told).
   */
  protocol: string;
  requests: number;
  /**
   * Received, headers included.
   */
  bytes: number;
  /**
   * The requests' times added up; they overlap.
   */
  time_ms: number;
}
export interface HostH3 {
  /**
   * With its port, where that is not the scheme's own.
   */
  host: string;
  /**
   * By at least one request.
   */
  used: boolean;
  requests: number;
  requests_h3: number;
  /**
   * A sentence; empty where all went over HTTP/3.
   */
  why: string;
}
/**
 * Absent: nobody looked (an imported or an older profile), or the page did not answer.
 */
export interface PageVideos {
  list: Video[];
  /**
   * What was not asked or did not answer, in sentences.
   */
  missed: string[];
}
/**
 * What a viewer had of one source of one element until it was read. Times are since navigationStart. A value that is missing is null, and `unavailable` says why.
 */
export interface Video {
  frame: "main" | "child";
  frame_url: string;
  /**
   * URL; blob: is that of Media Source Extensions. Empty: none, or another one by now.
   */
  source: string;
  /**
   * Its duration has no end.
   */
  live: boolean;
  /**
   * Its element was in no document any more.
   */
  removed: boolean;
  /**
   * When it was read. loaded: not played. starting: it is to play and has not begun. replaced: its element went on to another source.
   */
  state: "not-loaded" | "loaded" | "starting" | "playing" | "stalled" | "paused" | "ended" | "failed" | "replaced";
  /**
   * null: none.
   */
  error: string | null;
  duration_s: number | null;
  /**
   * The picture's, in pixels, at the end.
   */
  width: number | null;
  height: number | null;
  /**
   * When the browser began to load it.
   */
  load_ms: number | null;
  /**
   * From the call to play, or with autoplay from load_ms, until it played.
   */
  startup_ms: number | null;
  /**
   * Waiting for data after it had begun to play; waiting after a seek is none.
   */
  stalls: Stall[] | null;
  /**
   * Of all stalls.
   */
  stalled_ms: number | null;
  /**
   * On the viewer's clock.
   */
  played_ms: number | null;
  /**
   * stalled_ms / (stalled_ms + played_ms)
   */
  stall_ratio: number | null;
  /**
   * Of the picture, made or dropped (VideoPlaybackQuality).
   */
  frames: number | null;
  frames_dropped: number | null;
  /**
   * From the first on, each time that it changed: switches of the rendition, as far as they change the picture's size.
   */
  resolutions: Resolution[] | null;
  /**
   * Why a value is null, by its name.
   */
  unavailable: {
    [k: string]: string;
  };
}
export interface ProfileNote {
  about: "end" | "detail" | "document" | "requests" | "bodies" | "credentials" | "dialog" | "auth" | "import";
  text: string;
}
export interface ProfileBrowser {
  user_agent: string;
  platform: string;
  /**
   * navigator.connection's estimate when it began; null: not told.
   */
  connection: ConnectionEstimate | null;
}
export interface ConnectionEstimate {
  effective_type: string;
  rtt_ms: number;
  downlink_mbps: number;
}
/**
 * Of an imported profile: the file's name and the program that wrote it.
 */
export interface ProfileSource {
  file: string;
  producer: string;
}
