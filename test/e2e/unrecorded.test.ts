// What a page in Chromium gets for requests that its recording does not have, over each protocol: hosts that are not
// recorded are reached, reports are taken, what failed fails again, and the rest is not found.
// Wide: native-host/archive, native-host/replay.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { laneFacts } from "../../cli/base/lanes.ts";
import { parseLink } from "../../cli/link/link.ts";
import type { Lane, PageLoad } from "../../cli/load/load.ts";
import { tempFolder } from "../temp_folder.ts";
import { recordSite } from "./site.ts";
import { untimedLoad } from "./untimed_load.ts";

const home = tempFolder("trilane-unrecorded-");

// Tells by requests of its own what it got.
const page = `<!doctype html><script>
const tell = (name, got) => fetch("/told?" + new URLSearchParams({ name, got }));
const ask = (name, url, options) => fetch(url, { cache: "no-store", ...options })
  .then(({ status }) => tell(name, status), () => tell(name, "nothing"));
ask("elsewhere", "https://elsewhere.test/data.json");
ask("here", "/data.json");
ask("collected", "https://collector.test/v1", { method: "POST", body: "{}", keepalive: true,
  headers: { "content-type": "application/json" } });
ask("asked", "https://api.test/v1", { method: "POST", body: "{}", credentials: "include",
  headers: { accept: "application/json", "x-key": "1" } });
ask("failing", "/failing");
ask("down", "https://down.test/");
ask("gone", "https://gone.test/");
tell("beacon", navigator.sendBeacon("https://beacon.test/b", new Blob(["{}"])));
for (let i = 0; i < 3; i++) navigator.sendBeacon("/b?" + i, "x");
</script><img src=https://pixel.test/p.gif><h1>unrecorded</h1>`;

const resources = [
  {
    url: "https://page.test/",
    body: page,
    headers: [["content-security-policy", "object-src 'none'; report-uri https://csp.test/report"]] as const,
  },
  { url: "https://page.test/told?name=x&got=y", body: "ok" },
];
const failures = {
  "https://page.test/failing": "connection",
  "https://down.test/": "connection",
  "https://gone.test/": "name",
};
const notes = { failed_urls: Object.keys(failures), failures };

const wanted: Record<string, string> = {
  ...{ elsewhere: "404", here: "404", collected: "204", asked: "404" },
  ...{ failing: "nothing", down: "nothing", gone: "nothing", beacon: "true" },
};

async function load(lane: Lane): Promise<PageLoad["log"]> {
  const recording = await recordSite(home, "unrecorded", resources, undefined, notes);
  const link = parseLink("20mbit/20ms");
  const { log } = await untimedLoad({ home, recording, lane, link, timeout_ms: 20_000, settle_ms: 1500 });
  return log;
}

for (const lane of ["h1", "h2", "h3", "h1-clear"] as const) {
  test(`${lane}: hosts that are not recorded, reports, failures`, { timeout: 90_000 }, async () => {
    const { entries, _trilane } = await load(lane);
    const told = entries.flatMap(({ request }) => {
      const { pathname, searchParams } = new URL(request.url);
      return pathname === "/told" ? [[searchParams.get("name"), searchParams.get("got")]] : [];
    });
    assert.deepEqual(Object.fromEntries(told), wanted);
    const asked = entries.filter(({ request }) => request.method !== "OPTIONS");
    const kinds = Object.groupBy(asked, ({ request }) => new URL(request.url).host + new URL(request.url).pathname);
    const kindOf = (place: string) => kinds[place]?.map(({ _trilane: facts }) => facts.unrecorded).at(-1);
    assert.deepEqual(
      ["elsewhere.test/data.json", "pixel.test/p.gif", "page.test/data.json", "api.test/v1"].map(kindOf),
      ["other", "other", "other", "other"],
    );
    assert.deepEqual(["collector.test/v1", "beacon.test/b", "page.test/b"].map(kindOf), ["report", "report", "report"]);
    assert.deepEqual(["page.test/failing", "down.test/"].map(kindOf), ["failed", "failed"]);
    const { protocols } = laneFacts[lane];
    for (const { _protocol, request, response } of entries)
      if (response.status > 0) assert.ok(_protocol && protocols.includes(_protocol), `${request.url}: ${_protocol}`);
    const answers = new Map(_trilane.dns.map(({ name, answer }) => [name.replace(/\.clear\.test$/, ""), answer]));
    assert.equal(answers.get("gone.test"), "nxdomain");
    assert.equal(_trilane.dns.find(({ type }) => type === "A")?.answer, "ok");
    assert.notEqual(answers.get("elsewhere.test"), "nxdomain");
  });
}
