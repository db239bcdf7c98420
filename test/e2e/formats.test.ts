// A page that went out in another program's format and came back, in the real lab and browser: it asks the same requests
// and gets the same bytes as before.
// Wide: cli/recording/export, cli/recording/import.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { parseLink } from "../../cli/link/link.ts";
import type { Lane, PageLoad } from "../../cli/load/load.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { exportRecording } from "../../cli/recording/export/export_recording.ts";
import { importAny } from "../../cli/recording/import/import_any.ts";
import { tempFolder } from "../temp_folder.ts";
import { recordSite, type Site } from "./site.ts";
import { untimedLoad } from "./untimed_load.ts";

const folder = tempFolder("trilane-formats-");
const home = join(folder, "home");

const html = `<!doctype html><meta charset=utf-8><link rel=icon href="data:,"><link rel=stylesheet href=/a.css>
<script src=https://cdn.test:8443/b.js></script><img src="https://img.test/c.svg?v=1&w=2"><h1>Grüße</h1>`;
const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>';
let original: Site;

before(async () => {
  original = await recordSite(home, "page", [
    { url: "https://page.test/", body: gzipSync(html), headers: [["content-encoding", "gzip"]] },
    { url: "https://page.test/a.css", type: "text/css", body: `h1 { color: red } /*${"x".repeat(50_000)}*/` },
    { url: "https://cdn.test:8443/b.js", type: "text/javascript", body: "fetch('https://page.test/d.json?t=1')" },
    { url: "https://img.test/c.svg?v=1&w=2", type: "image/svg+xml", body: svg },
    {
      url: "https://page.test/d.json?t=1",
      type: "application/json",
      body: "{}",
      headers: [["access-control-allow-origin", "*"]],
    },
  ]);
});

async function loaded(site: Site, lane: Lane): Promise<PageLoad["log"]> {
  const link = parseLink("20mbit/20ms");
  return (await untimedLoad({ home, recording: site, lane, link, timeout_ms: 30_000 })).log;
}

/** What was asked and what came, in no order. */
const asked = (log: PageLoad["log"]): string[] =>
  log.entries
    .map(({ request, response }) => `${request.method} ${request.url} ${response.status} ${response.content.size}`)
    .toSorted();

for (const [format, lane] of [
  ["mahimahi", "h1"],
  ["wpr", "h2"],
  ["har", "h3"],
] as const)
  test(`out as ${format} and in again, over ${lane}`, async () => {
    const path = join(folder, `page.${format}`);
    const again = await withArchive(home, async (archive): Promise<Site> => {
      await exportRecording(archive, "page", format, path);
      const choice = { format: undefined, name: format, page: undefined, url: undefined, document: undefined };
      const { recording } = await importAny(archive, { file: path, ...choice, replace: false });
      return { name: recording.name, digest: recording.digest, url: recording.url };
    });
    assert.equal(again.url, original.url); // found out where the format does not say it
    const [before, after] = [await loaded(original, lane), await loaded(again, lane)];
    assert.equal(before.entries.length, 5);
    assert.deepEqual(asked(after), asked(before));
    const { counts } = after._trilane;
    assert.deepEqual([counts.matched, counts.fuzzy, counts.missed, counts.off_lane], [5, 0, 0, 0]);
  });
