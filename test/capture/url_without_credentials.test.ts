// Passwords in URLs: they go, and nothing else does; and no URL of a captured load holds one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { captureParts } from "../../extension/capture/profile.ts";
import { urlWithoutCredentials } from "../../extension/capture/url_without_credentials.ts";
import { captureOf, fixture } from "./fixture.ts";

test("userinfo goes, also from references and from what cannot be parsed", () => {
  const cases: [url: string, without: string][] = [
    ["http://me:secret@a.test/b?c#d", "http://a.test/b?c#d"],
    ["HTTPS://secret@a.test:8443/", "https://a.test:8443/"],
    ["http:me:secret@a.test", "http://a.test/"],
    ["https://me:sec@ret@a.test/", "https://a.test/"],
    ["ws://me:secret@a.test/", "ws://a.test/"],
    ["//me:secret@a.test/b", "//a.test/b"],
    ["http://me:secret@[a.test/", "http://[a.test/"],
  ];
  for (const [url, without] of cases) assert.equal(urlWithoutCredentials(url), without);
});

test("an @ elsewhere, and all that has no userinfo, stays as it was written", () => {
  for (const url of [
    "https://a.test/@scope/package?mail=me@b.test#@",
    "https://a.test?a@b",
    "HTTP://A.test/|@",
    "/@a",
    "//a.test/@b",
    "mailto:me@a.test",
    "data:text/plain,//me:word@a.test",
    "",
  ])
    assert.equal(urlWithoutCredentials(url), url);
});

test("a load of a page whose URL has a password is that of the page without it", () => {
  const recorded = fixture("h2");
  const plain = captureParts(captureOf(recorded), null, 0);
  const text = JSON.stringify(recorded.events).replaceAll("https://www.shop.test", "https://me:s3cret@www.shop.test");
  const capture = captureOf({ ...recorded, events: JSON.parse(text) });
  assert.ok(text.includes("s3cret"));
  assert.ok(!JSON.stringify(capture.documents).includes("s3cret"));
  const { entries } = captureParts(capture, null, 0);
  assert.ok(entries.some(({ request }) => request.url.startsWith("https://www.shop.test/")));
  // The recording's headers may name the page with its password; they are crossed out on the way to a file.
  const urls = (all: typeof entries) =>
    all.map((each) => [each.request.url, each.response.redirectURL, each._initiator.url, each._trilane.documentUrl]);
  assert.deepEqual(urls(entries), urls(plain.entries));
});
