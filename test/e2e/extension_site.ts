// One local server for every *.test host of a browser that maps them to it: an ordinary page, and pages that are hard to
// profile. Speaks HTTP/1.1 in clear. Counts what it was asked, so that tests can tell that a page was loaded anew.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface LocalSite {
  readonly port: number;
  /** Requests so far, as `host/path`. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

const image = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

export type Answer = (response: ServerResponse, request: IncomingMessage, url: URL) => void;

export const html =
  (text: string, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(200, { "content-type": "text/html; charset=utf-8", ...headers })
      .end(`<!doctype html>${text}`);

const typed =
  (type: string, body: string | Buffer): Answer =>
  (response) =>
    void response.writeHead(200, { "content-type": type, "cache-control": "max-age=600" }).end(body);

/** Sends a little every 50 ms for as long as somebody listens. */
const streamed: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/octet-stream" });
  const timer = setInterval(() => response.write("x".repeat(1000)), 50);
  response.once("close", () => clearInterval(timer));
};

const serviceWorker = `
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => event.respondWith(new Response(
  new URL(event.request.url).pathname === "/worker/" ? "<!doctype html><title>of the worker</title><script src=made.js></script>" : "1",
  { headers: { "content-type": event.request.destination === "script" ? "text/javascript" : "text/html" } })));
`;

// Pages that are another when they are loaded anew.
const served = new Set<string>();

const pages: Readonly<Record<string, Answer>> = {
  "/": html(
    `<title>Shop</title><link rel="stylesheet" href="/style.css"><h1>Shop</h1>
     <img src="/a.png" alt=""><img src="http://cdn.test/b.png" alt=""><script src="/app.js"></script>`,
    { "set-cookie": "session=s3cret; Path=/" },
  ),
  "/style.css": typed("text/css", "h1 { color: #0072b2 }"),
  "/app.js": typed("text/javascript", "document.body.append('done'); fetch('/data.json');"),
  "/data.json": typed("application/json", '{"a":1}'),
  "/a.png": typed("image/png", image),
  "/b.png": typed("image/png", image),
  "/never": html('<title>Never</title><img src="/silent.png" alt="">'),
  "/silent.png": () => {},
  "/stream": html("<title>Stream</title><script>fetch('/endless').then((r) => r.text())</script>"),
  "/endless": streamed,
  "/file": (response) =>
    void response
      .writeHead(200, { "content-type": "application/zip", "content-disposition": "attachment; filename=file.zip" })
      .end("PK"),
  "/auth": (response, request) =>
    request.headers.authorization
      ? html("<title>In</title>")(response, request, new URL("http://auth.test/"))
      : void response.writeHead(401, { "www-authenticate": 'Basic realm="test"' }).end("<title>401</title>"),
  "/hop": (response) => void response.writeHead(302, { location: "http://other.test/landed" }).end(),
  "/landed": html("<title>Landed</title>"),
  "/onward": (response, request, url) => {
    const on = "<script>location.replace('http://other.test/landed')</script>";
    html(`<title>Onward</title>${served.has(url.href) ? on : ""}`)(response, request, url);
    served.add(url.href);
  },
  "/once": (response, request, url) => {
    if (served.has(url.href)) pages["/file"]?.(response, request, url);
    else html("<title>Once</title>")(response, request, url);
    served.add(url.href);
  },
  "/frames": html('<title>Frames</title><iframe src="http://other.test/framed"></iframe>'),
  "/framed": html('<script src="/framed.js"></script><img src="/framed.png" alt="">'),
  "/framed.js": typed("text/javascript", "fetch('/framed.json')"),
  "/framed.json": typed("application/json", "{}"),
  "/framed.png": typed("image/png", image),
  "/many": (response, request, url) => {
    const count = Number(url.searchParams.get("n"));
    const objects = `for (let i = 0; i < ${count}; i++) { const o = new Image(); o.src = "/object-" + i + ".png"; }`;
    html(`<title>${count}</title><script>${objects}</script>`)(response, request, url);
  },
  "/worker/": html("<title>Registers</title><script>navigator.serviceWorker.register('/worker/sw.js')</script>"),
  "/worker/sw.js": typed("text/javascript", serviceWorker),
  "/slow": html(
    `<title>Slow</title>${Array.from({ length: 30 }, (_, i) => `<img src="/late-${i}.png" alt="">`).join("")}`,
  ),
};

function answerOf(pathname: string): Answer | undefined {
  if (/^\/object-\d+\.png$/.test(pathname)) return typed("image/png", image);
  if (/^\/late-\d+\.png$/.test(pathname))
    return (response, request, url) => void setTimeout(() => typed("image/png", image)(response, request, url), 400);
  return pages[pathname];
}

/** `more`: answers by path, beside the site's own. */
export async function startLocalSite(more: Readonly<Record<string, Answer>> = {}): Promise<LocalSite> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", `http://${request.headers.host ?? "shop.test"}`);
    asked.push(url.hostname + url.pathname);
    const answer = more[url.pathname] ?? answerOf(url.pathname);
    if (answer) answer(response, request, url);
    else response.writeHead(404, { "content-type": "text/plain" }).end("not here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
