// Firefox's preferences by lane, and what of a plan is refused before a lab begins.
import assert from "node:assert/strict";
import { test } from "node:test";
import { allLanes, type Lane } from "../../../../cli/base/lanes.ts";
import { firefoxEngine } from "../../../../cli/browser/firefox/firefox_engine.ts";
import { preferencesOf, preferencesText } from "../../../../cli/browser/firefox/profile.ts";
import { engineOf } from "../../../../cli/load/engine_of.ts";

const of = (lane: Lane) => preferencesOf({ lane, hosts: ["a.test", "b.test"] });

test("a lane without HTTP/3 turns it off, and a forced one names each host", () => {
  for (const lane of ["h1", "h2", "h2-0rtt"] as const) assert.equal(of(lane)["network.http.http3.enable"], false, lane);
  assert.equal(of("h1")["network.http.http2.enabled"], false);
  assert.equal(of("h2")["network.http.http2.enabled"], undefined);
  for (const lane of ["h3", "h3-0rtt"] as const)
    assert.equal(of(lane)["network.http.http3.alt-svc-mapping-for-testing"], "a.test;h3=:443,b.test;h3=:443", lane);
  const fallback = "network.dns.httpssvc.http3_fast_fallback_timeout";
  assert.deepEqual(
    [of("h3")[fallback], of("h3-discovered")[fallback], of("h3-altsvc")[fallback]],
    [0, undefined, undefined],
  );
  assert.equal(of("h3-altsvc")["network.http.http3.force-use-alt-svc-mapping-for-testing"], undefined);
  assert.equal(of("h3-discovered")["network.dns.native_https_query"], true);
});

test("a page opens no window by itself, as in a Firefox that people use", () => {
  for (const lane of allLanes) assert.equal(of(lane)["dom.disable_open_during_load"], true);
});

test("what is written is what Firefox reads", () => {
  assert.equal(
    preferencesText({ "a.b": 'x"y', c: 1, d: false }),
    'user_pref("a.b", "x\\"y");\nuser_pref("c", 1);\nuser_pref("d", false);\n',
  );
});

test("what Firefox cannot give is refused in a line", () => {
  const usual = { films: false, video: false, frequentAcks: false, hosts: new Map([["a.test", "192.0.2.1"]]) };
  const refusal = (more: object, lane: Lane = "h2") => firefoxEngine.refusal({ ...usual, lane, ...more });
  assert.deepEqual(
    allLanes.filter((lane) => refusal({}, lane) !== null),
    ["h1-clear", "h3-0rtt"],
  );
  for (const more of [
    { films: true },
    { video: true },
    { frequentAcks: true },
    { hosts: new Map([["localhost", "x"]]) },
  ])
    assert.match(refusal(more) ?? "", /Chromium/);
});

test("a program's name says its engine", () => {
  assert.equal(engineOf("/usr/lib/firefox-esr/firefox-esr").name, "Firefox");
  assert.equal(engineOf("/opt/firefox-beta/firefox-bin").name, "Firefox");
  assert.equal(engineOf("/usr/lib/chromium/chromium").name, "Chromium");
  assert.equal(engineOf("/opt/google/chrome/chrome").name, "Chromium");
});
