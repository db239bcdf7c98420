// Makes the fixtures of this folder anew: `node test/capture/record.ts`. Loads one small page of its own over each
// lane, in the real lab with the real Chromium, and keeps the DevTools events, trimmed to what a capture reads.
// Not a test: run it when Chromium's events change, and look at what the change is.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plainLanes } from "../../cli/base/lanes.ts";
import { chromiumPath } from "../../cli/base/programs.ts";
import { startBrowser } from "../../cli/browser/browser.ts";
import { userAgentOf } from "../../cli/browser/browser_binary.ts";
import { chromiumArguments, chromiumEnvironment } from "../../cli/browser/chromium.ts";
import { watchPage } from "../../cli/browser/page.ts";
import { parseLink } from "../../cli/link/link.ts";
import { labCommand, spkiList } from "../../cli/load/lab.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import type { CaptureEvent } from "../../extension/capture/events.ts";
import { timelineExpression, timelineOf } from "../../extension/capture/page_timeline.ts";
import { tempFolder } from "../temp_folder.ts";

type Header = [name: string, value: string];
const text = (content: string) => new TextEncoder().encode(content);
const gif = Uint8Array.from(Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"));

// A redirect, a style, a script that posts, a picture twice, a picture of another site, one that is missing, one of a
// host that does not exist, one that the page's policy blocks, a frame of another site with a picture in it.
const html = `<!doctype html><meta charset=utf-8><title>capture</title>
<meta http-equiv=content-security-policy content="img-src https://www.shop.test https://cdn.test https://gone.test">
<link rel=stylesheet href=/a.css><script src=/a.js></script>
<img src=/one.gif><img src=/one.gif><img src=https://cdn.test/two.gif?v=1><img src=/missing.gif>
<img src=https://gone.test/three.gif><img src=https://blocked.test/four.gif><iframe src=https://frame.test/></iframe>`;
const page: [host: string, path: string, status: number, headers: Header[], body?: Uint8Array][] = [
  ["shop.test", "/", 301, [["location", "https://www.shop.test/"]]],
  ["www.shop.test", "/", 200, [["content-type", "text/html"]], text(html)],
  ["www.shop.test", "/a.css", 200, [["content-type", "text/css"]], text("body{margin:0}")],
  [
    "www.shop.test",
    "/a.js",
    200,
    [
      ["content-type", "text/javascript"],
      ["set-cookie", "a=1; path=/"],
      ["set-cookie", "b=2; path=/"],
    ],
    text(`fetch("/post?x=1", { method: "POST", body: "hello" })`),
  ],
  ["www.shop.test", "/one.gif", 200, [["content-type", "image/gif"]], gif],
  ["www.shop.test", "/missing.gif", 404, [["content-type", "text/plain"]], text("no")],
  ["cdn.test", "/two.gif?v=1", 200, [["content-type", "image/gif"]], gif],
  ["frame.test", "/", 200, [["content-type", "text/html"]], text("<!doctype html><img src=/inner.gif>")],
  ["frame.test", "/inner.gif", 200, [["content-type", "image/gif"]], gif],
];
const addresses = ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"];
const hosts = [...new Set(page.map(([host]) => host))];

// Long, of no use to a capture, or about the machine.
const left = new Set(
  ["stack", "charset", "clientSecurityState", "sanList", "signedCertificateTimestampList", "associatedCookies"].concat([
    "accept",
    "accept-language",
    "accept-encoding",
    "user-agent",
    "upgrade-insecure-requests",
  ]),
);
function trimmed(key: string, value: unknown): unknown {
  return left.has(key) || left.has(key.toLowerCase()) || /^sec-/i.test(key) ? undefined : value;
}

const home = tempFolder("trilane-record-");
const fixtures = join(import.meta.dirname, "..", "fixtures", "capture");
mkdirSync(fixtures, { recursive: true });
await withArchive(home, (archive) =>
  archive.write(
    { name: "page", url: "https://shop.test/", source: "fixture", notes: {}, replace: false },
    async (writer) => {
      for (const [host, path, status, headers, body] of page) {
        const address = addresses[hosts.indexOf(host)] ?? "203.0.113.9";
        const origin = body ? "recorded" : "empty";
        const exchange = {
          method: "GET",
          scheme: "https",
          host,
          port: 443,
          path,
          address,
          status,
          recorded: {},
        } as const;
        await writer.add({
          exchange: { ...exchange, request_headers: [], response_headers: headers, body_origin: origin },
          body,
        });
      }
      const exchange = {
        method: "POST",
        scheme: "https",
        host: "www.shop.test",
        port: 443,
        path: "/post?x=1",
      } as const;
      await writer.add({
        exchange: {
          ...{ ...exchange, address: "203.0.113.2", status: 200, recorded: {} },
          ...{
            request_headers: [],
            response_headers: [["content-type", "application/json"]],
            body_origin: "recorded",
          },
        },
        body: text("{}"),
        requestBody: text("hello"),
      });
    },
  ),
);
for (const lane of plainLanes) {
  const profile = join(home, `profile-${lane}`);
  const lab = labCommand({ home, recording: "page", link: parseLink("10mbit/40ms"), reports: null });
  const chromium = [
    chromiumPath(),
    ...chromiumArguments({
      lane,
      profile,
      spkiList: await spkiList(home),
      userAgent: await userAgentOf(chromiumPath()),
    }),
  ];
  const browser = await startBrowser({
    commandLine: [...lab.replay, ...lab.shaper, ...chromium],
    environment: chromiumEnvironment(profile, home, process.env),
    timeout_ms: 20_000,
  });
  const events: CaptureEvent[] = [];
  const watched = await watchPage(browser.connection, { overhear: (event) => events.push(event) });
  await watched.load("https://shop.test/");
  const { timings } = timelineOf(await watched.evaluate(timelineExpression));
  await browser.stop();
  const document = { mainFrame: watched.capture.mainFrame, timings, events };
  // One event a line, so that a change of Chromium's shows as a change of lines.
  const lines = events.map((event) => JSON.stringify(event, trimmed)).join(",\n");
  const head = JSON.stringify({ mainFrame: document.mainFrame, timings: document.timings }).slice(0, -1);
  writeFileSync(join(fixtures, `${lane}.json`), `${head},"events":[\n${lines}\n]}\n`);
  console.log(`${lane}: ${events.length} events`);
}
