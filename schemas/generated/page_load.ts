// Generated from ../page-load.schema.json by `npm run generate`: change the schema instead.
import type { Environment } from "./environment.ts";
import type { Lane } from "./lane.ts";
import type { LinkProfile } from "./link_profile.ts";
import type { Metrics } from "./metrics.ts";
import type { FixedChain, FixedThink, TransportChoice } from "./serving.ts";
import type { ShaperReport } from "./shaper_report.ts";
import type { VideoSettings } from "./video_events.ts";

export type Known = number | null;
export type Counted = number | null;
/**
 * CPU time, user and system, of the lab's processes, those that have ended included. load: from just before the navigation until the load event was told; all: from the lab's start until the load was read. null: this system does not tell it. Absent: it was not asked.
 */
export type CpuTimes = null | CpuTimesTold;
/**
 * What the load had to wait for CPUs, from just before the navigation until the load event was told. null: this system does not tell it. Absent: it was not asked.
 */
export type MachinePressure = null | Pressure;
/**
 * What the machine may have added to the page load time, at most. null: it left no report of its link. Of a load that did not end, what held up its link until its lab ended. Absent: an earlier version measured.
 */
export type LoadDisturbance = null | Disturbance;
/**
 * One load of one page: HAR 1.2, DevTools' and WebPageTest's fields for the protocol facts, and _trilane for the rest. In HAR's phases -1 means: does not apply.
 */
export interface PageLoad {
  log: PageLoadLog;
}
export interface PageLoadLog {
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
  _trilane: LoadFacts;
}
export interface HarProduct {
  name: string;
  version: string;
  comment?: string;
}
export interface HarPage {
  startedDateTime: string;
  id: string;
  title: string;
  pageTimings: HarPageTimings;
  comment?: string;
}
export interface HarPageTimings {
  /**
   * ms since startedDateTime; -1: never.
   */
  onContentLoad: number;
  onLoad: number;
}
export interface HarEntry {
  pageref: string;
  startedDateTime: string;
  /**
   * ms; the sum of the phases that apply.
   */
  time: number;
  request: HarRequest;
  response: HarResponse;
  cache: {};
  timings: HarTimings;
  serverIPAddress?: string;
  /**
   * As _connectionId.
   */
  connection?: string;
  _connectionId?: string;
  /**
   * ALPN: http/1.1, h2, h3.
   */
  _protocol?: string;
  /**
   * The last one; _initialPriority the first.
   */
  _priority?: string;
  _initialPriority?: string;
  _resourceType: string;
  _initiator: Initiator;
  /**
   * shared: the answer to another request of the same URL, which was not whole yet. cache: one of them, which was not told.
   */
  _fromCache?: "memory" | "disk" | "prefetch" | "shared" | "cache";
  /**
   * In exported files: as the browser had it, where request.url had to be encoded.
   */
  _full_url?: string;
  /**
   * In exported files: the browser's number of the connection.
   */
  _socket?: number;
  /**
   * In exported files, as WebPageTest has it.
   */
  _tls_version?: string;
  _trilane: EntryFacts;
}
export interface HarRequest {
  method: string;
  url: string;
  httpVersion: string;
  cookies: HarCookie[];
  headers: HarHeader[];
  queryString: HarHeader[];
  postData?: HarPostData;
  headersSize: number;
  bodySize: number;
}
export interface HarCookie {
  name: string;
  value: string;
}
export interface HarHeader {
  name: string;
  value: string;
}
export interface HarPostData {
  mimeType: string;
  text: string;
}
export interface HarResponse {
  status: number;
  statusText: string;
  httpVersion: string;
  cookies: HarCookie[];
  headers: HarHeader[];
  content: HarContent;
  redirectURL: string;
  headersSize: number;
  bodySize: number;
  /**
   * Bytes of headers and body as received, framing of the stream included.
   */
  _transferSize: number;
  /**
   * net::ERR_... where the request failed.
   */
  _error: string | null;
  _fetchedViaServiceWorker?: boolean;
  _securityDetails?: SecurityDetails;
}
export interface HarContent {
  /**
   * Bytes, decoded.
   */
  size: number;
  compression?: number;
  mimeType: string;
}
export interface SecurityDetails {
  protocol: string;
  cipher: string;
  keyExchangeGroup: string;
  subjectName: string;
  issuer: string;
}
export interface HarTimings {
  /**
   * ms waiting: for a connection, for the browser's scheduler, between phases.
   */
  blocked: number;
  dns: number;
  /**
   * ms; includes ssl.
   */
  connect: number;
  ssl: number;
  send: number;
  wait: number;
  receive: number;
  /**
   * ms of blocked before the network stack took the request.
   */
  _blocked_queueing: number;
}
export interface Initiator {
  type: string;
  url?: string;
  lineNumber?: number;
  columnNumber?: number;
}
export interface EntryFacts {
  requestId: string;
  /**
   * main, child (a frame), worker.
   */
  frame: "main" | "child" | "worker";
  documentUrl: string;
  /**
   * CLOCK_MONOTONIC, as the reports of shaper and replay.
   */
  start_ns: number;
  /**
   * Since navigationStart.
   */
  startOffset_ms: number;
  /**
   * Headers received.
   */
  response_ns: number | null;
  /**
   * Finished or failed; null: still under way when the load was closed.
   */
  end_ns: number | null;
  complete: boolean;
  /**
   * By the page or the browser, not by the network.
   */
  canceled: boolean;
  /**
   * Why the browser never sent it (csp, mixed-content, ...).
   */
  blocked: string | null;
  connectionReused: boolean | null;
  serverPort: number | null;
  /**
   * How the browser came to this protocol, in DevTools' words (AlternateProtocolUsage); absent: not told.
   */
  alternateProtocol?: string;
  /**
   * How the replay found the response; absent: the request never reached it.
   */
  match?: "exact" | "fuzzy" | "missed";
  served?: ServedOn;
  /**
   * How a request was answered that the recording has nothing for. report: with 204, as a beacon, a ping, or a report of the browser's. other: with 404. failed: not at all, as it failed when it was recorded.
   */
  unrecorded?: "report" | "other" | "failed";
  instead?: GivenInstead;
}
/**
 * What the request came over by the replay's report. Absent: the request never reached it, or the load is of before this was told.
 */
