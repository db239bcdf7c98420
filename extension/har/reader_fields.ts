// What other programs' readers of HAR look for beside HAR 1.2 itself: URLs as RFC 3986 has them, WebPageTest's _socket and
// _tls_version. Pure; used for page loads and profiles alike.
import type { HarEntry } from "../../schemas/generated/page_load.ts";

const tlsVersions: Readonly<Record<string, string>> = { QUIC: "TLSv1.3", "TLS 1.3": "TLSv1.3", "TLS 1.2": "TLSv1.2" };

/** A URL as RFC 3986 has it, which HAR's schema asks for: browsers leave `|` and others as they are. */
export function strictUrl(url: string): string {
  const encode = (text: string): string =>
    text
      .toWellFormed()
      .replace(/%(?![0-9A-Fa-f]{2})/g, "%25")
      .replace(/[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/gu, encodeURIComponent);
  const parsed = URL.parse(url);
  if (!parsed) return `about:invalid#${encode(url).replaceAll(/[#[\]]/g, encodeURIComponent)}`;
  // Brackets are for IPv6 hosts only, a second # has no place.
  const rest = parsed.pathname + parsed.search;
  const hash = parsed.hash === "" ? "" : `#${parsed.hash.slice(1).replaceAll(/[#[\]]/g, encodeURIComponent)}`;
  const before = parsed.href.slice(0, parsed.href.length - rest.length - parsed.hash.length);
  return encode(before + rest.replaceAll(/[[\]]/g, encodeURIComponent) + hash);
}

/** The entry with these fields; `connection`: what its connection is called in this file, undefined where it has none. */
export function withReaderFields(entry: HarEntry, pageref: string, connection: string | undefined): HarEntry {
  const socket = Number(entry._connectionId ?? entry.connection);
  const tls = entry.response._securityDetails?.protocol;
  const url = strictUrl(entry.request.url);
  return {
    ...entry,
    request: { ...entry.request, url },
    ...(url === entry.request.url ? {} : { _full_url: entry.request.url }),
    pageref,
    ...(connection === undefined ? {} : { connection, _connectionId: connection }),
    ...(connection !== undefined && Number.isSafeInteger(socket) ? { _socket: socket } : {}),
    ...(tls === undefined ? {} : { _tls_version: tlsVersions[tls] ?? tls }),
  };
}
