// What a 103 preloaded, of which DevTools has no events: requests of the load all the same, with what the server saw of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { verify } from "../../../cli/load/validity.ts";
import { entry, evidence, imageUrl, pageUrl, replayed, replayReport } from "./fixtures.ts";

const styleUrl = "https://shop.example/a.css";
const document = entry(pageUrl, { _early_hint_headers: ["link: </a.css>; rel=preload; as=style"] });
const used = entry(styleUrl, {
  ...{ _fromCache: "disk", _resourceType: "stylesheet", _initiator: { type: "parser", url: pageUrl } },
  response: { _transferSize: 0 },
  facts: { start_ns: 1_300_000_000, end_ns: 1_301_000_000 },
});
const preloaded = replayed(styleUrl);

test("a preload is a request of the page's, begun by Early Hints, and valid", () => {
  const replay = replayReport([replayed(pageUrl), preloaded]);
  const { status, reasons, counts, background, entries, protocols } = verify(
    evidence({ entries: [document, used], replay }),
  );
  assert.deepEqual([status, reasons, background], ["valid", [], []]);
  assert.deepEqual([counts.requests, counts.matched, counts.bytes], [2, 2, 1100 + preloaded.body_bytes]);
  assert.deepEqual(protocols, { h2: 2 });
  const [, preload, fromCache] = entries;
  assert.deepEqual(preload?._initiator, { type: "early-hints", url: pageUrl });
  assert.deepEqual([preload?._resourceType, preload?._fromCache], ["stylesheet", undefined]);
  assert.equal(preload?._trilane.start_ns, preloaded.request_ns);
  assert.equal(preload?._trilane.match, "exact");
  assert.equal(preload?.timings.wait, 1);
  assert.equal(fromCache?._fromCache, "disk");
});

test("one that the page asks for once more, or never, is a request, too", () => {
  const again = entry(styleUrl, {
    _resourceType: "stylesheet",
    facts: { start_ns: 1_300_000_000, end_ns: 1_340_000_000 },
  });
  const second = { ...preloaded, request_ns: 1_310_000_000, first_byte_ns: 1_311_000_000, end_ns: 1_312_000_000 };
  const replay = replayReport([replayed(pageUrl), preloaded, second]);
  const twice = verify(evidence({ entries: [document, again], replay }));
  assert.deepEqual([twice.status, twice.counts.requests, twice.background], ["valid", 3, []]);
  const never = verify(evidence({ entries: [document], replay: replayReport([replayed(pageUrl), preloaded]) }));
  assert.deepEqual([never.status, never.counts.requests], ["valid", 2]);
  assert.equal(never.entries[1]?._resourceType, "stylesheet");
  assert.equal(never.entries[1]?.response.status, 200);
});

test("what the 103 did not name is none, nor what came before its document was asked for", () => {
  const early = { ...preloaded, request_ns: 900_000_000 };
  const replay = replayReport([replayed(pageUrl), early, replayed(imageUrl)]);
  const { counts, background } = verify(evidence({ entries: [document], replay }));
  assert.equal(counts.requests, 1);
  assert.deepEqual(background.map(({ url }) => url).toSorted(), [imageUrl, styleUrl].toSorted());
});

test("a preload on another protocol than the lane's is off it", () => {
  const replay = replayReport([replayed(pageUrl), { ...preloaded, connection: 0 }]);
  const { status, reasons } = verify(evidence({ entries: [document], replay }));
  assert.equal(status, "invalid");
  assert.match(reasons.join(), /not on h2/);
});
