// Generated from ../profile.schema.json by `npm run generate`: change the schema instead.

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
   * cache: one of them, which was not told.
   */
  _fromCache?: "memory" | "disk" | "prefetch" | "cache";
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
  instead?: GivenInstead;
}
/**
 * Of a fuzzy match: the recorded URL that was given, what the two differ in, and how alike their queries are (native-host/archive/query.h), 0 to 1.
 */
export interface GivenInstead {
  url: string | null;
  difference: "body" | "port" | "query";
  likeness: number;
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
  metrics: ProfileMetrics;
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
  /**
   * What a reader must know: what is missing, what was done to the page.
   */
  notes: ProfileNote[];
  browser: ProfileBrowser;
  source?: ProfileSource;
}
export interface ProfileMetrics {
  /**
   * loadEventEnd - navigationStart.
   */
  plt_ms: number | null;
  /**
   * responseStart.
   */
  ttfb_ms: number | null;
  /**
   * domContentLoadedEventEnd.
   */
  dcl_ms: number | null;
  fcp_ms: number | null;
  lcp_ms: number | null;
  /**
   * The largest session window of layout shifts until the page was read; no unit.
   */
  cls: number | null;
  /**
   * Sum of what long tasks took beyond 50 ms, from first contentful paint until the page was read.
   */
  tbt_ms: number | null;
  /**
   * Why a metric is null.
   */
  unavailable: {
    [k: string]: string;
  };
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
