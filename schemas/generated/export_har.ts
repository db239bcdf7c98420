// Generated from ../export-har.schema.json by `npm run generate`: change the schema instead.
import type { EntryFacts, LoadFacts } from "./page_load.ts";

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
