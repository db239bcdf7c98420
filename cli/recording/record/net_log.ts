// Chromium's net log -> what went over the wire: each request with its headers in order and its body's bytes before
// decoding, each connection with its handshake's time and certificates. Reads the file line by line; knows no page.
//
// The log must have been written with --net-log-capture-mode=Everything. Its lines are one event each; the numbers of
// event types are listed in its first line. A log of a browser that was killed has no end: what is there is read.
import { createReadStream } from "node:fs";
import { urlWithoutCredentials } from "../../../extension/capture/url_without_credentials.ts";
import type { Header } from "../archive/archive.ts";
import { LoggedBody } from "./logged_body.ts";
import { TlsRecords } from "./tls_records.ts";

/** One request as the network saw it: a redirect begins another. */
export interface LoggedRequest {
  readonly method: string;
  readonly url: string;
  /** On the clock of DevTools' timestamps, whole ms. */
  readonly started_ms: number;
  /** The site of the page that it was made for, as the browser keys its connections; empty for the browser's own. */
  readonly isolation: string;
  /** http/1.1, h2, h3; null: it never got on a connection. */
  protocol: string | null;
  /** As sent, names in lower case, with pseudo-headers; null: it never got on a connection. */
  requestHeaders: readonly Header[] | null;
  /** When its headers went out, those of its final response were there, and it was read to its end; null: never. */
  sent_ms: number | null;
  answered_ms: number | null;
  ended_ms: number | null;
  /** 103 responses (Early Hints) before the final one. */
  hints: readonly { readonly time_ms: number; readonly headers: readonly Header[] }[];
  /** The final response's status, and its headers as received; null: none came. */
  status: number | null;
  responseHeaders: readonly Header[] | null;
  /** The body before content-decoding, without the transfer's framing. */
  readonly body: LoggedBody;
  /** HTTP/2 and HTTP/3; those of HTTP/1.1 are not reported. */
  trailers: readonly Header[];
  /** Read to its end, and not given up. */
  ended: boolean;
  /** Whether the body is decoded in the network process, so that its bytes are logged twice. */
  hasFilters: boolean;
}

export interface LoggedConnection {
  /** As DevTools names it, too. */
  readonly id: number;
  /** As "203.0.113.1:443", "[2001:db8::1]:443". */
  readonly address: string;
  /** From TCP's or QUIC's first packet to its answer; null: none came. */
  connect_ms: number | null;
  /** As the server sent them, the leaf first, PEM; QUIC's are not logged. */
  certificates: readonly string[];
  /** What came over it under TLS; null: QUIC's, whose packets open by themselves. */
  readonly records: TlsRecords | null;
}

export interface NetLog {
  readonly requests: readonly LoggedRequest[];
  readonly connections: readonly LoggedConnection[];
}

interface LogEvent {
  readonly type: number;
  readonly phase: number;
  readonly time: string;
  readonly source: { readonly id: number };
  readonly params?: Readonly<Record<string, unknown>>;
}

interface Line {
  readonly offset: number;
  readonly length: number;
}

type Taker = (event: LogEvent, line: Line) => void;

const phaseBegin = 1;
const phaseEnd = 2;

const textOf = (params: LogEvent["params"], name: string): string => {
  const value = params?.[name];
  return typeof value === "string" ? value : "";
};