export interface ServedOn {
  /**
   * Its id in replay.connections.
   */
  connection: number;
  /**
   * As ALPN names it; http/1.1 for HTTP/1.0 too.
   */
  protocol: "http/1.1" | "h2" | "h3";
}
/**
 * Of a fuzzy match: the recorded URL that was given, what the two differ in, and how alike they are, 0 to 1: their queries (native-host/archive/query.h) or paths (native-host/archive/path_similarity.h).
 */
export interface GivenInstead {
  url: string | null;
  difference: "body" | "port" | "query" | "path";
  likeness: number;
}
export interface LoadFacts {
  schema: "trilane/page-load/1";
  lane: Lane;
  link: LinkProfile;
  /**
   * Of loads of earlier versions: how many times slower time passed in the lab, whose time all times of the load are in. Absent: 1.
   */
  dilation?: number;
  watched?: Watched;
  video?: VideoEvents;
  /**
   * Of a dilated load: what was added to plt_ms because computation was not dilated (computation on the critical path, times dilation - 1). Other metrics have as much added of what was computed before them.
   */
  added_computation_ms?: number;
  /**
   * The recording's name.
   */
  page: string;
  recording_digest: string;
  /**
   * valid: it was what was asked. invalid: it ended, but was not; or its link lets nothing of its lane through. failed: it did not end.
   */
  status: "valid" | "invalid" | "failed";
  /**
   * Why it is not valid, one line each; empty for a valid load.
   */
  reasons: string[];
  metrics: Metrics;
  counts: LoadCounts;
  /**
   * How much of its recording the load asked for, and what it asked for beyond (cli/load/metrics/coverage.ts). null: the load did not end, or what was served is not known. Absent from loads of before it was told.
   */
  coverage?: LoadCoverage | null;
  /**
   * Requests on the wire by the protocol that answered them (ALPN). Absent from loads of before there were lanes with more than one.
   */
  protocols?: {
    [k: string]: number;
  };
  /**
   * What a repeat visit was; null: the load was a first visit.
   */
  repeat?: RepeatVisit | null;
  /**
   * Requests and names asked by the browser for itself (favicon, its own services), and WebSockets (ws:, wss:), which are not replayed: kept apart from the page's requests.
   */
  background: BackgroundRequest[];
  /**
   * What the replay's name server was asked.
   */
  dns: DnsAnswer[];
  /**
   * trilane-replay's report (schemas/replay-report.schema.json) without its requests and dns, which are told above; null: none was written.
   */
  replay: ReplayFacts | null;
  /**
   * trilane-shaper's report; null: none was written.
   */
  shaper: ShaperReport | null;
  serving?: ServingChoice;
  /**
   * The folder in which this load left its transports' state, captures and reports, where that was asked for.
   */
  evidence?: string;
  environment: Environment;
  /**
   * The load's wall clock began: CLOCK_MONOTONIC.
   */
  started_ns: number;
  /**
   * Tasks of 50 ms and more of the page's main thread until the load was read. Absent: they were not watched.
   */
  long_tasks?: LongTask[];
  videos?: PageVideos;
  cpu?: CpuTimes;
  pressure?: MachinePressure;
  disturbance?: LoadDisturbance;
  fallback?: LoadFallback;
  cross_traffic?: LoadCrossTraffic;
  /**
   * CLOCK_MONOTONIC.
   */
  navigation_start_ns: number | null;
  /**
   * From the call until nothing of the lab was left.
   */
  wall_ms: number;
}
/**
 * Until when paints, layout shifts and long tasks were watched. Absent: until some frames after the load event, or the load failed.
 */
