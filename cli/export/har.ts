// Loads as one HAR 1.2 file, a HAR page each: the stored page loads with the fields added that WebPageTest's readers look for.
// What is Trilane's own stands under `_trilane`, by schemas/export-har.schema.json.
import type { HarEntry, PageLoad } from "../../schemas/generated/page_load.ts";
import type { Load, Sweep } from "../results/results.ts";
import { version } from "../version.ts";

/** What is exported: rows, and how to get at each one's page load, one at a time. */
export interface HarSource {
  readonly sweep: Sweep;
  readonly loads: readonly Load[];
  readonly pageLoadOf: (load: number) => PageLoad;
}

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

function entryFor(entry: HarEntry, load: number, alone: boolean): object {
  const id = entry._connectionId ?? entry.connection;
  // A browser counts its connections from the start again: in one file two loads' must not look the same.
  const connection = id === undefined ? {} : alone ? { connection: id } : { connection: `${load}-${id}` };
  const socket = Number(id);
  const tls = entry.response._securityDetails?.protocol;
  const url = strictUrl(entry.request.url);
  return {
    ...entry,
    request: { ...entry.request, url },
    ...(url === entry.request.url ? {} : { _full_url: entry.request.url }),
    pageref: `load_${load}`,
    ...connection,
    ...(id === undefined ? {} : { _connectionId: connection.connection }),
    ...(Number.isSafeInteger(socket) ? { _socket: socket } : {}),
    ...(tls === undefined ? {} : { _tls_version: tlsVersions[tls] ?? tls }),
  };
}

function pageFor(load: Load, { log }: PageLoad): object {
  const [page] = log.pages;
  return {
    ...page,
    id: `load_${load.id}`,
    comment: `${load.page}, ${load.lane}, ${load.link}, block ${load.block}, attempt ${load.attempt}: ${load.status}`,
    _trilane: log._trilane,
  };
}

/** The document in pieces, so that hundreds of loads need no memory for all of them at once. */
export function* harPieces({ sweep, loads, pageLoadOf }: HarSource): Generator<string> {
  const [first] = loads;
  const browser = first ? pageLoadOf(first.id).log.browser : { name: "unknown", version: "" };
  const head = { version: "1.2", creator: { name: "Trilane", version }, browser };
  yield `{"log":${JSON.stringify(head).slice(0, -1)},"pages":[`;
  let comma = "";
  for (const load of loads) {
    yield comma + JSON.stringify(pageFor(load, pageLoadOf(load.id)));
    comma = ",\n";
  }
  yield `],\n"entries":[`;
  comma = "";
  for (const load of loads) {
    for (const entry of pageLoadOf(load.id).log.entries) {
      yield comma + JSON.stringify(entryFor(entry, load.id, loads.length === 1));
      comma = ",\n";
    }
  }
  const facts = {
    schema: "trilane/export-har/1",
    sweep: { id: sweep.id, name: sweep.name, plan_digest: sweep.plan_digest, seed: sweep.seed },
    loads: loads.map((load) => ({ page: `load_${load.id}`, load: load.id, block: load.block, attempt: load.attempt })),
  };
  yield `],\n"_trilane":${JSON.stringify(facts)}}}\n`;
}
