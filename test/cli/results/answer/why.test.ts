// Why a lane was faster, over loads of which it is known: each differs from the other in one thing, or in two.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  meanEvidence,
  type PathEvidence,
  pathEvidence,
  pathParts,
} from "../../../../cli/load/metrics/path_evidence.ts";
import { type CellEvidence, whyLine, whyUnknown } from "../../../../cli/results/answer/why.ts";
import { documentOf, imageOf, type MadeLoad, madeLoad } from "./made_loads.ts";

function evidenceOf(made: MadeLoad): PathEvidence {
  const evidence = pathEvidence(madeLoad(made));
  assert.ok(evidence);
  const sum = pathParts.reduce((all, part) => all + evidence[part], 0);
  assert.ok(Math.abs(sum - made.plt_ms) < 1e-6, "the parts are the whole");
  return evidence;
}

const cell = (lane: MadeLoad, over: MadeLoad): CellEvidence => ({ lane: evidenceOf(lane), over: evidenceOf(over) });

const quick = documentOf(50, 50, 10); // one round trip to connect
const slow = documentOf(100, 50, 10); // two: TCP, then TLS

test("a round trip less to connect, and nothing else", () => {
  const h3 = { lane: "h3", plt_ms: 320, requests: [quick, imageOf(110, {})] } as const;
  const h2 = { lane: "h2", plt_ms: 370, requests: [slow, imageOf(160, {})] } as const;
  assert.equal(
    whyLine({ lane: "h3", over: "h2" }, "faster", [cell(h3, h2)]),
    "Why: HTTP/3 connects in one round trip less (50 ms).",
  );
  // The same loads, asked the other way round.
  assert.equal(
    whyLine({ lane: "h2", over: "h3" }, "slower", [cell(h2, h3)]),
    "Why: HTTP/3 connects in one round trip less (50 ms).",
  );
});

test("HTTP/1.1 on six connections with losses: requests wait for a connection, and no losses are blamed for it", () => {
  const lost_at_ms = [200, 250, 300];
  const h2 = { lane: "h2", plt_ms: 370, requests: [slow, imageOf(160, {})], lost_at_ms } as const;
  const h1 = {
    lane: "h1",
    plt_ms: 670,
    requests: [slow, imageOf(160, { blocked: 300 })],
    lost_at_ms,
    connections: 6,
  } as const;
  assert.equal(
    whyLine({ lane: "h2", over: "h1" }, "faster", [cell(h2, h1)]),
    "Why: requests wait 300 ms less for a connection (HTTP/1.1 has 6, for one request at a time each).",
  );
});

test("as many losses on both, HTTP/2's responses held up: head-of-line blocking is named, with HTTP/3 and with HTTP/1.1 ahead", () => {
  const lost_at_ms = [200, 250, 300, 320];
  const requests = [slow, imageOf(160, {})];
  const held = [slow, imageOf(160, { receive: 240 })];
  const h2 = { lane: "h2", plt_ms: 510, requests: held, lost_at_ms } as const;
  const why =
    "Why: 140 ms less held up by losses (4 packets a load), each of which stops all responses on HTTP/2’s one TCP connection (head-of-line blocking).";
  const h3 = { lane: "h3", plt_ms: 370, requests, lost_at_ms } as const;
  assert.equal(whyLine({ lane: "h3", over: "h2" }, "faster", [cell(h3, h2)]), why);
  const h1 = { lane: "h1", plt_ms: 370, requests, lost_at_ms, connections: 6 } as const;
  assert.equal(whyLine({ lane: "h2", over: "h1" }, "slower", [cell(h2, h1)]), why);
});

test("head-of-line blocking is not named without losses, with too few for the time, or where the slower lane is not HTTP/2", () => {
  const pair = { lane: "h3", over: "h2" };
  const late = (lane: "h1" | "h2" | "h3", lost_at_ms: readonly number[] | null, receive = 240) =>
    ({ lane, plt_ms: 270 + receive, requests: [slow, imageOf(160, { receive })], lost_at_ms }) as const;
  const early = (lane: "h1" | "h2" | "h3", lost_at_ms: readonly number[] | null) => late(lane, lost_at_ms, 100);
  const none = whyLine(pair, "faster", [cell(early("h3", []), late("h2", []))]);
  assert.equal(none, "Why: HTTP/3’s responses arrive 140 ms sooner.");
  assert.equal(whyLine(pair, "faster", [cell(early("h3", null), late("h2", null))]), none, "losses not stored");
  assert.equal(
    whyLine(pair, "faster", [cell(early("h3", [200]), late("h2", [200], 900))]),
    "Why: HTTP/3’s responses arrive 800 ms sooner, with 1 and 1 packets lost a load.",
    "one loss does not cost so much",
  );
  assert.equal(
    whyLine({ lane: "h2", over: "h3" }, "faster", [cell(early("h2", [200, 210]), late("h3", [200, 210]))]),
    "Why: HTTP/2’s responses arrive 140 ms sooner, with 2 and 2 packets lost a load.",
  );
});

