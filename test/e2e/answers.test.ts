// What the browser gets for requests that are not the recorded ones to the letter, over each protocol: a part, a condition,
// a head, a body, a coding that it does not take in clear.
// Wide: native-host/archive, native-host/replay.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { parseLink } from "../../cli/link/link.ts";
import type { Lane } from "../../cli/load/load.ts";
import { tempFolder } from "../temp_folder.ts";
import { recordSite } from "./site.ts";
import { untimedLoad } from "./untimed_load.ts";

const home = tempFolder("trilane-answers-");

// Tells by requests of its own what it got.
const page = `<!doctype html><script>
const tell = async (name, response) => fetch("/told?" + new URLSearchParams({
  name, status: response.status, body: await response.text(), range: response.headers.get("content-range"),
  coding: response.headers.get("content-encoding"), length: response.headers.get("content-length"),
  type: response.headers.get("content-type") }));
const ask = (name, path, options) => fetch(path, { cache: "no-store", ...options }).then((response) => tell(name, response));
ask("part", "/data", { headers: { range: "bytes=2-5" } });
ask("end", "/data", { headers: { range: "bytes=-3" } });
ask("beyond", "/data", { headers: { range: "bytes=10-" } });
ask("unchanged", "/data", { headers: { "if-none-match": '"v1"' } });
ask("changed", "/data", { headers: { "if-none-match": '"v0"' } });
ask("head", "/data", { method: "HEAD" });
ask("posted", "/form", { method: "POST", body: "anything" });
ask("text", "/text");
</script><p>${"words ".repeat(100)}`;

const coded = { headers: [["content-encoding", "br"]] } as const;
const resources = [
  { url: "https://answers.test/", body: brotliCompressSync(page), ...coded },
  { url: "https://answers.test/data", body: "0123456789", type: "text/plain", headers: [["etag", '"v1"']] as const },
  { url: "https://answers.test/text", body: brotliCompressSync("in brotli"), type: "text/plain", ...coded },
  { url: "https://answers.test/told?name=x", body: "ok" },
];

const wanted: Record<string, Record<string, string>> = {
  part: { status: "206", body: "2345", range: "bytes 2-5/10", length: "4" },
  end: { status: "206", body: "789", range: "bytes 7-9/10", length: "3" },
  beyond: { status: "416", body: "", range: "bytes */10" },
  unchanged: { status: "304", body: "" },
  changed: { status: "200", body: "0123456789", length: "10", type: "text/plain" },
  head: { status: "200", body: "", length: "10", type: "text/plain" },
  posted: { status: "204" },
  text: { status: "200", body: "in brotli", coding: "br" },
};

async function answers(lane: Lane) {
  const recording = await recordSite(home, "answers", resources);
  const link = parseLink("20mbit/20ms");
  const { log } = await untimedLoad({ home, recording, lane, link, timeout_ms: 20_000, settle_ms: 700 });
  const told = log.entries.flatMap(({ request }) => {
    const { pathname, searchParams } = new URL(request.url);
    return pathname === "/told" ? [Object.fromEntries(searchParams)] : [];
  });
  const counts = log._trilane.replay?.counts as { recoded: number } | undefined;
  return {
    told: new Map(told.map((each) => [each.name, each])),
    recoded: counts?.recoded,
    metrics: log._trilane.metrics,
  };
}

for (const lane of ["h1", "h2", "h3", "h1-clear"] as const) {
  test(`${lane}: parts, conditions, heads, codings`, { timeout: 60_000 }, async () => {
    const { told, recoded, metrics } = await answers(lane);
    assert.notEqual(metrics.plt_ms, null);
    for (const [name, answer] of Object.entries(wanted)) {
      for (const [part, value] of Object.entries(answer)) {
        const inClear = lane === "h1-clear" && part === "coding" ? "gzip" : value;
        assert.equal(told.get(name)?.[part], inClear, `${name}: ${part} of ${JSON.stringify(told.get(name))}`);
      }
    }
    assert.equal(recoded, lane === "h1-clear" ? 2 : 0);
  });
}
