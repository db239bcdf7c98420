// What `trilane recording check` finds in a trial load, and what it advises.
import assert from "node:assert/strict";
import { test } from "node:test";
import { usualDevice } from "../../../cli/browser/device.ts";
import { parseLink } from "../../../cli/link/link.ts";
import { checkLines, checkOf } from "../../../cli/load/recording_check.ts";
import type { Trial } from "../../../cli/load/trial.ts";
import type { Recording } from "../../../cli/recording/archive/archive.ts";
import type { RecordedRequests } from "../../../cli/recording/archive/recorded_requests.ts";
import type { HarEntry, LoadCoverage } from "../../../schemas/generated/page_load.ts";
import { pageLoad } from "../sweep/page_load.ts";
import { entry } from "./fixtures.ts";

const page = "https://shop.example/";
const urls = [page, `${page}a.js`, `${page}b.png`, `${page}c.png?v=1`];
const recorded: RecordedRequests = {
  digest: "d",
  requests: [
    ...urls.map((url, place) => ({ method: "GET", url, bytes: 1000 * (place + 1), notExpected: null })),
    { method: "GET", url: `${page}favicon.ico`, bytes: 9000, notExpected: "icon" as const },
  ],
  placeOf: new Map(),
  placeOfKey: new Map(),
  addresses: new Map(),
  isMixed: false,
  device: usualDevice,
};

const coverage: LoadCoverage = {
  recorded: { requests: 4, bytes: 10_000 },
  asked: { requests: 3, bytes: 7000 },
  requests: 0.75,
  bytes: 0.7,
  beyond: { reports: 0, other: 1, failed: 0 },
  unanswered: 0.25,
};

function recording(change: Partial<Recording> = {}): Recording {
  const at = "2026-01-01T00:00:00.000Z";
  return {
    ...{ id: 1, name: "shop", url: page, source: "har: Chrome 47", created_at: at, recorded_at: at, digest: "d" },
    ...{ notes: {}, exchanges: 5, hosts: 1, addresses: 1, body_bytes: 19_000, filled: 0 },
    ...change,
  };
}

function trial(entries: readonly HarEntry[], change: Partial<Trial> = {}): Trial {
  const load = pageLoad({ page: "shop", recording_digest: "d", lane: "h2", link: parseLink("unlimited") });
  const log = { ...load.log, entries: [...entries] };
  return {
    load: { log },
    coverage,
    failure: null,
    outside: ["covers too little of the recording: 3 of 4 requests"],
    ...change,
  };
}

const fuzzy = { url: urls[3] ?? "", difference: "query" as const, likeness: 0.5 };
const entries = [
  entry(page, { facts: { match: "exact" } }),
  entry(urls[1] ?? "", { _fromCache: "disk" }),
  entry(`${page}c.png?v=2`, { facts: { match: "fuzzy", instead: fuzzy } }),
  entry("https://ads.example/x.js", { facts: { match: "missed", unrecorded: "other" } }),
];

const tried = (chosen: Trial) => ({ pinned_ms: null, chosen, before: null, isSettled: true });

test("says what was not asked for, what came beyond, and what was given instead", () => {
  const checked = checkOf({ recording: recording(), recorded, lane: "h2", tried: tried(trial(entries)) });
  assert.deepEqual(checked.not_asked, [{ method: "GET", url: urls[2], bytes: 3000 }]);
  assert.deepEqual(checked.beyond, [{ method: "GET", url: "https://ads.example/x.js", kind: "other" }]);
  assert.deepEqual(
    checked.fuzzy.map(({ given, similarity }) => [given, similarity]),
    [[urls[3], 0.5]],
  );
  const text = checkLines(checked).join("\n");
  assert.match(text, /asked for 3 of 4 recorded requests \(75 %\) and 7 kB of 10 kB \(70 %\)/);
  assert.match(
    text,
    /outside the bounds \(at least 95 % and 98 %, at most 5 % unanswered, or one that is no document, script or stylesheet\)/,
  );
});

test("advises what fits the recording's source", () => {
  const advice = (of: Recording, chosen = trial(entries)) =>
    checkOf({ recording: of, recorded, lane: "h2", tried: tried(chosen) }).advice.join("\n");
  assert.match(advice(recording()), /record the page live: `trilane record https:\/\/shop\.example\/ --visits 3`/);
  assert.match(advice(recording()), /trilane race shop --as model/);
  assert.match(advice(recording({ source: "live: Chromium 156" })), /record the page again, more than once/);
  assert.match(advice(recording({ filled: 3 })), /3 bodies are missing or cut off/);
  assert.doesNotMatch(advice(recording({ source: "model: shop" })), /--as model/);
  const good = trial([], { outside: [], coverage: { ...coverage, requests: 1, bytes: 1 } });
  assert.equal(advice(recording(), good), "race it as it is");
});

test("a page that does not load is said to", () => {
  const failed = trial([], { coverage: null, failure: "the load event did not come within 60000 ms" });
  const checked = checkOf({ recording: recording(), recorded, lane: "h3", tried: tried(failed) });
  assert.equal(checked.within, false);
  assert.match(checkLines(checked)[0] ?? "", /^shop: does not load over h3: the load event did not come/);
});

test("a page whose loads are invalid for something else is not said to be raced as it is", () => {
  const why = "the page replaced itself by https://shop.example/?again: its load has no one beginning";
  const { load } = trial([]);
  const facts = { ...load.log._trilane, reasons: [why, "the machine disturbed the load: by up to 9 ms"] };
  const whole = { ...coverage, requests: 1, bytes: 1, unanswered: 0 };
  const chosen = trial([], { load: { log: { ...load.log, _trilane: facts } }, coverage: whole, outside: [] });
  const checked = checkOf({ recording: recording(), recorded, lane: "h2", tried: tried(chosen) });
  assert.deepEqual([checked.within, checked.reasons], [false, [why]]);
  const text = checkLines(checked).join("\n");
  assert.match(text, /within the bounds .*\n {2}its loads are invalid: the page replaced itself/);
  assert.doesNotMatch(text, /race it as it is/);
});
