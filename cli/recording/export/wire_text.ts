// Recorded exchanges as HTTP/1.1 has them on the wire: what recorders of the wire keep. First lines and headers; bodies
// come from the archive, whole and unframed.
import { STATUS_CODES } from "node:http";
import type { ArchivedExchange, Exchange, Header } from "../archive/archive.ts";

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
