// A recording on its way out: its rows, and its bodies as they are wanted. The size of a request's body is in no row, so it
// is found out by reading it.
import { STATUS_CODES } from "node:http";
import { urlWithoutCredentials } from "../../../extension/capture/url_without_credentials.ts";
import { redactedValue, type Side } from "../../../extension/har/redact.ts";
import { UserError } from "../../base/errors.ts";
import type { Archive, ArchivedExchange, Exchange, Header, JsonObject, RecordingDetail } from "../archive/archive.ts";

// Recorded exchanges as HTTP/1.1 has them on the wire: what recorders of the wire keep. First lines and headers; bodies
// come from the archive, whole and unframed.

/** Host as a URL and a Host header have it. */
export function authorityOf({ host, port, scheme }: Pick<Exchange, "host" | "port" | "scheme">): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return port === (scheme === "https" ? 443 : 80) ? name : `${name}:${port}`;
}

export const urlOf = (exchange: Pick<Exchange, "host" | "port" | "scheme" | "path">): string =>
  `${exchange.scheme}://${authorityOf(exchange)}${exchange.path}`;

export const requestLine = ({ method, path }: ArchivedExchange): string => `${method} ${path} HTTP/1.1`;

export const statusText = (status: number): string => STATUS_CODES[status] ?? "";

export const statusLine = ({ status }: ArchivedExchange): string => `HTTP/1.1 ${status} ${statusText(status)}`;

export function requestHeaders(exchange: ArchivedExchange, body_bytes: number): Header[] {
  const length: Header[] = exchange.request_body_sha256 === null ? [] : [["content-length", `${body_bytes}`]];
  return [["host", authorityOf(exchange)], ...exchange.request_headers, ...length];
}

/** Responses that never have a body say no length (RFC 9110 8.6). */
export function responseHeaders({ method, status, response_headers, body_size }: ArchivedExchange): Header[] {
  if (status === 204 || status === 304 || method === "HEAD") return [...response_headers];
  return [...response_headers, ["content-length", `${body_size}`]];
}

/** First line, headers and the empty line. */
export function headText(firstLine: string, headers: readonly Header[]): Buffer {
  return Buffer.from(`${firstLine}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
}

export interface RecordingSource extends RecordingDetail {
  responseBody(exchange: ArchivedExchange): AsyncIterable<Buffer>;
  requestBody(exchange: ArchivedExchange): AsyncIterable<Buffer>;
  requestBody_bytes(exchange: ArchivedExchange): Promise<number>;
}

const redacted = (headers: readonly Header[], side: Side): Header[] =>
  headers.map(([name, value]) => [name, redactedValue(name, value, side)]);

const isHeaders = (value: unknown): value is Header[] =>
  Array.isArray(value) && value.every((each) => Array.isArray(each) && each.length === 2);

interface Hint {
  readonly headers: Header[];
}

const isHint = (value: unknown): value is Hint =>
  typeof value === "object" && value !== null && "headers" in value && isHeaders(value.headers);

/** The 103 responses that came before it (Early Hints). */
export const hintsOf = ({ recorded: { early_hints } }: ArchivedExchange): readonly Hint[] =>
  Array.isArray(early_hints) ? (early_hints as readonly unknown[]).filter(isHint) : [];

/** Without the values of credentials, also among the headers that no lane sends. */
function withoutCredentials(exchange: ArchivedExchange): ArchivedExchange {
  const { unsent_headers, trailers } = exchange.recorded;
  const hints = hintsOf(exchange).map((hint) => ({ ...hint, headers: redacted(hint.headers, "response") }));
  const recorded: JsonObject = {
    ...exchange.recorded,
    ...(isHeaders(unsent_headers) ? { unsent_headers: redacted(unsent_headers, "response") } : {}),
    ...(hints.length > 0 ? { early_hints: hints } : {}),
    ...(isHeaders(trailers) ? { trailers: redacted(trailers, "response") } : {}),
  };
  return {
    ...exchange,
    request_headers: redacted(exchange.request_headers, "request"),
    response_headers: redacted(exchange.response_headers, "response"),
    recorded,
  };
}

async function* nothing(): AsyncGenerator<Buffer> {}

/** UserError where there is no such recording, or where a body of it is not as it was written. */
export async function openRecording(
  archive: Archive,
  name: string,
  keepCredentials: boolean,
): Promise<RecordingSource> {
  const { problems, recording, exchanges } = await archive.verify(name);
  const detail = keepCredentials
    ? { recording, exchanges }
    : {
        recording: { ...recording, url: urlWithoutCredentials(recording.url) },
        exchanges: exchanges.map(withoutCredentials),
      };
  if (problems.length > 0)
    throw new UserError(
      `recording "${name}": ${problems.length} of its bodies are damaged: see \`trilane recording verify ${name}\``,
    );
  const bodyOf = (sha256: string | null) => (sha256 === null ? nothing() : archive.body(sha256));
  return {
    ...detail,
    responseBody: ({ body_sha256 }) => bodyOf(body_sha256),
    requestBody: ({ request_body_sha256 }) => bodyOf(request_body_sha256),
    async requestBody_bytes({ request_body_sha256 }) {
      let size = 0;
      for await (const piece of bodyOf(request_body_sha256)) size += piece.length;
      return size;
    },
  };
}
