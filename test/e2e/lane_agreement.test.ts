// A page that asks in every way that a browser has is valid on every lane: the replay's report and the browser agree on each of its
// requests, whatever was cached, given up, redirected, sent by a worker or changed into a WebSocket.
// Wide: cli/load, native-host/replay.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { allLanes, type Lane, laneFacts } from "../../cli/base/lanes.ts";
import { parseLink } from "../../cli/link/link.ts";
import { isOnWire } from "../../cli/load/served_requests.ts";
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import { tempFolder } from "../temp_folder.ts";
import { recordSite } from "./site.ts";
import { untimedLoad } from "./untimed_load.ts";

const home = tempFolder("trilane-lane-agreement-");

const page = "https://page.test";
const image = Uint8Array.from(Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"));

interface Ways {
  readonly sockets: readonly string[];
  readonly hasServiceWorker: boolean;
}

/** A frame whose document stays open holds up the load event until each way has ended, well or not. */
const script = ({ sockets, hasServiceWorker }: Ways) => `
const sockets = ${JSON.stringify(sockets)};
const within = (promise) => Promise.race([promise, new Promise((end) => setTimeout(end, 3000))]).catch(() => {});
const told = (target, name) => new Promise((end) => target.addEventListener(name, end, { once: true }));
const socket = (url) => { const made = new WebSocket(url); return within(Promise.race([told(made, "error"), told(made, "open")])); };
const givenUp = (after_ms) => { const stop = new AbortController();
  setTimeout(() => stop.abort(), after_ms); return within(fetch("/slow?" + after_ms, { signal: stop.signal })); };
const worked = async () => {
  await navigator.serviceWorker.register("/service.js");
  if (!navigator.serviceWorker.controller) await told(navigator.serviceWorker, "controllerchange");
  return Promise.all(["/made-up", "/passed-on"].map((url) => fetch(url)));
};
const shared = () => { const { port } = new SharedWorker("/shared.js"); port.start(); return told(port, "message"); };
const events = () => { const source = new EventSource("/events"); return told(source, "error").then(() => source.close()); };
const dedicated = () => told(new Worker("/dedicated.js", { type: "module" }), "message");
document.getElementById("open").contentDocument.open();
(async () => {
  await Promise.all([
    ...sockets.map(socket),
    ...[0, 1, 5, 30].map(givenUp),
    ...[1, 2, 3, 4, 5, 6].map(() => within(fetch("/same", { cache: "no-store" }))),
    within(fetch("/same")),
    within(fetch("https://other.test/preflighted", { headers: { "x-own": "1" } })),
    within(fetch("/redirected")), within(fetch("/to-http")),
    within(events()), within(dedicated()), within(shared()),
    within(import("/module.js")),
  ]);
  navigator.sendBeacon("/beacon", "x");
  ${hasServiceWorker ? "await within(worked());" : ""}
  document.getElementById("open").contentDocument.close();
})();`;

const js = "text/javascript";
/** Not every load asks for it: it may be given up before. */
const ofSomeLoads = { recorded: { visits: 1 } };
const gif = (url: string) => ({ url, type: "image/gif", body: image });
const everyWay = (name: string, ways: Ways) =>
  recordSite(home, name, [
    {
      url: `${page}/`,
      body: `<!doctype html><link rel=icon href=/own.png><link rel=preload as=image href=/1.gif><link rel=prefetch href=/later.css>
<body><iframe id=open></iframe><img src=/1.gif><img src=/1.gif#again><img src=/to-http.gif><iframe src=https://other.test/></iframe><script>${script(ways)}</script>
`,
      headers: [["strict-transport-security", "max-age=1000"]],
    },
    gif(`${page}/1.gif`),
    gif(`${page}/own.png`),
    { url: `${page}/later.css`, type: "text/css", body: "h1 { color: red }" },
    ...[0, 1, 5, 30].map((after_ms) => ({
      url: `${page}/slow?${after_ms}`,
      body: "x".repeat(300_000),
      ...ofSomeLoads,
    })),
    { url: `${page}/same`, body: "same" },
    { url: `${page}/redirected`, status: 302, headers: [["location", "/same"]] },
    { url: `${page}/to-http`, status: 302, headers: [["location", "http://page.test/same"]] },
    { url: `${page}/to-http.gif`, status: 302, headers: [["location", "http://page.test/1.gif?upgraded"]] },
    gif(`${page}/1.gif?upgraded`),
    { url: `${page}/module.js`, type: js, body: "export default 1;" },
    {
      url: `${page}/dedicated.js`,
      type: js,
      body: "import '/module.js?2'; fetch('/same?worker').then(() => postMessage(1));",
    },
    { url: `${page}/module.js?2`, type: js, body: "export default 2;" },
    { url: `${page}/same?worker`, body: "worker" },
    {
      url: `${page}/shared.js`,
      type: js,
      body: "onconnect = ({ ports }) => fetch('/same?shared').then(() => ports[0].postMessage(1));",
    },
    { url: `${page}/same?shared`, body: "shared" },
    { url: `${page}/events`, type: "text/event-stream", body: "data: 1\n\n" },
    {
      url: `${page}/service.js`,
      type: js,
      body: `oninstall = () => skipWaiting();
onactivate = (event) => event.waitUntil(clients.claim());
onfetch = (event) => event.respondWith(event.request.url.endsWith("/made-up") ? new Response("x") : fetch(event.request));`,
      ...ofSomeLoads,
    },
    { url: `${page}/passed-on`, body: "passed on", ...ofSomeLoads },
    { url: "https://other.test/preflighted", body: "x", headers: [["access-control-allow-origin", "*"]] },
    { url: "https://other.test/", body: "<!doctype html><img src=/2.gif>" },
    gif("https://other.test/2.gif"),
  ]);

/** HTTP/1.0 and 1.1 come over one connection. */
const family = (protocol: string | undefined) => (protocol === "http/1.0" ? "http/1.1" : protocol);

const sockets = ["wss://other.test/socket", "wss://page.test/socket"];
const allWays = everyWay("every-way", { sockets, hasServiceWorker: true });
const lessWays: Partial<Record<Lane, ReturnType<typeof recordSite>>> = {
  // The first visit's WebSockets leave tickets for HTTP/1.1, which h2 does not begin with.
  "h2-0rtt": everyWay("but-sockets", { sockets: [], hasServiceWorker: true }),
  // Chromium may crash where service workers and requests sent elsewhere by DevTools meet.
  "h1-clear": everyWay("but-service-worker", { sockets, hasServiceWorker: false }),
};

for (const lane of allLanes) {
  test(`${lane}: valid, and browser and server agree on every request`, { timeout: 120_000 }, async () => {
    const recording = await (lessWays[lane] ?? allWays);
    const link = parseLink("20mbit/20ms");
    const { log } = await untimedLoad({ home, recording, lane, link, timeout_ms: 40_000, settle_ms: 1000 });
    const { entries, _trilane } = log;
    assert.deepEqual([_trilane.status, _trilane.reasons], ["valid", []]);
    const answered = entries.filter((entry) => isOnWire(entry) && entry._protocol !== undefined);
    assert.deepEqual(
      answered.map(({ request, _trilane: { served } }) => [request.url, served?.protocol]),
      answered.map(({ request, _protocol }) => [request.url, family(_protocol)]),
    );
    // It asked in all these ways before the load event.
    const isBefore = (entry: HarEntry) => entry._trilane.startOffset_ms < (_trilane.metrics.plt_ms ?? 0);
    const before = new Set(entries.filter(isBefore).map(({ request }) => new URL(request.url).pathname));
    const missing = ["/same", "/preflighted", "/redirected", "/events", "/dedicated.js", "/shared.js", "/beacon"];
    assert.deepEqual(
      missing.filter((path) => !before.has(path)),
      [],
    );
    const seen = _trilane.background.map(({ url }) => url).filter((url) => url.startsWith("wss:"));
    // In clear their names are not found (chromium.ts).
    assert.deepEqual(seen.sort(), lane === "h2-0rtt" || laneFacts[lane].clear ? [] : sockets);
  });
}

test("h1: a redirect by the browser itself reaches no server, and spoils nothing", { timeout: 90_000 }, async () => {
  const policy = [["strict-transport-security", "max-age=1000"]] as const;
  const recording = await recordSite(home, "redirected-by-policy", [
    {
      url: "http://plain.test/",
      body: `<!doctype html><img src=https://page.test/1.gif onload="document.body.append(Object.assign(new Image(), { src: 'http://page.test/2.gif' }))">`,
    },
    { ...gif(`${page}/1.gif`), headers: policy },
    gif(`${page}/2.gif`),
  ]);
  const link = parseLink("20mbit/20ms");
  const { log } = await untimedLoad({ home, recording, lane: "h1", link, timeout_ms: 40_000 });
  assert.deepEqual([log._trilane.status, log._trilane.reasons], ["valid", []]);
  const asked = log.entries.map(({ request, response, _trilane: { served } }) => [
    request.url,
    response.status,
    served?.protocol,
  ]);
  assert.deepEqual(asked.slice(2), [
    ["http://page.test/2.gif", 307, undefined],
    [`${page}/2.gif`, 200, "http/1.1"],
  ]);
  assert.equal(log._trilane.counts.requests, 3);
});