export interface Watched {
  /**
   * Since navigationStart.
   */
  until_ms: number;
  /**
   * Whether neither network nor main thread did anything for half a second; false: the page went on for 10 s, or gave way to another one.
   */
  quiet: boolean;
}
/**
 * What the page recorded of the video that it played, until that ended or the load was given up. Absent: it plays none.
 */
export interface VideoEvents {
  schema: "trilane/video-events/1";
  settings: VideoSettings;
  /**
   * In the order in which they were noticed. The record is closed by `ended` or `error`, which is its last event.
   */
  events: (VideoPlayState | VideoError | VideoQuality | VideoSegment | VideoFrame | VideoBuffer)[];
}
export interface VideoRepresentation {
  /**
   * Of a representation: v1, v2, ... or a1, ..., by rising bitrate.
   */
  id: string;
  /**
   * Exact: a segment has bitrate x segment_s / 8 bytes. The initialization segment comes on top.
   */
  bitrate_bps: number;
  /**
   * Of each segment.
   */
  segment_bytes: number;
  /**
   * Name of the server that has its segments.
   */
  host: string;
  /**
   * As in a media type (RFC 6381): avc1.42c01e, vp09.00.21.08, opus.
   */
  codec: string;
  width: number;
  height: number;
  /**
   * Frames per second.
   */
  fps: number;
}
export interface AudioRepresentation {
  /**
   * Of a representation: v1, v2, ... or a1, ..., by rising bitrate.
   */
  id: string;
  /**
   * Exact: a segment has bitrate x segment_s / 8 bytes. The initialization segment comes on top.
   */
  bitrate_bps: number;
  /**
   * Of each segment.
   */
  segment_bytes: number;
  /**
   * Name of the server that has its segments.
   */
  host: string;
  /**
   * As in a media type (RFC 6381): avc1.42c01e, vp09.00.21.08, opus.
   */
  codec: string;
}
export interface FixedRepresentations {
  /**
   * Of a representation: v1, v2, ... or a1, ..., by rising bitrate.
   */
  video: string;
  /**
   * Of a representation: v1, v2, ... or a1, ..., by rising bitrate.
   */
  audio: string;
}
/**
 * start: the page's script hands the manifest to the player, which begins to load: zero of the startup delay. The others are events of the <video> element (HTML's media events); of a player that does not end its stream, `ended` is when the playhead came to the clip's end. A stall is from a `waiting` after the first `playing` to the next `playing`: elements also wait before they have begun.
 */
