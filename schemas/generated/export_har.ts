// Generated from ../export-har.schema.json by `npm run generate`: change the schema instead.
import type { EntryFacts, LoadFacts, Resolution, Stall } from "./page_load.ts";

/**
 * What `trilane export --format har` writes: HAR 1.2 with a page for each load, and, described here, what HAR 1.2 does not know. DevTools' fields: _connectionId, _priority, _resourceType, _initiator, _fromCache, response._transferSize, response._error, timings._blocked_queueing, httpVersion as the raw ALPN. WebPageTest's: _protocol, _socket, _tls_version, _full_url.
 */
export interface ExportHar {
  log: ExportHarLog;
}
export interface ExportHarLog {
  version: "1.2";
  creator: {};
  browser: {};
  /**
   * @minItems 1
   */
  pages: [ExportHarPage, ...ExportHarPage[]];
  entries: ExportHarEntry[];
  _trilane: ExportHarFacts;
}
export interface ExportHarPage {
  id: string;
  _trilane: LoadFacts;
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
export interface ExportHarEntry {
  pageref: string;
  /**
   * Several loads in one file: the load's number, a hyphen, the browser's number.
   */
  connection?: string;
  /**
   * As connection.
   */
  _connectionId?: string;
  /**
   * ALPN: http/1.1, h2, h3.
   */
  _protocol?: string;
  /**
   * As the browser had it, where request.url had to be encoded.
   */
  _full_url?: string;
  /**
   * The browser's number of the connection.
   */
  _socket?: number;
  _tls_version?: string;
  _trilane: EntryFacts;
}
export interface ExportHarFacts {
  schema: "trilane/export-har/1";
  sweep: ExportHarSweep;
  loads: ExportHarLoad[];
}
export interface ExportHarSweep {
  id: number;
  name: string;
  plan_digest: string;
  seed: number;
}
export interface ExportHarLoad {
  /**
   * The HAR page's id.
   */
  page: string;
  load: number;
  block: number;
  attempt: number;
}
