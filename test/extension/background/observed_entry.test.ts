// Entries of a page's own timeline: what it tells is in the right phases, what it does not tell is not made up.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ObservedResource, observedEntry } from "../../../extension/background/observed_entry.ts";
import { answeredBy } from "../../../extension/capture/answered_by.ts";

const resource: ObservedResource = {
  name: "https://a.test:8443/x.js?v=1",
  entryType: "resource",
  initiatorType: "script",
  nextHopProtocol: "h3",
  deliveryType: "",
  startTime: 100,
  workerStart: 0,
  redirectStart: 0,
  fetchStart: 101,
  domainLookupStart: 105,
  domainLookupEnd: 110,
  connectStart: 110,
  secureConnectionStart: 112,
  connectEnd: 140,
  requestStart: 141,
  responseStart: 190,
  responseEnd: 200,
  transferSize: 1300,
  encodedBodySize: 1000,
  decodedBodySize: 4000,
  responseStatus: 200,
};
const of = (changes: Partial<ObservedResource>) =>
  observedEntry({ ...resource, ...changes }, 0, 1_700_000_000_000, "https://a.test/");

test("phases add up to the request's time", () => {
  const { timings, time, _trilane: facts, response } = of({});
  const { blocked, dns, connect, ssl, send, wait, receive } = timings;
  assert.deepEqual([dns, connect, ssl, wait, receive], [5, 30, 28, 49, 10]);
  assert.equal(blocked + dns + connect + send + wait + receive, time);
  assert.deepEqual([time, facts.startOffset_ms, facts.serverPort], [100, 100, 8443]);
  assert.deepEqual([response._transferSize, response.bodySize, response.content.size], [1300, 1000, 4000]);
});

test("of a site that keeps its details only beginning and end", () => {
  const opaque = of({
    requestStart: 0,
    responseStart: 0,
    nextHopProtocol: "",
    transferSize: 0,
    decodedBodySize: 0,
    responseStatus: 0,
    domainLookupStart: 0,
    domainLookupEnd: 0,
    connectStart: 0,
    connectEnd: 0,
    secureConnectionStart: 0,
  });
  assert.deepEqual([opaque.timings.dns, opaque.timings.connect, opaque.timings.ssl, opaque.time], [-1, -1, -1, 100]);
  assert.equal(opaque._fromCache, undefined);
  assert.equal(answeredBy(opaque), "unknown");
});

test("a cache's and a service worker's answers", () => {
  assert.equal(answeredBy(of({ transferSize: 0 })), "cache");
  assert.equal(answeredBy(of({ deliveryType: "cache", transferSize: 300 })), "cache");
  assert.equal(answeredBy(of({ workerStart: 102, transferSize: 0 })), "service worker");
  assert.equal(answeredBy(of({ workerStart: 102 })), "h3");
  assert.equal(answeredBy(of({})), "h3");
});

test("passwords in the resource's and the page's URL are left out", () => {
  const entry = observedEntry({ ...resource, name: "https://me:word@a.test/x.js" }, 0, 0, "https://me:word@a.test/");
  assert.equal(entry.request.url, "https://a.test/x.js");
  assert.equal(entry._trilane.documentUrl, "https://a.test/");
});
