// A new recording out of one that stays: without hosts or URLs, with other bodies, with another start URL. Bodies that stay
// are not copied.
import { open } from "node:fs/promises";
import { urlWithoutCredentials } from "../../../extension/capture/url_without_credentials.ts";
import { UserError } from "../../base/errors.ts";
import type {
  Archive,
  ArchivedExchange,
  Header,
  Json,
  JsonObject,
  NewBody,
  NewExchange,
  Recording,
} from "../archive/archive.ts";
import { urlOf } from "../export/recording_source.ts";
import { contentEncoding, encode } from "../fill/content_encoding.ts";
import { ByteRange } from "../import/spool.ts";

export interface BodyReplacement {
  /** A pattern of URLs, see matches(). */
  readonly url: string;
  readonly file: string;
}

export interface Edits {
  /** Hosts, or `*.example.org` for a domain's hosts and itself. */
  readonly removeHosts: readonly string[];
  /** Patterns of URLs. */
  readonly removeUrls: readonly string[];
  readonly replaceBodies: readonly BodyReplacement[];
  readonly startUrl: string | undefined;
}

interface Edited {
  readonly recording: Recording;
  readonly removed: number;
  readonly replaced: number;
}

/** `*` stands for any characters. */
export function matches(pattern: string, text: string): boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(text);
}

export function isHost(pattern: string, host: string): boolean {
  const wanted = pattern.toLowerCase();
  if (!wanted.startsWith("*.")) return host === wanted;
  return host === wanted.slice(2) || host.endsWith(wanted.slice(1));
}

/** Compressed in memory; more than any page has. */
const largestEncoded_bytes = 256 * 1024 * 1024;

interface NewContent {
  readonly body: NewBody;
  readonly origin: "recorded" | "recompressed";
  readonly wire_bytes: number;
  readonly decoded_bytes: number;
}

/** A file as the response's body: in its content-encoding, where it has one. */
async function contentOf(file: string, headers: readonly Header[]): Promise<NewContent> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw new UserError(`--replace-body: ${file}: no such file`);
    throw error;
  });
  let size: number;
  try {
    const there = await handle.stat();
    if (!there.isFile()) throw new UserError(`--replace-body: ${file}: is no file`);
    size = there.size;
  } finally {
    await handle.close();
  }
  const range = new ByteRange(file, 0, size);
  const header = headers.find(([name]) => name === "content-encoding")?.[1];
  const encoding = contentEncoding(header);
  if (!encoding && header !== undefined && header.trim().toLowerCase() !== "identity")
    throw new UserError(`--replace-body: ${file}: cannot be put into the content-encoding ${JSON.stringify(header)}`);
  if (!encoding || size === 0)
    return { body: range.chunks(), origin: "recorded", wire_bytes: size, decoded_bytes: size };
  if (size > largestEncoded_bytes)
    throw new UserError(
      `--replace-body: ${file}: ${size} bytes are too many to compress (at most ${largestEncoded_bytes})`,
    );
  const { bytes } = encode(await range.bytes(), encoding);
  return { body: bytes, origin: "recompressed", wire_bytes: bytes.length, decoded_bytes: size };
}

const stored = (sha256: string | null): NewBody | undefined => (sha256 === null ? undefined : { sha256 });

async function changed(exchange: ArchivedExchange, file: string | undefined): Promise<NewExchange<NewBody>> {
  const requestBody = stored(exchange.request_body_sha256);
  if (file === undefined) return { exchange, body: stored(exchange.body_sha256), requestBody };
  const { body, origin, wire_bytes, decoded_bytes } = await contentOf(file, exchange.response_headers);
  // What was known of the old body is not true of this one.
  const { filled_with: _with, cut_off: _cut, transfer_size_from: _from, ...known } = exchange.recorded;
  const recorded: JsonObject = { ...known, transfer_size: wire_bytes, decoded_size: decoded_bytes };
  return { exchange: { ...exchange, body_origin: origin, recorded }, body, requestBody };
}

/** Every edit must do something, or it was mistyped. */
function mustMatch(exchanges: readonly ArchivedExchange[], edits: Edits): void {
  for (const host of edits.removeHosts)
    if (!exchanges.some((exchange) => isHost(host, exchange.host)))
      throw new UserError(`--remove-host ${host}: no exchange is of that host: see \`trilane recording show\``);
  for (const [option, url] of [
    ...edits.removeUrls.map((url) => ["--remove-url", url] as const),
    ...edits.replaceBodies.map(({ url }) => ["--replace-body", url] as const),
  ])
    if (!exchanges.some((exchange) => matches(url, urlOf(exchange))))
      throw new UserError(`${option} ${url}: no exchange has that URL: see \`trilane recording show --requests\``);
}

function startUrl(given: string | undefined, old: string): string {
  if (given === undefined) return old;
  const url = URL.parse(urlWithoutCredentials(given));
  if (!url || !/^https?:$/.test(url.protocol)) throw new UserError(`--url ${given}: is not an http or https URL`);
  url.hash = "";
  return url.href;
}

/** Writes the recording `as` whole or not at all; `name` stays as it is. */
export async function editRecording(
  archive: Archive,
  { name, as, replace }: { name: string; as: string; replace: boolean },
  edits: Edits,
): Promise<Edited> {
  if (name === as) throw new UserError(`--as ${as}: is the recording itself, which stays: choose another name`);
  const { recording, exchanges, problems } = await archive.verify(name);
  mustMatch(exchanges, edits);
  if (problems.length > 0)
    throw new UserError(`recording "${name}": is damaged: see \`trilane recording verify ${name}\``);
  const kept = exchanges.filter(
    (exchange) =>
      !edits.removeHosts.some((host) => isHost(host, exchange.host)) &&
      !edits.removeUrls.some((url) => matches(url, urlOf(exchange))),
  );
  if (kept.length === 0) throw new UserError(`recording "${name}": nothing would be left of it: remove less`);
  const removed = exchanges.length - kept.length;
  const fileFor = (exchange: ArchivedExchange): string | undefined =>
    edits.replaceBodies.findLast(({ url }) => matches(url, urlOf(exchange)))?.file;
  const replaced = kept.filter((exchange) => fileFor(exchange) !== undefined).length;
  const edited: Json = { from: recording.name, digest: recording.digest, removed, replaced };
  const written = await archive.write(
    {
      name: as,
      url: startUrl(edits.startUrl, recording.url),
      source: recording.source,
      recorded_at: recording.recorded_at,
      notes: { ...recording.notes, edited },
      replace,
    },
    async (writer) => {
      for (const exchange of kept) await writer.add(await changed(exchange, fileFor(exchange)));
    },
  );
  return { recording: written, removed, replaced };
}