const textsOf = (params: LogEvent["params"], name: string): string[] => {
  const value = params?.[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
};

/** "name: value" lines, also those of pseudo-headers, whose names begin with a colon. */
function headersOf(lines: readonly string[]): Header[] {
  return lines.flatMap((line): Header[] => {
    const colon = line.indexOf(":", 1);
    return colon < 0 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
  });
}

/** "HTTP/1.1 200 OK" and, for h2 and h3 too, "HTTP/1.1 200". */
function statusOf(line: string | undefined): number | null {
  const status = /^HTTP\/\S+\s+(\d{3})/.exec(line ?? "")?.[1];
  return status === undefined ? null : Number(status);
}

const pseudo = (headers: readonly Header[], name: string): string =>
  headers.find(([candidate]) => candidate === name)?.[1] ?? "";

/** How h2 and h3 sessions' streams and requests are brought together: they share no number. */
function requestKey(headers: readonly Header[]): string {
  return `${pseudo(headers, ":method")} ${pseudo(headers, ":scheme")}://${pseudo(headers, ":authority")}${pseudo(headers, ":path")}`;
}

/** Appends to the list of a key. */
function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

const streamOf = (source: LogEvent["source"], params: LogEvent["params"]): string =>
  `${source.id} ${String(params?.stream_id)}`;

class Reader {
  readonly #path: string;
  readonly #takers = new Map<number, Taker>();
  readonly #requests: LoggedRequest[] = [];
  readonly #current = new Map<number, LoggedRequest>();
  readonly #connections: LoggedConnection[] = [];
  readonly #connectionOf = new Map<number, { connection: LoggedConnection; began_ms: number }>();
  /** When a QUIC session's first packet was sent. */
  readonly #quicSent_ms = new Map<number, number | "answered">();
  // Trailers come on a session's stream. The n-th stream of a request line is the n-th such request's.
  readonly #sentByKey = new Map<string, LoggedRequest[]>();
  readonly #streamsByKey = new Map<string, string[]>();
  readonly #trailers = new Map<string, Header[]>();

  constructor(path: string) {
    this.#path = path;
  }

  /** By the log's name of an event type, what is made of such an event. */
  readonly #byName: Readonly<Record<string, Taker>> = {
    URL_REQUEST_START_JOB: (event) => this.#begin(event),
    REQUEST_ALIVE: this.#ofRequest((request, { phase, time }) => {
      if (phase !== phaseEnd) return;
      request.ended = true;
      request.ended_ms = Number(time);
    }),
    CANCELLED: ({ source }) => this.#current.delete(source.id),
    FAILED: ({ source }) => this.#current.delete(source.id),
    URL_REQUEST_FILTERS_SET: this.#ofRequest((request) => {
      request.hasFilters = true;
    }),
    URL_REQUEST_JOB_BYTES_READ: this.#ofBody(true),
    URL_REQUEST_JOB_FILTERED_BYTES_READ: this.#ofBody(false),
    HTTP_TRANSACTION_SEND_REQUEST_HEADERS: this.#ofSending("http/1.1"),
    HTTP_TRANSACTION_HTTP2_SEND_REQUEST_HEADERS: this.#ofSending("h2"),
    HTTP_TRANSACTION_QUIC_SEND_REQUEST_HEADERS: this.#ofSending("h3"),
    HTTP_TRANSACTION_READ_EARLY_HINTS_RESPONSE_HEADERS: this.#ofRequest((request, { params, time }) => {
      const headers = headersOf(textsOf(params, "headers").slice(1));
      request.hints = [...request.hints, { time_ms: Number(time), headers }];
    }),
    HTTP_TRANSACTION_READ_RESPONSE_HEADERS: this.#ofRequest((request, { params, time }) => {
      const [line, ...lines] = textsOf(params, "headers");
      request.status = statusOf(line);
      request.answered_ms = Number(time);
      request.responseHeaders = headersOf(lines);
      // Sent again, as for a password: what counts is the last answer.
      request.body.clear();
    }),
    HTTP2_SESSION_SEND_HEADERS: (event) => this.#sendOnStream(event),
    HTTP3_HEADERS_SENT: (event) => this.#sendOnStream(event),
    HTTP2_SESSION_RECV_HEADERS: (event) => this.#receiveOnStream(event),
    HTTP3_HEADERS_DECODED: (event) => this.#receiveOnStream(event),
    TCP_CONNECT_ATTEMPT: (event) => this.#connect(event),
    SSL_CERTIFICATES_RECEIVED: ({ params, source }) => {
      const known = this.#connectionOf.get(source.id);
      if (known) known.connection.certificates = textsOf(params, "certificates");
    },
    SSL_CONNECT: ({ phase, source }) => {
      if (phase === phaseEnd) this.#connectionOf.get(source.id)?.connection.records?.endHandshake();
    },
    SOCKET_BYTES_RECEIVED: ({ params, source, time }) => {
      const records = this.#connectionOf.get(source.id)?.connection.records;
      records?.take(Buffer.from(textOf(params, "bytes"), "base64"), Number(time));
    },
    QUIC_SESSION_PACKET_SENT: ({ source, time }) => {
      if (!this.#quicSent_ms.has(source.id)) this.#quicSent_ms.set(source.id, Number(time));
    },
    QUIC_SESSION_PACKET_RECEIVED: ({ params, source: { id }, time }) => {
      const sent_ms = this.#quicSent_ms.get(id);
      if (typeof sent_ms !== "number") return;
      this.#quicSent_ms.set(id, "answered");
      const connect_ms = Number(time) - sent_ms;
      this.#connections.push({
        ...{ id, address: textOf(params, "peer_address"), connect_ms, certificates: [], records: null },
      });
    },
  };

  /** The log's first line. */
  learnTypes(constants: unknown): void {
    const types = (constants as { logEventTypes?: Readonly<Record<string, unknown>> } | null)?.logEventTypes ?? {};
    for (const [name, taker] of Object.entries(this.#byName)) {
      const number = types[name];
      if (typeof number === "number") this.#takers.set(number, taker);
    }
  }

  get knowsTypes(): boolean {
    return this.#takers.size > 0;
  }

  wants(type: number): boolean {
    return this.#takers.has(type);
  }

  /** `line`: where in the log it stands, in bytes. */
  take(event: LogEvent, line: Line): void {
    this.#takers.get(event.type)?.(event, line);
  }

  finish(): NetLog {
    for (const [key, streams] of this.#streamsByKey) {
      const sent = this.#sentByKey.get(key) ?? [];
      for (const [index, stream] of streams.entries()) {
        const trailers = this.#trailers.get(stream);
        const request = sent[index];
        if (trailers && request) request.trailers = trailers;
      }
    }
    return { requests: this.#requests, connections: this.#connections };
  }

  /** Of a request that is under way. */
  #ofRequest(take: (request: LoggedRequest, event: LogEvent, line: Line) => void): Taker {
    return (event, line) => {
      const request = this.#current.get(event.source.id);
      if (request) take(request, event, line);
    };
  }

  #ofBody(isBeforeDecoding: boolean): Taker {
    return this.#ofRequest((request, { params }, line) => {
      if (request.hasFilters === isBeforeDecoding) request.body.add(line, textOf(params, "bytes"));
    });
  }

  #ofSending(protocol: string): Taker {
    return this.#ofRequest((request, { params, time }) => {
      const headers = headersOf(textsOf(params, "headers"));
      Object.assign(request, { sent_ms: Number(time), hints: [], protocol, requestHeaders: headers });
      addTo(this.#sentByKey, requestKey(headers), request);
    });
  }

  #begin({ phase, params, source, time }: LogEvent): void {
    if (phase !== phaseBegin) return;
    const request: LoggedRequest = {
      method: textOf(params, "method"),
      url: urlWithoutCredentials(textOf(params, "url")),
      started_ms: Number(time),
      isolation: textOf(params, "network_isolation_key"),
      protocol: null,
      requestHeaders: null,
      sent_ms: null,
      answered_ms: null,
      ended_ms: null,
      hints: [],
      status: null,
      responseHeaders: null,
      body: new LoggedBody(this.#path),
      trailers: [],
      ended: false,
      hasFilters: false,
    };
    this.#current.set(source.id, request);
    this.#requests.push(request);
  }

  #sendOnStream({ params, source }: LogEvent): void {
    addTo(this.#streamsByKey, requestKey(headersOf(textsOf(params, "headers"))), streamOf(source, params));
  }

  #receiveOnStream({ params, source }: LogEvent): void {
    const headers = headersOf(textsOf(params, "headers"));
    if (headers.length > 0 && pseudo(headers, ":status") === "") this.#trailers.set(streamOf(source, params), headers);
  }

  #connect({ phase, params, source: { id }, time }: LogEvent): void {
    const known = this.#connectionOf.get(id);
    if (phase === phaseBegin) {
      const records = new TlsRecords();
      const connection = { id, address: textOf(params, "address"), connect_ms: null, certificates: [], records };
      this.#connectionOf.set(id, { connection, began_ms: Number(time) });
      this.#connections.push(connection);
    } else if (phase === phaseEnd && known && params?.os_error === undefined && params?.net_error === undefined) {
      known.connection.connect_ms = Number(time) - known.began_ms;
    }
  }
}

