// The response headers of a modelled page: as recorded, but for those that would keep it from working, because they speak of
// the page that it takes the place of. These stay under names that no browser knows, so that a response keeps its size.
// Pure.
import type { Header } from "../archive/archive.ts";

/** What forbids what a modelled page does, or makes a browser ask for more or go elsewhere. */
const disarmed: ReadonlySet<string> = new Set([
  "clear-site-data",
  "content-disposition",
  "content-security-policy",
  "content-security-policy-report-only",
  "cross-origin-embedder-policy",
  "cross-origin-embedder-policy-report-only",
  "cross-origin-opener-policy",
  "cross-origin-opener-policy-report-only",
  "cross-origin-resource-policy",
  "document-policy",
  "feature-policy",
  "link",
  "nel",
  "origin-agent-cluster",
  "permissions-policy",
  "refresh",
  "report-to",
  "reporting-endpoints",
  "service-worker-allowed",
  "sourcemap",
  "speculation-rules",
  "strict-transport-security",
  "supports-loading-mode",
  "x-content-type-options",
  "x-dns-prefetch-control",
  "x-frame-options",
  "x-sourcemap",
  "x-xss-protection",
]);

/** What decides whether a cache may answer: a parser that comes by what its preload scanner had found would ask again. */
const ofCaches: ReadonlySet<string> = new Set([
  "age",
  "cache-control",
  "cdn-cache-control",
  "etag",
  "expires",
  "last-modified",
  "pragma",
  "vary",
]);
/** Longer than the oldest recording's date is past. */
const fresh = "max-age=2147483647";

const ofCors: ReadonlySet<string> = new Set([
  "access-control-allow-origin",
  "access-control-allow-credentials",
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-max-age",
]);

interface HeadersWanted {
  /** Who may read it: null: it is not requested by CORS. */
  readonly cors: { readonly origin: string; readonly credentials: boolean } | null;
  /** Of a preflight: the method that it lets through; null: it is none, or one that lets nothing through. */
  readonly letsThrough: string | null;
  /** The type of a body that was made; null: as recorded. */
  readonly type: string | null;
  /** Of such a body; undefined: as recorded. */
  readonly encoding: string | null | undefined;
  /** Requested again: no cache may answer. */
  readonly isRepeated: boolean;
  /** Whether http:// URLs are requested as https://, as a browser has it on a page that came by https. */
  readonly upgrades: boolean;
}

export function modelledHeaders(recorded: readonly Header[], wanted: HeadersWanted): Header[] {
  const { cors, letsThrough, type, encoding, isRepeated, upgrades } = wanted;
  const headers = recorded.flatMap(([name, value]): Header[] => {
    if (disarmed.has(name)) return [[`x-${name}`, value]];
    if ((cors || letsThrough !== null) && ofCors.has(name)) return [];
    if (type !== null && name === "content-type") return [];
    if (encoding !== undefined && name === "content-encoding") return [];
    if (ofCaches.has(name)) return [[`x-${name}`, value]];
    if (name === "content-range") return [];
    return [[name, value]];
  });
  if (type !== null) headers.push(["content-type", type]);
  if (encoding) headers.push(["content-encoding", encoding]);
  headers.push(["cache-control", isRepeated ? "no-store" : fresh]);
  if (upgrades) headers.push(["content-security-policy", "upgrade-insecure-requests"]);
  if (cors) {
    headers.push(["access-control-allow-origin", cors.credentials ? cors.origin : "*"]);
    if (cors.credentials) headers.push(["access-control-allow-credentials", "true"]);
  }
  if (letsThrough !== null)
    headers.push(
      ["access-control-allow-methods", letsThrough],
      ["access-control-allow-headers", "x-trilane"],
      ["access-control-max-age", "0"],
    );
  return headers;
}
