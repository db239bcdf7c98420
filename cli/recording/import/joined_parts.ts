// Parts of one resource that were recorded one by one (a video's, a file's in pieces): those that meet are one part, so that a range which
// reaches from one into the next can be answered. Pure.
import type { Header, NewExchange } from "../archive/archive.ts";
import { headerValue } from "./headers.ts";

interface Part {
  readonly place: number;
  readonly first: number;
  /** Behind its last byte. */
  readonly end: number;
  readonly bytes: Uint8Array;
}

const contentRange = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i;

/** Of what is one resource in one version; null: it is no whole part of one. */
function keyOf({ exchange }: NewExchange): string | null {
  const { method, scheme, host, port, path, status, response_headers: headers, body_origin } = exchange;
  if (method !== "GET" || status !== 206 || body_origin !== "recorded") return null;
  const [, , , whole] = contentRange.exec(headerValue(headers, "content-range") ?? "") ?? [];
  const version = ["etag", "last-modified", "content-encoding", "content-type"].map((name) =>
    headerValue(headers, name),
  );
  return whole === undefined ? null : JSON.stringify([scheme, host, port, path, whole, version]);
}

function partOf({ exchange, body }: NewExchange, place: number): Part | null {
  const [, from, to] = contentRange.exec(headerValue(exchange.response_headers, "content-range") ?? "") ?? [];
  const [first, end] = [Number(from), Number(to) + 1];
  return body !== undefined && body.length === end - first ? { place, first, end, bytes: body } : null;
}

/** Those that touch or overlap, in order. */
function runsOf(parts: readonly Part[]): Part[][] {
  const runs: Part[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const part of parts.toSorted((a, b) => a.first - b.first)) {
    if (part.first > end) runs.push([]);
    runs.at(-1)?.push(part);
    end = Math.max(part.first > end ? part.end : end, part.end);
  }
  return runs;
}

function joinedBytes(run: readonly Part[]): Buffer {
  const pieces: Uint8Array[] = [];
  let at = run[0]?.first ?? 0;
  for (const { first, end, bytes } of run) {
    if (end <= at) continue;
    pieces.push(bytes.subarray(at - first));
    at = end;
  }
  return Buffer.concat(pieces);
}

/** The same exchanges, of which each part has all that meets it. */
export function joinParts(exchanges: readonly NewExchange[]): NewExchange[] {
  const joined = [...exchanges];
  for (const [key, places] of Map.groupBy(exchanges.keys(), (place) => keyOf(exchanges[place] as NewExchange))) {
    if (key === null || places.length < 2) continue;
    const parts = places.flatMap((place) => partOf(exchanges[place] as NewExchange, place) ?? []);
    for (const run of runsOf(parts)) {
      if (run.length < 2) continue;
      const bytes = joinedBytes(run);
      const first = run[0]?.first ?? 0;
      for (const { place } of run) {
        const each = exchanges[place] as NewExchange;
        const headers = each.exchange.response_headers.map(([name, value]): Header => {
          if (name !== "content-range") return [name, value];
          return [name, `bytes ${first}-${first + bytes.length - 1}/${value.split("/")[1]}`];
        });
        joined[place] = { ...each, exchange: { ...each.exchange, response_headers: headers }, body: bytes };
      }
    }
  }
  return joined;
}