test("far fewer losses are named as such; more connections too", () => {
  const of = (lane: "h1" | "h2" | "h3", losses: number, receive: number, connections = 1) =>
    ({
      ...{ lane, plt_ms: 270 + receive, requests: [slow, imageOf(160, { receive })], connections },
      lost_at_ms: Array.from({ length: losses }, (_, index) => 170 + index),
    }) as const;
  assert.equal(
    whyLine({ lane: "h3", over: "h1" }, "faster", [cell(of("h3", 3, 100), of("h1", 46, 240, 6))]),
    "Why: HTTP/3’s responses arrive 140 ms sooner, with 3 packets lost a load against 46.",
  );
  assert.equal(
    whyLine({ lane: "h2", over: "h1" }, "slower", [cell(of("h2", 0, 240), of("h1", 0, 100, 6))]),
    "Why: HTTP/1.1’s responses arrive 140 ms sooner over 6 connections (HTTP/2: 1).",
  );
});

test("the link's queue is told apart from the responses: what it held when the first byte left it", () => {
  // 125 kB at 10 Mbit/s are 100 ms.
  const h2 = { lane: "h2", plt_ms: 470, requests: [slow, imageOf(160, { wait: 150 })], queue_bytes: 125_000 } as const;
  const h3 = { lane: "h3", plt_ms: 370, requests: [slow, imageOf(160, {})] } as const;
  assert.equal(whyLine({ lane: "h3", over: "h2" }, "faster", [cell(h3, h2)]), "Why: 100 ms less in the link’s queue.");
});

test("several parts, the largest first; what works against it; means over several pages on links", () => {
  const h3 = { lane: "h3", plt_ms: 400, requests: [quick, imageOf(110, { receive: 180 })] } as const;
  const h1 = { lane: "h1", plt_ms: 470, requests: [slow, imageOf(160, { blocked: 100 })], connections: 6 } as const;
  const why =
    "Why: requests wait 100 ms less for a connection (HTTP/1.1 has 6, for one request at a time each); HTTP/3 connects in one round trip less (50 ms); against that, HTTP/1.1’s responses arrive 80 ms sooner over 6 connections (HTTP/3: 1)";
  assert.equal(whyLine({ lane: "h3", over: "h1" }, "faster", [cell(h3, h1)]), `${why}.`);
  assert.equal(
    whyLine({ lane: "h3", over: "h1" }, "faster", [cell(h3, h1), cell(h3, h1)]),
    `${why}, on average over the 2 combinations of page and link.`,
  );
});

test("parts that make more than the difference: a reader sees what all else costs", () => {
  const h3 = { lane: "h3", plt_ms: 330, requests: [quick, imageOf(110, { receive: 110 })] } as const;
  const h2 = { lane: "h2", plt_ms: 370, requests: [slow, imageOf(160, {})] } as const;
  assert.equal(
    whyLine({ lane: "h3", over: "h2" }, "faster", [cell(h3, h2)]),
    "Why: HTTP/3 connects in one round trip less (50 ms); all else costs 10 ms.",
  );
});

test("no difference: what cancels out, or nothing", () => {
  const h3 = { lane: "h3", plt_ms: 370, requests: [quick, imageOf(110, { receive: 150 })] } as const;
  const h2 = { lane: "h2", plt_ms: 370, requests: [slow, imageOf(160, {})] } as const;
  assert.equal(
    whyLine({ lane: "h3", over: "h2" }, "unclear", [cell(h3, h2)]),
    "Why: HTTP/3 connects in one round trip less (50 ms); but HTTP/2’s responses arrive 50 ms sooner.",
  );
  assert.equal(whyLine({ lane: "h3", over: "h2" }, "unclear", [cell(h2, h2)]), null);
  assert.equal(whyLine({ lane: "h3", over: "h2" }, "unknown", [cell(h3, h2)]), null);
});

test("not known: nothing stored, or the stored loads are the other way round", () => {
  const pair = { lane: "h3", over: "h2" };
  const h2 = { lane: "h2", plt_ms: 370, requests: [slow, imageOf(160, {})] } as const;
  assert.equal(whyLine(pair, "faster", []), whyUnknown);
  assert.equal(whyLine(pair, "faster", [cell({ ...h2, plt_ms: 400 }, h2)]), whyUnknown);
  assert.equal(pathEvidence(madeLoad({ ...h2, requests: [] })), null, "no request, no path");
  assert.equal(meanEvidence([]), null);
});