export interface VideoPlayState {
  kind: "start" | "loadstart" | "canplay" | "playing" | "waiting" | "timeupdate" | "ended";
  /**
   * performance.now().
   */
  t_ms: number;
  /**
   * Position in the clip.
   */
  media_s: number;
}
/**
 * Playback cannot go on: the element's error, or the player's.
 */
export interface VideoError {
  kind: "error";
  /**
   * performance.now().
   */
  t_ms: number;
  message: string;
}
/**
 * A representation begins, or another one than before. requested: the player asks for its segments from now on; rendered: its first segment is being played.
 */
export interface VideoQuality {
  kind: "quality";
  /**
   * performance.now().
   */
  t_ms: number;
  /**
   * Position in the clip.
   */
  media_s: number;
  stream: "video" | "audio";
  state: "requested" | "rendered";
  /**
   * Of a representation: v1, v2, ... or a1, ..., by rising bitrate.
   */
  representation: string;
  /**
   * Exact: a segment has bitrate x segment_s / 8 bytes. The initialization segment comes on top.
   */
  bitrate_bps: number;
}
/**
 * A request for a segment has ended (Resource Timing). t_ms is when this was noticed, end_ms when it ended.
 */
export interface VideoSegment {
  kind: "segment";
  /**
   * performance.now().
   */
  t_ms: number;
  stream: "video" | "audio";
  /**
   * Of a representation: v1, v2, ... or a1, ..., by rising bitrate.
   */
  representation: string;
  /**
   * From 1; 0: the initialization segment.
   */
  number: number;
  url: string;
  /**
   * As ALPN names it; empty: no response.
   */
  protocol: string;
  /**
   * HTTP status; 0: no response.
   */
  status: number;
  /**
   * Of the body.
   */
  bytes: number;
  /**
   * performance.now().
   */
  start_ms: number;
  /**
   * null: the name was known.
   */
  dns_start_ms: number | null;
  dns_end_ms: number | null;
  /**
   * null: on a connection that was there.
   */
  connect_start_ms: number | null;
  /**
   * With TLS.
   */
  connect_end_ms: number | null;
  /**
   * null: no response.
   */
  request_ms: number | null;
  /**
   * null: no response.
   */
  first_byte_ms: number | null;
  /**
   * performance.now().
   */
  end_ms: number;
}
/**
 * A frame was handed to the compositor (requestVideoFrameCallback). Frames that the callback missed have no event; presented_frames counts them.
 */
export interface VideoFrame {
  kind: "frame";
  /**
   * performance.now().
   */
  t_ms: number;
  /**
   * Position in the clip.
   */
  media_s: number;
  /**
   * The number that is drawn in it: its place in its representation, from 0.
   */
  number: number;
  /**
   * Frames submitted so far.
   */
  presented_frames: number;
  /**
   * performance.now().
   */
  expected_display_ms: number;
  /**
   * Of the representation that it is of.
   */
  width: number;
  height: number;
}
/**
 * A sample, about every 100 ms and once as the record closes: what lies ahead of the playhead, and getVideoPlaybackQuality().
 */
export interface VideoBuffer {
  kind: "buffer";
  /**
   * performance.now().
   */
  t_ms: number;
  /**
   * Position in the clip.
   */
  media_s: number;
  /**
   * Of the player's video buffer.
   */
  video_s: number;
  audio_s: number;
  total_frames: number;
  dropped_frames: number;
}
export interface LoadCounts {
  /**
   * The page's own, redirects apart, without those from cache.
   */
  requests: number;
  /**
   * Sum of _transferSize.
   */
  bytes: number;
  connections: number;
  /**
   * Answered with the recorded response of just this request.
   */
  matched: number;
  /**
   * Answered with that of one with another query, scheme or port.
   */
  fuzzy: number;
  /**
   * Not in the recording.
   */
  missed: number;
  failed: number;
  /**
   * Answered otherwise than the lane has it, by the word of the browser or of the replay.
   */
  off_lane: number;
}
export interface LoadCoverage {
  recorded: RequestAmount;
  asked: RequestAmount1;
  /**
   * asked.requests of recorded.requests.
   */
  requests: number;
  /**
   * asked.bytes of recorded.bytes.
   */
  bytes: number;
  beyond: BeyondRecording;
  /**
   * beyond.other of the requests before the load event, reports and failed ones left out.
   */
  unanswered: number;
}
/**
 * What a load is expected to ask for: the recording's requests before its load event, the same ones once; beacons, reports, preflights, icons and manifests left out (cli/recording/archive/recorded_requests.ts).
 */
