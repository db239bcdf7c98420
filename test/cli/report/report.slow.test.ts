// The report as a document: whole, self-contained, escaped, and saying what the loads say. How it looks and behaves in a
// browser is test/e2e/report.test.ts's.
// Wide: cli/report.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync, inflateRawSync } from "node:zlib";
import { buildReport } from "../../../cli/report/report.ts";
import { reportPath } from "../../../cli/report/report_files.ts";
import { testedLink } from "../load/selftest/tested.ts";
import { type Fixture, storeFixture, withHome } from "./fixture.ts";
import { gridFixture, hostileFixture, lossFixture, manyPagesFixture, raceFixture } from "./fixtures.ts";
import { reportData, withPlainSpaces, writeReport } from "./written_report.ts";

/** Of fixtures that several tests look at: building takes seconds. */
const built = new Map<Fixture, string>();

function reportOf(fixture: Fixture): string {
  const text = built.get(fixture) ?? withPlainSpaces(buildReport(reportData(fixture)));
  built.set(fixture, text);
  return text;
}

test("a race: verdict with intervals first, then what was left out, medians, waterfalls, the link, how it was done", () => {
  const text = reportOf(raceFixture);
  const order = [
    'class="verdict"',
    'id="medians"',
    'id="pages"',
    'class="waterfall"',
    'id="excluded"',
    'id="method"',
    'id="data"',
  ];
  const places = order.map((part) => text.indexOf(part));
  assert.ok(
    places.every((place) => place > 0),
    JSON.stringify(places),
  );
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  assert.match(text, /<p>HTTP\/3 saves \d+ ms \(\d+ %, 95 % CI \d+ to \d+ %\) over HTTP\/1\.1\.<\/p>/);
  assert.match(text, /2 of 17 loads do not count: /);
  assert.match(text, /<th scope="row">congestion control<\/th><td>cubic<\/td><td>cubic<\/td>/);
  assert.match(text, /<th scope="row">initial window<\/th><td>10 packets<\/td><td>10 packets<\/td>/);
  assert.match(text, /<th scope="row">pacing<\/th><td>off<\/td><td>on<\/td>/);
  // What these reports do not say yet is no setting.
  assert.match(text, /<th scope="row">send buffer<\/th><td>unavailable: no report<\/td>/);
  assert.match(text, /<th scope="row">server think time<\/th><td>none<\/td>/);
  assert.match(text, /part of h3's gain over h2 comes from this, not from the protocol/);
  assert.match(text, /3 Mbit\/s each way, RTT 50 ms, loss 0 %, drop-tail queue of 1 BDP/);
  assert.ok(!text.includes('id="heatmaps"'), "one link has no map");
});

test("the answer first: which lane, by how much, why, how sure, when and on what; it is not said twice", () => {
  const plt_ms = { h1: 1200, h2: 1000, h3: 800 };
  const text = reportOf({ ...raceFixture, plt_ms: ({ lane }) => plt_ms[lane as "h1" | "h2" | "h3"] });
  assert.match(
    text,
    /<p class="answer">HTTP\/3 saves <span class="whole">\d+ ms<\/span> \(<span class="whole">\d+ %<\/span>, <span class="whole">95 %<\/span> CI <span class="whole">\d+ to \d+ %\)<\/span> over HTTP\/2 on shop \(<span class="whole">3 Mbit\/s<\/span>, <span class="whole">50 ms<\/span> RTT\)\.<\/p>/,
  );
  assert.match(
    text,
    /<p class="why"><b>Why:<\/b> [^<]+\.<\/p><p class="sure"><b>Confidence:<\/b> 5 valid runs per lane\.<\/p>/,
  );
  assert.match(
    text,
    /<p class="stamp">\d{4}-\d\d-\d\d · Chromium 156\.0\.0\.0 · Example CPU 3000, 2 CPUs, kernel 6\.18\.5 · Trilane 0\.1\.0/,
  );
  assert.match(text, /<title>race shop: HTTP\/3 saves /);
  assert.match(text, /<p>HTTP\/3 saves \d+ ms \(\d+ %, 95 % CI \d+ to \d+ %\) over HTTP\/1\.1\.<\/p>/);
  assert.doesNotMatch(text, /<p>HTTP\/3 [^<]* over HTTP\/2/);
  assert.match(
    text,
    /role="note"><b>2 loads of 17 \(12 %\) do not count: HTTP\/1\.1 0 %, HTTP\/2 17 %, HTTP\/3 17 %\.<\/b>/,
  );
});

test("every caption has fewer than forty words", () => {
  for (const fixture of [raceFixture, lossFixture, gridFixture, hostileFixture, manyPagesFixture]) {
    const text = reportOf(fixture);
    const captions = [...text.matchAll(/<(?:fig)?caption>(.*?)<\/(?:fig)?caption>/gs)];
    assert.ok(captions.length > 3, `${captions.length} captions of ${fixture.name}`);
    for (const [, caption = ""] of captions) {
      const words = caption
        .replaceAll(/<[^>]*>/g, "")
        .split(/\s+/)
        .filter(Boolean);
      assert.ok(words.length < 40, `${words.length} words: ${words.join(" ")}`);
    }
  }
});

test("sections without anything to show are none, in the contents either", () => {
  const text = reportOf({ ...raceFixture, outcome: () => ({ status: "valid", reasons: [] }) });
  for (const id of ["heatmaps", "helped", "selftest", "excluded", "coverage", "disturbance"])
    assert.ok(!text.includes(`id="${id}"`) && !text.includes(`<a href="#${id}">`), id);
  const [, contents = ""] = /<nav class="contents"[^>]*>(.*?)<\/nav>/s.exec(text) ?? [];
  for (const [, id] of contents.matchAll(/href="#(\w+)"/g)) assert.match(text, new RegExp(`<section id="${id}">`));
});

test("the links' self-test: asked, measured, tolerance; a link that is out is open and first; what passed is folded", () => {
  const without = reportOf(lossFixture);
  assert.ok(!without.includes('id="selftest"'), "an empty section is none");
  assert.match(without, /self-test of the links<\/th><td>none: this sweep ran without one/);
  const within = ["3mbit/50ms", "3mbit/50ms,loss=1%"].map((link) => testedLink(link));
  const text = withPlainSpaces(buildReport(reportData(lossFixture, [...within, testedLink("10mbit/50ms", "out")])));
  const section = /<section id="selftest">.*?<\/section>/s.exec(text)?.[0] ?? "";
  assert.match(section, /1 of 3 links out of tolerance<\/span>: loads over it do not count/);
  assert.match(section, /<details open><summary>10mbit\/50ms: <b class="warning">out of tolerance/);
  assert.match(
    section,
    /rate down<\/th><td class="num">3<\/td><td class="num">2\.9\d*<\/td><td class="num">± 0\.0043<\/td>/,
  );
  assert.match(section, /<details class="passed"><summary>2 links within tolerance/);
  const bars = [...section.matchAll(/<th scope="row">([\w/,=%]+)<\/th><td><svg class="dw".*?<\/svg>/g)];
  assert.deepEqual(
    bars.map(([, link]) => link),
    ["3mbit/50ms", "3mbit/50ms,loss=1%"],
  );
  // As asked: in the middle of its tolerance.
  for (const [bar] of bars)
    assert.match(bar, /<line class="tick" x1="160" .*?<title>rate down: 3\.0+ Mbit\/s, asked 3 ± 0\.0043, 60 packets</);
  assert.match(section, /not measured: filling it takes 4\.0 s/);
  assert.ok(text.indexOf('id="selftest"') < text.indexOf('id="method"'));
});

test("nothing outside is referred to, and nothing inline escapes the policy", () => {
  for (const fixture of [raceFixture, hostileFixture]) {
    const text = reportOf(fixture);
    // Attributes that fetch or run: only fragments and data to save.
    for (const [, name, value] of text.matchAll(
      /\s(src|href|srcset|action|data|poster|style|on\w+)\s*=\s*["']([^"']*)/g,
    )) {
      assert.equal(name, "href", `${name}=${value}`);
      assert.match(value ?? "", /^(#|data:text\/csv|data:application\/gzip)/);
    }
    assert.equal(text.match(/<script/g)?.length, 1);
    assert.equal(text.match(/<style/g)?.length, 1);
    assert.ok(!/@import|url\((?!#)/.test(text.slice(text.indexOf("<style>"), text.indexOf("</style>"))));
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1]?.replaceAll("&#39;", "'") ?? "";
    for (const element of ["style", "script"]) {
      const body = text.slice(text.indexOf(`<${element}>`) + element.length + 2, text.indexOf(`</${element}>`));
      assert.ok(policy.includes(createHash("sha256").update(body).digest("base64")), element);
    }
    assert.ok(policy.startsWith("default-src 'none';"));
    assert.ok(!policy.includes("unsafe"));
  }
});

test("hostile texts stay texts", () => {
  const text = reportOf(hostileFixture);
  for (const markup of ["<script>alert", "<script>fetch", "<img", "<b onclick", "</title><script"]) {
    assert.ok(!text.includes(markup), markup);
  }
  assert.ok(text.includes("&lt;script&gt;alert(1)"), "it is shown, escaped");
  assert.ok(!/\u202e/.test(text));
});

test("the grid: three maps of a hundred cells, the empty ones with their reason, under 5 MB", () => {
  const text = reportOf(gridFixture);
  assert.ok(text.length < 5_000_000, `${text.length}`);
  const maps = text.match(/<svg class="heat".*?<\/svg>/gs) ?? [];
  assert.equal(maps.length, 3);
  for (const map of maps) assert.equal(map.match(/<a /g)?.length, 100);
  assert.equal(text.match(/class="why"[^>]*>h3 0\/15</g)?.length, 2);
  assert.match(text, /0\.2 Mbit\/s, 30 ms RTT: no valid load of h3 \(15 loads left out: 23 of 23 requests/);
});

test("few pages have maps of their own; six and more only those over all", () => {
  const few = reportOf(lossFixture);
  // Once for each metric that a reader can choose.
  const metrics = (text: string): number => text.match(/<input type="radio" name="metric"/g)?.length ?? 1;
  assert.equal(few.match(/<svg class="heat"/g)?.length, metrics(few) * 3 * (1 + lossFixture.pages.length));
  assert.match(few, /geometric mean over pages/);
  const many = reportOf(manyPagesFixture);
  assert.equal(many.match(/<svg class="heat"/g)?.length, metrics(many) * 3);
  assert.match(many, /for pages like these/);
});

test("every cell of all loads left out: said, not averaged", () => {
  const text = reportOf({
    ...raceFixture,
    outcome: () => ({ status: "failed", reasons: ["the browser crashed"] }),
  });
  for (const lane of ["h1", "h2", "h3"]) assert.ok(text.includes(`<p>${lane} has no valid load.</p>`));
  assert.match(text, /No waterfall: no valid load/);
  const shown = text.slice(text.indexOf("<main>"), text.indexOf('id="method"')).replaceAll(/data-csv="[^"]*"/g, "");
  assert.ok(!/NaN|undefined|Infinity|\bnull\b/.test(shown));
});

test("no report says NaN, undefined or null to a reader", () => {
  for (const fixture of [
    raceFixture,
    lossFixture,
    hostileFixture,
    { ...raceFixture, lanes: ["h3"] as const, repetitions: 1 },
  ]) {
    const text = reportOf(fixture);
    // Packed data may spell anything: it is unpacked first.
    const body = text
      .slice(text.indexOf("<main>"), text.indexOf("<script>"))
      .replaceAll(/data-csv="([^"]*)"/g, (_, packed: string) =>
        inflateRawSync(Buffer.from(packed, "base64")).toString(),
      )
      .replaceAll(/base64,[\w+/=]+/g, "");
    const at = /NaN|undefined|\[object|\bnull\b/.exec(body);
    assert.equal(at && body.slice(at.index - 60, at.index + 60), null);
  }
});

test("a sweep without any load, and one that is not finished, say so", () => {
  const none = reportOf({ ...raceFixture, repetitions: 0, finished: false });
  assert.match(none, /No load yet of shop \(3 Mbit\/s, 50 ms RTT\): the command that began this resumes it\./);
  const part = reportOf({ ...raceFixture, finished: false });
  assert.match(part, /This sweep is not finished: 15 valid loads of 15 so far/);
});

test("the CSV in the report is all loads, gzipped where it is large", () => {
  const saved = (text: string): string => {
    const [, type, body] = /href="data:([^;]+)[^,]*;base64,([^"]+)"/.exec(text) ?? [];
    const bytes = Buffer.from(body ?? "", "base64");
    return (type === "application/gzip" ? gunzipSync(bytes) : bytes).toString("utf8");
  };
  assert.equal(saved(reportOf(raceFixture)).trimEnd().split("\r\n").length, 1 + 17);
  const large = reportOf({ ...gridFixture, repetitions: 9 });
  assert.ok(large.includes(".csv.gz"));
  assert.equal(saved(large).trimEnd().split("\r\n").length, 1 + 99 * 27 + 9 * 2 + 9 * 3);
  assert.ok(large.length < 5_000_000);
});

test("the same results make the same report", () => {
  const strip = (text: string): string => text.replace(/2026-\d\d-\d\dT[\d:.]+Z|20\d\d-\d\d-\d\d/g, "");
  assert.equal(strip(buildReport(reportData(raceFixture))), strip(buildReport(reportData(raceFixture))));
});

test("writeReport: into reports/ by default, atomically, no other folder made; a failure leaves nothing", async () => {
  await withHome(async (home) => {
    const sweep = storeFixture(home, { ...raceFixture, name: "a b../c" });
    const path = await writeReport(home, sweep);
    assert.equal(path, reportPath(home, { id: sweep, name: "a b../c" }));
    assert.equal(path, join(home, "reports", `${sweep}-a-b..-c.html`));
    assert.ok(readFileSync(path, "utf8").endsWith("</html>\n"));
    mkdirSync(join(home, "new"));
    const other = await writeReport(home, sweep, join(home, "new", "r.html"));
    assert.ok(statSync(other).size > 10_000);
    assert.deepEqual(readdirSync(join(home, "new")), ["r.html"]);
    await assert.rejects(writeReport(home, sweep, join(home, "no", "folder", "r.html")), { name: "UserError" });
    assert.ok(!existsSync(join(home, "no")));
    // A folder stands where the file should go.
    const blocked = join(home, "blocked.html");
    mkdirSync(join(blocked, "x"), { recursive: true });
    await assert.rejects(writeReport(home, sweep, blocked));
    assert.ok(!readdirSync(home).some((name) => name.startsWith(".blocked")), "nothing half-written is left");
    writeFileSync(join(home, "file"), "");
    await assert.rejects(writeReport(home, sweep, join(home, "file", "r.html")));
    assert.ok(!existsSync(join(home, "file", "r.html")));
    await assert.rejects(writeReport(home, 99), { name: "UserError" });
  });
});

test("pages helped and hurt most: the quarters at both ends with their attributes; of few pages how many it takes", () => {
  const text = reportOf({
    ...manyPagesFixture,
    plt_ms: ({ page, lane }) => (lane === "h3" ? 1000 + 50 * page : 1300),
  });
  const section = /<section id="helped">.*?<\/section>/s.exec(text)?.[0] ?? "";
  assert.equal(section.match(/<table class="helped">/g)?.length, 3);
  const figure = /data-file="helped-and-hurt-h3-over-h1".*?<\/figure>/s.exec(section)?.[0] ?? "";
  const pages = [...figure.matchAll(/<th scope="row"><a href="#g\d+" title="([^"]+)"/g)].map(([, page]) => page);
  assert.deepEqual(pages.slice(0, 3), ["site-1.example", "site-2.example", "site-3.example"]);
  assert.deepEqual(pages.slice(3), ["site-10.example", "site-11.example", "site-12.example"]);
  assert.match(figure, /mean of the 3 helped<\/th><td>\d+ %<\/td><td class="num">23<\/td>/);
  assert.match(figure, /without an interval: that takes five pages in each group, twenty in all/);
  assert.match(
    figure,
    /helped against hurt<\/th><td><\/td><td class="num">same<\/td><td class="num">× [01]\.\d\d<\/td>/,
  );
  assert.ok(!reportOf(lossFixture).includes('id="helped"'), "three pages are no two groups");
  assert.ok(!reportOf(raceFixture).includes('id="helped"'), "one page has no others");
});

test("cells of which no load is valid: counted beside the verdict; with reason and count in map, table, list and CSV", () => {
  const reason = "the link was out of tolerance: late by 9 ms";
  const text = reportOf({
    ...lossFixture,
    outcome: ({ page, link, lane }) =>
      page === "carlucci-small" && link === "10mbit/50ms" && lane !== "h1"
        ? { status: "invalid", reasons: [reason] }
        : { status: "valid", reasons: [] },
  });
  assert.match(text, /2 cells \(page, link and lane\) of 54 have no valid load\. .*?<a href="#excluded">/);
  const map = /data-file="improvement-carlucci-small" data-csv="([^"]+)".*?<\/figure>/s.exec(text);
  assert.match(map?.[0] ?? "", /class="void invalid"[^>]*\/><text class="why"[^>]*>h2 0\/18</);
  assert.match(map?.[0] ?? "", /class="why"[^>]*>0\/36</);
  const csv = inflateRawSync(Buffer.from(map?.[1] ?? "", "base64")).toString();
  assert.match(
    csv,
    /^h2,h1,10mbit\/50ms,[^\r]*,0,0,18,0,[^\r]*no valid load of h2 \(18 loads left out: the link was out/m,
  );
  assert.match(text, /none valid<small>18 invalid: the link was out of tolerance<\/small>/);
  assert.match(text, /carlucci-small over 10mbit\/50ms, h2: 18 loads, none valid \(the link was out of tolerance/);
  const all = reportOf({
    ...raceFixture,
    outcome: () => ({ status: "failed", reasons: ["the browser crashed"] }),
  });
  assert.match(all, /No cell has a valid load\./);
});

test("the maps say what the correction over their cells leaves, and when there are too few loads for it", () => {
  const text = reportOf({ ...lossFixture, repetitions: 12 });
  assert.match(text, /Corrected over these 18 cells: \d+ by Holm, \d+ by Benjamini and Hochberg\./);
  assert.match(text, /<path class="sign" d="/);
  const few = reportOf(gridFixture);
  assert.match(
    few,
    /over these \d+ cells: 0 by Holm \(none can: it takes 12 loads of each lane, there are at most 5\), \d+ by/,
  );
  assert.match(few, /<path class="sign hollow" d="/);
  // In no map; the legend has one of each.
  const maps = few.slice(few.indexOf('<section id="heatmaps"'));
  assert.doesNotMatch(maps.slice(maps.indexOf("<figure")), /<path class="sign" d="/);
});
