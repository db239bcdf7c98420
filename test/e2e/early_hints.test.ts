// Early Hints (103) of a real server: recorded, replayed on every lane, and what Chromium makes of them there.
// Wide: cli/recording/record, native-host/replay.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { checkout } from "../../cli/base/programs.ts";
import { parseLink } from "../../cli/link/link.ts";
import { settleServing } from "../../cli/load/serving/serving.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { tempFolder } from "../temp_folder.ts";
import { type LocalSite, openLocalSite } from "./local_site.ts";
import { untimedLoad } from "./untimed_load.ts";

const scratch = tempFolder("trilane-early-hints-");
const home = join(scratch, "home");

const think_ms = 1000;
const page = "<!doctype html><title>hinted</title><link rel=stylesheet href=/a.css><script src=/b.js></script>";
const files: Record<string, readonly [type: string, body: string]> = {
  "/a.css": ["text/css", "p { color: red }"],
  "/b.js": ["text/javascript", "window.hinted = true"],
};

let site: LocalSite;
before(async () => {
  site = await openLocalSite(scratch, (request, response) => {
    const [type, body] = files[request.url] ?? [];
    if (type !== undefined && body !== undefined)
      response.writeHead(200, { "content-type": type, "cache-control": "max-age=600" }).end(body);
    else if (request.url !== "/") response.writeHead(404).end();
    else {
      response.writeEarlyHints({ link: ["</a.css>; rel=preload; as=style", "</b.js>; rel=preload; as=script"] });
      setTimeout(() => response.writeHead(200, { "content-type": "text/html" }).end(page), think_ms);
    }
  });
});
after(() => site.close());

test("a 103 is recorded with its time, and what it preloaded is there once", async () => {
  const words = ["record", `${site.origin}/`, "--name", "hinted", "--home", home, "--trust", site.certificate];
  const { stdout } = await promisify(execFile)(join(checkout, "cli", "trilane"), [...words, "--no-time-servers"]);
  assert.match(stdout, /1 answer with Early Hints \(103\) before/);
  const { exchanges } = await withArchive(home, (archive) => archive.show("hinted"));
  assert.deepEqual(
    exchanges
      .map(({ path }) => path)
      .filter((path) => path !== "/favicon.ico")
      .toSorted(),
    ["/", "/a.css", "/b.js"],
  );
  const hints = exchanges.find(({ path }) => path === "/")?.recorded.early_hints as {
    time_ms: number;
    headers: string[][];
  }[];
  assert.equal(hints.length, 1);
  assert.match(JSON.stringify(hints[0]?.headers), /<\/a.css>; rel=preload; as=style.*<\/b.js>; rel=preload; as=script/);
  const ofServer_ms = exchanges.find(({ path }) => path === "/")?.recorded.server_time_ms as number;
  assert.ok(ofServer_ms >= think_ms - 10 && (hints[0]?.time_ms ?? ofServer_ms) < ofServer_ms);
  const style = exchanges.find(({ path }) => path === "/a.css");
  assert.equal((style?.recorded.initiator as { type: string } | undefined)?.type, "early-hints");
  assert.equal(site.requests.get("/a.css"), 1, "asked for once");
});

const load = async (lane: "h1" | "h2" | "h3", early_hints: "recorded" | "none") => {
  const serving = settleServing({ think: "recorded", early_hints });
  const link = parseLink("10mbit/40ms");
  const { name, digest, url } = (await withArchive(home, (archive) => archive.show("hinted"))).recording;
  const { log } = await untimedLoad({
    ...{ home, lane, link, serving, timeout_ms: 30_000, settle_ms: 500 },
    recording: { name, digest, url },
  });
  assert.equal(log._trilane.status, "valid", log._trilane.reasons.join("; "));
  const document = log.entries.find(({ _resourceType }) => _resourceType === "document");
  const hinted = log.entries.filter(({ _initiator }) => _initiator.type === "early-hints");
  const requests = { count: log._trilane.counts.requests, missed: log._trilane.counts.missed };
  return { document, hinted, requests };
};

for (const lane of ["h2", "h3"] as const)
  test(`${lane}: the 103 goes out before the answer is ready, and its preloads are requests of the page`, async () => {
    const { document, hinted, requests } = await load(lane, "recorded");
    assert.ok(document?._trilane.response_ns);
    assert.deepEqual(hinted.map(({ request }) => new URL(request.url).pathname).toSorted(), ["/a.css", "/b.js"]);
    for (const { _protocol, _trilane } of hinted) {
      assert.equal(_protocol, lane);
      assert.equal(_trilane.match, "exact");
      assert.ok(_trilane.start_ns < document._trilane.response_ns, "asked for while the server still thought");
    }
    assert.deepEqual(requests, { count: 3, missed: 0 });
    const without = await load(lane, "none");
    assert.deepEqual([without.hinted, without.requests], [[], requests]);
  });

test("h1: Chromium ignores it", async () => {
  const { hinted, requests } = await load("h1", "recorded");
  assert.deepEqual([hinted, requests], [[], { count: 3, missed: 0 }]);
});