function isEvent(value: unknown): value is LogEvent {
  const { type, source } = (value ?? {}) as Partial<LogEvent>;
  return typeof type === "number" && typeof source?.id === "number";
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // The last line of a log that was cut off.
    return null;
  }
}

/** A line without its end, and where it begins. One after the other: a log may be larger than memory. */
async function* linesOf(path: string): AsyncGenerator<{ bytes: Buffer; offset: number }> {
  let rest: Buffer[] = [];
  let offset = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const bytes = Buffer.concat([...rest, chunk.subarray(start, end)]);
      yield { bytes, offset };
      offset += bytes.length + 1;
      rest = [];
      start = end + 1;
    }
    rest.push(chunk.subarray(start));
  }
  yield { bytes: Buffer.concat(rest), offset };
}

const tail_bytes = 32;

/**
 * Reads the log at `path`, which must stay for who reads large bodies. A foreign file gives no requests; the file's absence
 * rejects.
 */
export async function readNetLog(path: string): Promise<NetLog> {
  const reader = new Reader(path);
  for await (const { bytes, offset } of linesOf(path)) {
    if (!reader.knowsTypes) {
      const line = bytes.toString();
      if (line.startsWith('{"constants":')) {
        const head = parsed(`${line.replace(/,\s*$/, "")}}`) as { constants?: unknown } | null;
        reader.learnTypes(head?.constants);
      }
      continue;
    }
    // Most lines are of types that are not needed, and long: their number stands at the end. The last has the list's end too.
    const tail = bytes.toString("latin1", Math.max(0, bytes.length - tail_bytes));
    const end = /"type":(\d+)\}(\]?,?\s*)$/.exec(tail);
    if (!end || !reader.wants(Number(end[1]))) continue;
    const event = parsed(bytes.toString("utf8", 0, bytes.length - (end[2] ?? "").length));
    if (isEvent(event)) reader.take(event, { offset, length: bytes.length });
  }
  return reader.finish();
}
