// What the views say: the answer in a sentence, shares, failures, time left, a race's outcome, and the picture to export.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RaceState } from "../../../extension/actions.ts";
import { detailsMarkup } from "../../../extension/views/result/details.ts";
import { pictureSvg } from "../../../extension/views/result/picture.ts";
import { rowsOf } from "../../../extension/views/result/rows.ts";
import { h3Markup, metricText, metricTiles, sentence } from "../../../extension/views/result/summary.ts";
import { failureNote, laneTracks, pageName, raceLine, sharesBar, timeLeft } from "../../../extension/views/words.ts";
import { profileOfRequests } from "./profile_fixture.ts";

const profile = profileOfRequests(30);
const facts = profile.log._trilane;

test("the answer: page load time, requests, bytes and the commonest protocol", () => {
  const bytes = profile.log.entries.reduce((sum, { response }) => sum + response._transferSize, 0);
  assert.equal(sentence(profile), `Loaded in 90.0 ms: 30 requests, ${(bytes / 1000).toFixed(1)} kB, 33 % over h2.`);
  const never = structuredClone(profile);
  never.log._trilane.metrics.plt_ms = null;
  never.log._trilane.protocols = [{ protocol: "cache", requests: 2, bytes: 0, time_ms: 1 }];
  assert.equal(sentence(never), "No load event: 2 requests, 0 B, all from the cache.");
});

test("a metric that is missing says why", () => {
  assert.match(metricTiles(facts).text, /LCP<\/dt><dd>–<small>the page painted nothing large/);
  assert.equal(metricText("cls", 0.01234), "0.012");
  assert.equal(metricText("plt_ms", 12_340), "12.3 s");
});

test("hosts that did not use HTTP/3 come first, with the reason", () => {
  const text = h3Markup(facts).text;
  assert.match(text, /2 hosts of 3 did not use HTTP\/3/);
  assert.ok(text.indexOf("www.example.test") < text.indexOf("img.example.test"));
});

test("shares are drawn and said in the order of the protocols", () => {
  const text = sharesBar(facts.protocols).text;
  const order = ["http/1.1 <b", "h2 <b", "h3 <b", "none <b"].map((part) => text.indexOf(part)).filter((at) => at >= 0);
  assert.ok(order.length >= 3);
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
  assert.match(sharesBar([]).text, /No requests/);
});

test("the details of a request hold its URL, phases and headers", () => {
  const [row] = rowsOf(profile);
  assert.ok(row);
  const text = detailsMarkup(row).text;
  for (const part of ["https://www.example.test/", "TLS", "content-type", "Accept", "203.0.113.1", "port 443"])
    assert.ok(text.includes(part), part);
});

test("failures end with one full stop, whoever worded them", () => {
  const text = failureNote({ code: "x", message: "link: rate must be above 0", remedy: "Write 3mbit." }).text;
  assert.match(text, />Link: rate must be above 0\.</);
  assert.match(text, /What to do: Write 3mbit\.</);
});

const race: RaceState = {
  profile: "p",
  name: "A page",
  link: "3g",
  lanes: ["h1", "h2", "h3"],
  phase: "racing",
  done: 8,
  loads: 15,
  left_s: 41,
  lanesDone: { h1: 3, h2: 3, h3: 2 },
  plts: { h1: [900, 910], h2: [800] },
  error: null,
};

test("a race under way: how far, how long still, and each lane's share", () => {
  assert.equal(raceLine(race), "Racing over 3g: 8 of 15 loads, about 41 s left");
  assert.equal(timeLeft(null), "");
  assert.equal(timeLeft(600), "about 10 min left");
  const text = laneTracks(race).text;
  assert.match(text, /lane-h1.*width:60\.0%.*910 ms.*lane-h3.*width:40\.0%/s);
  assert.match(text, /aria-valuenow="2"/);
  assert.doesNotMatch(laneTracks({ ...race, loads: 0 }).text, /NaN|Infinity/);
});

test("a page without a title goes by its address", () => {
  assert.equal(pageName({ title: " ", url: "https://a.test/x/y?z" }), "a.test/x/y");
  assert.equal(pageName({ title: "", url: "https://a.test/" }), "a.test");
  assert.equal(pageName({ title: "T", url: "" }), "T");
});

test("the picture is one SVG document that needs nothing else", () => {
  const svg = pictureSvg(profile);
  assert.match(svg, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.equal(svg.match(/<svg/g)?.length, 1);
  assert.equal(svg.match(/<\/svg>/g)?.length, 1);
  assert.doesNotMatch(svg, /var\(|https?:\/\/(?!www\.w3\.org|[a-z]+\.example\.test)/);
  assert.equal(svg.match(/class="hit"/g)?.length, 30);
});
