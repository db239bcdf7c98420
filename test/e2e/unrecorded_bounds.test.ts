// Pages that ask for more than any recording has: the load ends, in one clear line or as a load like others.
// Wide: native-host/archive, native-host/replay.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLink } from "../../cli/link/link.ts";
import { isDisturbed } from "../../cli/load/disturbance.ts";
import { measureLoad, type PageLoad } from "../../cli/load/load.ts";
import { isCoverageReason } from "../../cli/load/metrics/coverage.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Resource, recordSite } from "./site.ts";

const home = tempFolder("trilane-bounds-");

const limit_ms = 20_000;

async function load(name: string, resources: readonly Resource[], timeout_ms = limit_ms): Promise<PageLoad["log"]> {
  const recording = await recordSite(home, name, resources);
  const link = parseLink("20mbit/20ms");
  return (await measureLoad({ home, recording, lane: "h2", link, timeout_ms, settle_ms: 500 })).log;
}

interface Counts {
  readonly missed: number;
  readonly unlisted: number;
  readonly unrecorded: { readonly report: number };
}

test("a beacon endpoint that is asked 10 000 times", { timeout: 600_000 }, async () => {
  const body = `<!doctype html><script>
    for (let i = 0; i < 10000; i++) fetch("https://collector.test/b?" + i, { method: "POST", mode: "no-cors", body: "x" });
  </script><p>beacons`;
  const { entries, _trilane } = await load("beacons", [{ url: "https://page.test/", body }], 60_000);
  const counts = _trilane.replay?.counts as unknown as Counts;
  assert.ok(counts.unrecorded.report >= 1000, JSON.stringify(counts));
  assert.equal(counts.unlisted, counts.unrecorded.report - 1000);
  assert.ok(entries.length >= 10_000);
  // Chromium itself refuses most of them.
  assert.deepEqual(_trilane.reasons.filter(isCoverageReason), []);
  assert.equal(entries.filter((entry) => entry._trilane.match === "missed").length, 1000);
});

test("a page that loads itself anew for ever", { timeout: 300_000 }, async () => {
  const body = `<!doctype html><script>location.href = "/?" + Math.random()</script>`;
  const { _trilane } = await load("reloads", [{ url: "https://page.test/", body }], 3_000);
  assert.notEqual(_trilane.status, "valid");
  // It takes all of a CPU, and so may be said to be disturbed besides.
  const own = _trilane.reasons.filter((reason) => !isDisturbed(reason));
  assert.equal(own.length, 1, _trilane.reasons.join("; "));
  assert.match(own[0] ?? "", /load event did not come/);
});

test("a start URL that redirects to a host that is not recorded", { timeout: 300_000 }, async () => {
  const headers = [["location", "https://elsewhere.test/start"]] as const;
  const { _trilane } = await load("redirected", [{ url: "https://page.test/", status: 302, headers }]);
  assert.equal(_trilane.status, "invalid");
  assert.match(_trilane.reasons.join("; "), /https:\/\/elsewhere\.test\/start/);
});

test("a redirect to what no network serves is the browser's to refuse", { timeout: 300_000 }, async () => {
  const headers = [["location", "chrome-extension://abcdefghijklmnopabcdefghijklmnop/noop.js"]] as const;
  const { entries } = await load("extension", [
    { url: "https://page.test/", body: "<!doctype html><script src=/ad.js></script><p>page" },
    { url: "https://page.test/ad.js", status: 307, headers },
  ]);
  const redirected = entries.filter(({ request }) => request.url.endsWith("/ad.js"));
  assert.ok(redirected.length > 0);
  assert.ok(redirected.every((entry) => entry._trilane.match === "exact"));
});
