// Pinned time and chance in the real browser: two loads of one page ask for the same URLs, in its own frame, in one of
// another site and in a worker; without the pins they do not.
// Wide: cli/browser.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultMoment_ms } from "../../cli/browser/pin_time.ts";
import { parseLink } from "../../cli/link/link.ts";
import { settleServing } from "../../cli/load/serving/serving.ts";
import { tempFolder } from "../temp_folder.ts";
import { recordSite } from "./site.ts";
import { untimedLoad } from "./untimed_load.ts";

const home = tempFolder("trilane-pin-");

// Everything that a page can know of time and chance, as a query. `performance.timing` and a document's date are not
// in workers.
const told = `
  const bytes = crypto.getRandomValues(new Uint16Array(4));
  const dates = [Date.now(), +new Date(), Date.parse(Date()), new (class extends Date {})().getTime()];
  const since = Date.now() - performance.timeOrigin;
  return new URLSearchParams({
    dates, since, bytes: [...bytes], random: Math.random(), uuid: crypto.randomUUID(), type: Object.prototype.toString.call(new Date()),
    instance: new Date() instanceof Date && new Date().constructor === Date,
    intl: new Intl.DateTimeFormat("en", { timeZone: "UTC", year: "numeric", month: "numeric", day: "numeric" }).format(),
    parts: new Intl.DateTimeFormat("en", { timeZone: "UTC" }).formatToParts().map(({ value }) => value).join(""),
    temporal: globalThis.Temporal ? [Temporal.Now.instant().epochMilliseconds, Temporal.Now.plainDateISO("UTC")].join(" ") : "none",
    fixed: new Date(2020, 1, 3).getTime() + Date.UTC(2020, 1),
    navigation: globalThis.performance.timing ? performance.timing.navigationStart - performance.timeOrigin | 0 : "none",
  });`;
const worker = `const told = () => {${told}}; fetch("/hit?from=worker&" + told()).then(() => postMessage("done"));`;
const frame = `<script>const told = () => {${told}}; fetch("/hit?from=frame&" + told());</script>`;
const page = `<!doctype html><script>
  const told = () => {${told}};
  const wait = [fetch("/hit?from=page&" + told())];
  const busy = Date.now(); let turns = 0; while (Date.now() < busy + 120) turns++;
  wait.push(new Promise((done) => new Worker("/worker.js").onmessage = done));
  const frame = document.createElement("iframe"); frame.src = "https://other.test/frame";
  document.documentElement.append(frame);
  // The load event waits for this image, and it for all of the above.
  const image = new Image();
  image.src = "/done.svg";
</script><p>${"text ".repeat(50)}</p>`;

const resources = [
  { url: "https://pin.test/", body: page },
  { url: "https://pin.test/worker.js", body: worker, type: "text/javascript" },
  { url: "https://pin.test/done.svg", body: "<svg xmlns='http://www.w3.org/2000/svg'/>", type: "image/svg+xml" },
  { url: "https://pin.test/hit?from=page", body: "ok" },
  { url: "https://pin.test/hit?from=worker", body: "ok" },
  { url: "https://other.test/frame", body: frame },
  { url: "https://other.test/hit?from=frame", body: "ok" },
];

async function hits(pinTime: boolean): Promise<Map<string, URLSearchParams>> {
  const recording = await recordSite(home, "pin", resources);
  const link = parseLink("20mbit/20ms");
  const options = { home, recording, lane: "h2" as const, link, timeout_ms: 20_000, settle_ms: 700 };
  const { log } = await untimedLoad({ ...options, serving: settleServing({ pin_time: pinTime }) });
  assert.equal(log._trilane.status, "valid", log._trilane.reasons.join("; "));
  const { plt_ms } = log._trilane.metrics;
  assert.ok(plt_ms !== null && plt_ms > 40 && plt_ms < 10_000, `PLT ${plt_ms}`);
  assert.ok(Math.abs(Date.parse(log.pages[0]?.startedDateTime ?? "") - Date.now()) < 60_000, "the document's own date");
  const queries = log.entries.flatMap(({ request }) => {
    const url = new URL(request.url);
    return url.pathname === "/hit" ? [url.searchParams] : [];
  });
  return new Map(queries.map((query) => [query.get("from") ?? "", query]));
}

const places = ["frame", "page", "worker"];
const pinnedNames = ["dates", "bytes", "random", "uuid"];

test("pinned, two loads tell the same; unpinned, they do not", { timeout: 120_000 }, async () => {
  const [one, two, free] = [await hits(true), await hits(true), await hits(false)];
  assert.deepEqual([...one.keys()].toSorted(), places);
  for (const place of places) {
    const [a, b, c] = [one.get(place), two.get(place), free.get(place)];
    assert.equal(a?.toString(), b?.toString(), place);
    for (const name of pinnedNames) assert.notEqual(a?.get(name), c?.get(name), `${place}: ${name}`);
    for (const name of ["type", "instance", "fixed", "navigation"]) assert.equal(a?.get(name), c?.get(name), name);
    for (const date of a?.get("dates")?.split(",").slice(0, 2) ?? []) {
      assert.ok(Number(date) >= defaultMoment_ms && Number(date) < defaultMoment_ms + 1000, `${place}: ${date}`);
    }
    assert.ok(Math.abs(Number(a?.get("since"))) <= 1000, `${place}: since its time origin: ${a?.get("since")}`);
    assert.deepEqual([a?.get("intl"), a?.get("parts")], ["1/1/2026", "1/1/2026"]);
    assert.match(a?.get("temporal") ?? "", new RegExp(`^(none|${defaultMoment_ms / 1000}\\d{3} 2026-01-01)$`));
    assert.match(a?.get("uuid") ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  const drawn = places.map((place) => one.get(place)?.get("random"));
  assert.equal(new Set(drawn).size, places.length, "documents do not draw the same numbers");
});
