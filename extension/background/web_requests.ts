// The only user of chrome.webRequest, which Firefox has in place of chrome.debugger: collects what it reports of one tab's requests, each
// hop of a redirect on its own. Listens only while it watches: a listener that stays would wake the extension for every request.
//
// The listener for response headers is a blocking one, because Firefox gives a connection's TLS only to such a listener. It reads it once for each
// host and protocol, and lets all other responses pass at once.

/** As getSecurityInfo answers, which chrome-types does not have. */
export interface SecurityInfo {
  readonly state: string;
  readonly protocolVersion?: string;
  readonly cipherSuite?: string;
  readonly keaGroupName?: string;
  readonly certificates?: readonly { readonly subject: string; readonly issuer: string }[];
}

interface StreamFilter {
  ondata: ((event: { data: ArrayBuffer }) => void) | null;
  onstop: (() => void) | null;
  onerror: (() => void) | null;
  write(data: ArrayBuffer): void;
  disconnect(): void;
}

interface FirefoxWebRequest {
  getSecurityInfo(requestId: string, options: { certificateChain?: boolean }): Promise<SecurityInfo>;
  filterResponseData(requestId: string): StreamFilter;
}

export interface WebHeader {
  readonly name: string;
  readonly value?: string;
}

/** One hop. Points in time are ms since the epoch; null: not reached. */
export interface WebRequest {
  readonly requestId: string;
  readonly url: string;
  readonly method: string;
  readonly type: string;
  readonly frameId: number;
  readonly documentUrl: string;
  readonly start_ms: number;
  requestHeaders: readonly WebHeader[];
  responseHeaders: readonly WebHeader[];
  sent_ms: number | null;
  response_ms: number | null;
  end_ms: number | null;
  status: number;
  /** As "HTTP/2.0 200 OK". */
  statusLine: string;
  ip: string | null;
  fromCache: boolean;
  received_bytes: number | null;
  redirectUrl: string;
  error: string | null;
  security: SecurityInfo | null;
  /** Text that a form or script sent; null: none, or not kept. */
  sentText: string | null;
  body: Uint8Array[] | null;
}

/** Fields of an event that the events share. */
interface Details {
  readonly requestId: string;
  readonly url: string;
  readonly method: string;
  readonly type: string;
  readonly frameId: number;
  readonly documentUrl?: string;
  readonly timeStamp: number;
  readonly requestBody?: {
    readonly raw?: readonly { readonly bytes?: ArrayBuffer }[];
    readonly formData?: Record<string, readonly string[]>;
  } | null;
  readonly requestHeaders?: readonly WebHeader[];
  readonly responseHeaders?: readonly WebHeader[];
  readonly statusLine?: string;
  readonly statusCode?: number;
  readonly ip?: string | null;
  readonly fromCache?: boolean;
  readonly responseSize?: number;
  readonly redirectUrl?: string;
  readonly error?: string;
}

export interface WebWatcher {
  /** A request began; false: it is not this load's. */
  readonly began: (request: WebRequest) => boolean;
  readonly changed: (request: WebRequest) => void;
}

const keptBodies_bytes = 64 * 1024 * 1024;

function sentTextOf({ requestBody }: Details): string | null {
  if (!requestBody) return null;
  if (requestBody.formData)
    return new URLSearchParams(
      Object.entries(requestBody.formData).flatMap(([name, values]) => values.map((value) => [name, value])),
    ).toString();
  const decoder = new TextDecoder();
  const parts = requestBody.raw?.map(({ bytes }) => (bytes ? decoder.decode(bytes) : "")) ?? [];
  return parts.length > 0 ? parts.join("") : null;
}

