// A Web Page Replay archive (.wprgo): gzipped JSON of Go's `Archive`, in which each exchange is a request and a response as
// HTTP/1 text, by host and URL. Unpacked beside memory, so that its size does not matter.
import { X509Certificate } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { urlWithoutCredentials } from "../../../extension/capture/url_without_credentials.ts";
import { UserError } from "../../base/errors.ts";
import type { JsonObject } from "../archive/archive.ts";
import { bodyIn, readMessage, requestIn, statusIn } from "./http_message.ts";
import { JsonStream, JsonStreamError } from "./json_stream.ts";
import type { ByteRange, Spool } from "./spool.ts";
import type { WireExchange, WireRecording } from "./wire_exchange.ts";

/** Unpacked; more than any page, and less than what would fill a disk unnoticed. */
const largest_bytes = 8e9;

interface Archived {
  readonly url: string;
  readonly request: ByteRange | null;
  readonly response: ByteRange | null;
  readonly websocket: boolean;
}

interface Archive {
  readonly archived: Archived[];
  /** DER, one certificate after the other, by host. */
  readonly certificates: Map<string, Buffer>;
  readonly protocols: Map<string, string>;
}

async function* within(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > largest_bytes) throw new JsonStreamError(`more than ${largest_bytes / 1e9} GB unpacked`);
    yield chunk;
  }
}