export interface RequestAmount {
  requests: number;
  /**
   * Of response bodies, as on the wire.
   */
  bytes: number;
}
/**
 * Of these, what the load asked for. A fuzzy match counts for the request whose answer was given.
 */
export interface RequestAmount1 {
  requests: number;
  /**
   * Of response bodies, as on the wire.
   */
  bytes: number;
}
/**
 * Requests before the load event that the recording has no answer to. reports: beacons, pings and reports, answered as by a server that takes them. failed: failed when recorded, and again. other: answered 404, or never answered.
 */
export interface BeyondRecording {
  reports: number;
  other: number;
  failed: number;
}
export interface RepeatVisit {
  /**
   * Page load time of the first visit, which made the tickets; null: it was not told.
   */
  first_plt_ms: number | null;
  /**
   * emptied: what the first visit stored went, but for what makes connections resume. kept: nothing went.
   */
  cache: "emptied" | "kept";
  /**
   * Under TLS or QUIC, that the origins accepted from the second navigation on.
   */
  connections: number;
  /**
   * Of these, resumed with a ticket.
   */
  resumed: number;
  /**
   * Of these, with requests in the first flight (0-RTT).
   */
  early_data: number;
}
export interface BackgroundRequest {
  url: string;
  outcome: string;
}
export interface DnsAnswer {
  name: string;
  type: string;
  /**
   * ok, nodata, nxdomain
   */
  answer: string;
  time_ns: number;
}
export interface ReplayFacts {
  transport: {
    [k: string]: unknown;
  };
  [k: string]: unknown;
}
/**
 * How the origins were asked to serve, nothing left out; loads of before there was a choice have none.
 */
export interface ServingChoice {
  /**
   * as-recorded: one server for each recorded address. merged: the hosts of one operator are one server. single: all are.
   */
  origins?: "as-recorded" | "merged" | "single";
  /**
   * How long a server takes over a request before it answers: not at all, as the recorded one did, or always so long.
   */
  think?: ("none" | "recorded") | FixedThink;
  /**
   * Servers that were farther away when the page was recorded are so again, by the difference to the nearest one.
   */
  extra_rtt?: boolean;
  /**
   * How large a certificate chain servers send. recorded: as it was, 3243 bytes where that is not known (the Web's median, as browsers ask for it). small: about 900 bytes. Or always so large.
   */
  chain?: ("recorded" | "small") | FixedChain;
  /**
   * In which order a connection's responses are sent over h2 and h3. rfc9218: by the browser's priorities, on both alike. none: all in turns, as many servers do, whatever the browser asks for.
   */
  priorities?: "rfc9218" | "none";
  /**
   * TLS versions offered over TCP; QUIC always has 1.3.
   */
  tls?: "1.2" | "1.3" | "both";
  /**
   * The page's clock and random numbers are the same in every load.
   */
  pin_time?: boolean;
  /**
   * How often the browser acknowledges QUIC packets. usual: Chromium's own way, every second packet, after the first 100 every tenth or after a quarter of the round trip. frequent: after at most a millisecond instead of that quarter, by a switch of Chromium's; on all lanes alike. It is frequent wherever a lane of the plan has Sprout-EWMA, which lives on ACKs.
   */
  client_acks?: "usual" | "frequent";
  transport?: TransportChoice;
}
export interface LongTask {
  /**
   * Since navigationStart.
   */
  start_ms: number;
  duration_ms: number;
}
/**
 * Absent: the page did not answer, or an earlier version measured.
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
  duration_s: Known;
  /**
   * The picture's, in pixels, at the end.
   */
  width: number | null;
  height: Counted;
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
  frames_dropped: Counted;
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
export interface Stall {
  start_ms: number;
  duration_ms: number;
}
export interface Resolution {
  start_ms: number;
  width: number;
  height: number;
}
export interface CpuTimesTold {
  load: CpuTime;
  all: CpuTime;
}
export interface CpuTime {
  /**
   * Of all its processes.
   */
  browser_ms: number;
  /**
   * Of trilane-replay.
   */
  server_ms: number;
  /**
   * Of trilane-shaper.
   */
  shaper_ms: number;
}
export interface Pressure {
  /**
   * Time in which any task of the machine waited for a CPU (PSI, some). null: this system does not tell it.
   */
  stalled_ms: number | null;
  waited: CpuTime1;
  /**
   * The same of the threads that a load goes through: the browser's main and network threads, the server, the shaper. Here and below: absent from loads of before it was told.
   */
  way_ms?: number;
  main?: MainThreadUse;
  carriers?: CarrierUse;
  /**
   * CPU time that ran outside of the lab and the command line, over all CPUs; of the kernel's own threads the share that others have of all programs' time. null: this system does not tell it.
   */
  outside_ms?: number | null;
  /**
   * Time that the hypervisor ran something else in, over all CPUs (told in steps of 10 ms).
   */
  stolen_ms?: number;
}
/**
 * Time that threads were ready and had no CPU, added up over the threads of each.
 */