/** Watches until the returned function is called. `keepBodies`: responses are kept as they come, decoded, and passed on. */
export function watchRequests(tabId: number, keepBodies: boolean, watcher: WebWatcher): () => void {
  const { webRequest } = chrome as unknown as { webRequest: typeof chrome.webRequest & FirefoxWebRequest };
  const latest = new Map<string, WebRequest>();
  const known = new Map<string, SecurityInfo>();
  let kept_bytes = 0;
  const filter = { urls: ["http://*/*", "https://*/*"], tabId };

  const keepBody = (request: WebRequest): void => {
    const stream = webRequest.filterResponseData(request.requestId);
    const chunks: Uint8Array[] = [];
    stream.ondata = ({ data }) => {
      stream.write(data);
      kept_bytes += data.byteLength;
      if (kept_bytes <= keptBodies_bytes) chunks.push(new Uint8Array(data));
    };
    stream.onstop = () => {
      stream.disconnect();
      // Of a chain of redirects it is the last answer's.
      const last = latest.get(request.requestId);
      if (last && kept_bytes <= keptBodies_bytes) last.body = chunks;
    };
    stream.onerror = () => {};
  };

  const began = (details: Details): void => {
    const request: WebRequest = {
      requestId: details.requestId,
      url: details.url,
      method: details.method,
      type: details.type,
      frameId: details.frameId,
      documentUrl: details.documentUrl ?? "",
      start_ms: details.timeStamp,
      requestHeaders: [],
      responseHeaders: [],
      sent_ms: null,
      response_ms: null,
      end_ms: null,
      status: 0,
      statusLine: "",
      ip: null,
      fromCache: false,
      received_bytes: null,
      redirectUrl: "",
      error: null,
      security: null,
      sentText: keepBodies ? sentTextOf(details) : null,
      body: null,
    };
    const isFirst = !latest.has(request.requestId);
    if (!watcher.began(request)) return;
    latest.set(request.requestId, request);
    if (keepBodies && isFirst) keepBody(request);
  };
  const take = (details: Details, change: (request: WebRequest) => void): WebRequest | null => {
    const request = latest.get(details.requestId);
    if (!request) return null;
    change(request);
    watcher.changed(request);
    return request;
  };
  const answered = (request: WebRequest, details: Details): void => {
    request.status = details.statusCode ?? 0;
    request.statusLine = details.statusLine ?? "";
    request.ip = details.ip ?? request.ip;
    request.fromCache = details.fromCache ?? false;
    request.responseHeaders = details.responseHeaders ?? request.responseHeaders;
  };
  const sent = (details: Details): void => {
    take(details, (request) => {
      request.sent_ms = details.timeStamp;
      request.requestHeaders = details.requestHeaders ?? [];
    });
  };
  const headers = (details: Details): Promise<Record<never, never>> | undefined => {
    const request = take(details, (found) => {
      found.response_ms = details.timeStamp;
      answered(found, details);
    });
    if (!request?.url.startsWith("https:")) return undefined;
    const key = `${URL.parse(request.url)?.host} ${request.statusLine.slice(0, 8)}`;
    const before = known.get(key);
    if (before) {
      request.security = before;
      return undefined;
    }
    const asking = webRequest.getSecurityInfo(request.requestId, {}).then(
      (info) => {
        request.security = info;
        known.set(key, info);
        return {};
      },
      () => ({}),
    );
    return asking;
  };
  const ended = (details: Details): void => {
    take(details, (request) => {
      request.end_ms = details.timeStamp;
      request.received_bytes = details.responseSize ?? null;
      if (details.error === undefined) answered(request, details);
      else request.error = details.error;
      request.redirectUrl = details.redirectUrl ?? "";
    });
  };

  const events = webRequest as unknown as Record<
    string,
    { addListener(listener: unknown, filter: object, extra?: string[]): void; removeListener(listener: unknown): void }
  >;
  const listeners: [name: string, listener: unknown, extra: string[]][] = [
    ["onBeforeRequest", began, keepBodies ? ["blocking", "requestBody"] : []],
    ["onSendHeaders", sent, ["requestHeaders"]],
    ["onHeadersReceived", headers, ["blocking", "responseHeaders"]],
    ["onBeforeRedirect", ended, ["responseHeaders"]],
    ["onCompleted", ended, ["responseHeaders"]],
    ["onErrorOccurred", ended, []],
  ];
  for (const [name, listener, extra] of listeners)
    if (extra.length > 0) events[name]?.addListener(listener, filter, extra);
    else events[name]?.addListener(listener, filter);
  return () => {
    for (const [name, listener] of listeners) events[name]?.removeListener(listener);
  };
}