/** The bytes of a gzip file, or of one that is not packed at all. */
async function* unzipped(file: Readable): AsyncGenerator<Buffer> {
  const source = file[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const first = await source.next();
  if (first.done) return;
  async function* all(): AsyncGenerator<Buffer> {
    yield first.value;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  }
  if (first.value[0] !== 0x1f) yield* all();
  // What fails in it is thrown where its output is read.
  else yield* within(pipeline(Readable.from(all(), { objectMode: false }), createGunzip(), () => {}));
}

/** One ArchivedRequest. */
async function readArchived(json: JsonStream, spool: Spool, url: string): Promise<Archived> {
  const parts: { request: ByteRange | null; response: ByteRange | null } = { request: null, response: null };
  let websocket = false;
  const message = async (): Promise<ByteRange | null> => {
    const start = spool.size;
    await json.nullOr(() => json.base64((bytes) => spool.add(bytes)));
    return spool.size === start ? null : await spool.range(start);
  };
  await json.object(async (key) => {
    if (key === "SerializedRequest") parts.request = await message();
    else if (key === "SerializedResponse") parts.response = await message();
    else if (key === "WebSocketMessages")
      await json.nullOr(async () => {
        websocket = true;
        await json.skip();
      });
    else await json.skip();
  });
  return { url, ...parts, websocket };
}

async function readArchive(chunks: AsyncIterable<Buffer>, spool: Spool, progress: () => void): Promise<Archive> {
  const json = new JsonStream(chunks);
  const archive: Archive = { archived: [], certificates: new Map(), protocols: new Map() };
  let isArchive = false;
  await json.object(async (key) => {
    if (key === "Requests") {
      isArchive = true;
      await json.nullOr(() =>
        json.object(() =>
          json.nullOr(() =>
            json.object((url) =>
              json.nullOr(() =>
                json.array(() =>
                  json.nullOr(async () => {
                    archive.archived.push(await readArchived(json, spool, url));
                    progress();
                  }),
                ),
              ),
            ),
          ),
        ),
      );
    } else if (key === "Certs") {
      await json.nullOr(() =>
        json.object((host) =>
          json.nullOr(async () => {
            const parts: Buffer[] = [];
            await json.base64(async (bytes) => {
              parts.push(bytes);
            });
            archive.certificates.set(host, Buffer.concat(parts));
          }),
        ),
      );
    } else if (key === "NegotiatedProtocol") {
      await json.nullOr(() =>
        json.object((host) =>
          json.nullOr(async () => {
            archive.protocols.set(host, await json.string());
          }),
        ),
      );
    } else {
      await json.skip();
    }
  });
  await json.end();
  if (!isArchive) throw new JsonStreamError("no Requests, so it is no archive");
  return archive;
}

/** What the recorded certificate says; Web Page Replay keeps it signed anew, with the names and without the chain. */
function tlsOf(der: Buffer | undefined): JsonObject | null {
  if (!der || der.length === 0) return null;
  try {
    const { subjectAltName, issuer } = new X509Certificate(der);
    const names = (subjectAltName ?? "").split(", ").filter((name) => name.startsWith("DNS:"));
    const common = /^CN=(.*)$/m.exec(issuer)?.[1] ?? null;
    return { version: null, names: names.map((name) => name.slice(4)), issuer: common, chain_bytes: null };
  } catch {
    return null;
  }
}

interface Place {
  /** Among those of one URL, from 1. */
  readonly number: number;
  /** In the archive, from 0. */
  readonly entry: number;
}

type Read = { readonly exchange: WireExchange } | { readonly failed: string } | { readonly left: string };

async function readExchange(archived: Archived, { number, entry }: Place, archive: Archive): Promise<Read> {
  const urlText = urlWithoutCredentials(archived.url);
  const name = `${urlText} (${number})`;
  const refuse = (what: string): UserError => new UserError(`exchange of ${name}: ${what}: record the page again`);
  if (!archived.request) throw refuse("has no request");
  if (archived.websocket) return { left: "WebSocket" };
  const url = URL.parse(urlText);
  if (!url) throw refuse("is of no URL");
  if (url.protocol !== "http:" && url.protocol !== "https:") return { left: "not over HTTP" };
  const request = await readMessage(archived.request, (what) => refuse(`request ${what}`));
  const line = requestIn(request.head.firstLine);
  if (!line) throw refuse("holds no request line");
  if (line.method === "CONNECT") return { left: "CONNECT" };
  // "If empty, the request failed."
  if (!archived.response) return { failed: url.href };
  const response = await readMessage(archived.response, (what) => refuse(`response ${what}`));
  const status = statusIn(response.head.firstLine);
  if (status === null) throw refuse("holds no status line");
  const https = url.protocol === "https:";
  const tls = https ? tlsOf(archive.certificates.get(url.hostname) ?? archive.certificates.get(url.host)) : null;
  const named = archive.protocols.get(url.hostname) ?? archive.protocols.get(url.host);
  return {
    exchange: {
      name,
      method: line.method,
      url,
      requestHeaders: request.head.headers,
      requestBody: await bodyIn(request.rest, request.head.headers),
      status,
      responseHeaders: response.head.headers,
      responseBody: await bodyIn(response.rest, response.head.headers),
      address: null,
      protocol: https ? named || "http/1.1" : "http/1.1",
      facts: { entry, ...(tls ? { tls } : {}) },
    },
  };
}

function explain(error: unknown, name: string): never {
  const code = error instanceof Error && "code" in error ? error.code : "";
  if (code === "Z_BUF_ERROR") throw new UserError(`${name}: gzip is cut off: save or copy the file again`);
  if (typeof code === "string" && code.startsWith("Z_"))
    throw new UserError(`${name}: gzip is damaged: save or copy the file again`);
  if (!(error instanceof JsonStreamError)) throw error;
  const what = error.cutOff ? error.message : `is no Web Page Replay archive (${error.message})`;
  throw new UserError(`${name}: ${what}: ${error.cutOff ? "save or copy the file again" : "name a .wprgo file"}`);
}

/**
 * Reads all but the bodies, which stay in the spool. `file`: a path, or a stream and what to call it. UserError names the
 * file or the exchange and what is wrong with it.
 */
export async function readWpr(
  file: string | Readable,
  name: string,
  spool: Spool,
  progress: (done: number) => void = () => {},
): Promise<WireRecording> {
  let archive: Archive;
  let done = 0;
  try {
    const stream = typeof file === "string" ? createReadStream(file, { highWaterMark: 1 << 20 }) : file;
    archive = await readArchive(unzipped(stream), spool, () => progress(++done));
  } catch (error) {
    return explain(error, name);
  }
  const exchanges: WireExchange[] = [];
  const failedUrls = new Set<string>();
  const left: Record<string, number> = {};
  const numbers = new Map<string, number>();
  for (const [entry, archived] of archive.archived.entries()) {
    const number = (numbers.get(archived.url) ?? 0) + 1;
    numbers.set(archived.url, number);
    const read = await readExchange(archived, { number, entry }, archive).catch((error: unknown) => {
      throw error instanceof UserError ? new UserError(`${name}: ${error.message}`) : error;
    });
    if ("exchange" in read) exchanges.push(read.exchange);
    else if ("failed" in read) failedUrls.add(read.failed);
    else left[read.left] = (left[read.left] ?? 0) + 1;
  }
  return { source: "wpr", exchanges, failedUrls: [...failedUrls], left };
}