export interface CpuTime1 {
  /**
   * Of all its processes.
   */
  browser_ms: number;
  /**
   * Of trilane-replay.
   */
  server_ms: number;
  /**
   * Of trilane-shaper.
   */
  shaper_ms: number;
}
/**
 * Of way_ms, the pages' main threads, and for how long they ran. Absent, as carriers: an earlier version measured.
 */
export interface MainThreadUse {
  ran_ms: number;
  waited_ms: number;
}
/**
 * Of way_ms, the threads that carry messages and packets (the browser's network threads, the server, the shaper), and how often they were given a CPU.
 */
export interface CarrierUse {
  waited_ms: number;
  turns: number;
}
/**
 * The load is valid if link_ms is no more than tolerated_ms. In loads of earlier versions: if bound_ms is no more than tolerated_ms above calm_ms.
 */
export interface Disturbance {
  /**
   * link_ms and cpu_ms together: an upper bound, for what is held up need not be what the page waits for.
   */
  bound_ms: number;
  /**
   * Time between navigation and load event in which packets were overdue at the link, or the shaper or the browser was stopped.
   */
  link_ms: number;
  /**
   * Time that threads on the load's way (the browser's main and network threads, server, shaper) were ready and had no CPU, added up, and time that the hypervisor stole beyond the 10 ms in which it is told. null: this system does not tell it.
   */
  cpu_ms: number | null;
  /**
   * What of it the load has on a calm machine: its threads' waits for one another, that is, what is beyond all that ran outside of the lab meanwhile (but for what a machine runs by itself).
   */
  calm_ms: number;
  /**
   * The larger of the tolerance's time and its share of the page load time.
   */
  tolerated_ms: number;
  /**
   * About how much of the bound the page waited for, beyond calm_ms: waits of the pages' main threads in the share of their work that the load event waited for, and one mean wait for each time that its critical path went through a thread that carries packets. Absent: not known (no critical path, a video, an earlier version).
   */
  estimate_ms?: number;
}
/**
 * Absent: the link treats UDP as anything else, or the lane leaves no choice.
 */
export interface LoadFallback {
  /**
   * The browser tried QUIC, and then requests were answered over TCP; on h3-altsvc, where HTTP/2 comes first: all of them.
   */
  fell_back: boolean;
  /**
   * From when the first QUIC packet came to the link to when the next byte that the browser sent over TCP left it for the same server. null: it did not fall back.
   */
  time_ms: number | null;
  /**
   * Before the load event.
   */
  requests_over_tcp: number;
  /**
   * All of them, before the load event.
   */
  requests: number;
}
/**
 * Absent: the link was the load's alone.
 */
export interface LoadCrossTraffic {
  /**
   * In the words of `--flow`.
   *
   * @minItems 1
   */
  flows: [string, ...string[]];
  /**
   * When the navigation was to begin, on the flows' clock.
   */
  page_start_s: number;
  /**
   * When it began; null: it did not, or the flows left no report.
   */
  navigation_s: number | null;
  /**
   * By the receiving application of each single flow until the lab ended; null: it left no report.
   */
  received_bytes: (number | null)[];
}
