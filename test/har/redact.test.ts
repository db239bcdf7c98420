// Credentials go, and what they were in stays: names, attributes, lengths.
import assert from "node:assert/strict";
import { test } from "node:test";
import { redactedEntry, redactedHeaders, redactedValue } from "../../extension/har/redact.ts";

test("values become as many x, names and attributes stay", () => {
  const cases: [name: string, value: string, redacted: string][] = [
    ["Cookie", "sid=a1-B2; theme=dark;empty=; alone", "sid=xxxxx; theme=xxxx;empty=; xxxxx"],
    ["set-cookie", "sid=a=b==; Path=/; HttpOnly; SameSite=Lax", "sid=xxxxx; Path=/; HttpOnly; SameSite=Lax"],
    ["Set-Cookie", "a=1; Path=/\nb=22", "a=x; Path=/\nb=xx"],
    ["AUTHORIZATION", "Bearer ey.J0.eX", "Bearer xxxxxxxx"],
    ["authorization", "c2VjcmV0", "xxxxxxxx"],
    ["proxy-authorization", 'Digest username="u", response="r"', "Digest xxxxxxxxxxxxx xxxxxxxxxxxx"],
    ["authorization", "AWS4-HMAC-SHA256 Credential=k/a, Signature=f", "AWS4-HMAC-SHA256 xxxxxxxxxxxxxxx xxxxxxxxxxx"],
    ["authorization", "mysecret part", "xxxxxxxx xxxx"],
    ["authorization", "Bearer2 part", "xxxxxxx xxxx"],
    ["Cookie ", "a=b", "a=x"],
    ["Cookie2", "sid=ab", "sid=xx"],
    ["Set-Cookie2", "sid=ab; Path=/", "sid=xx; Path=/"],
    ["x-api-key", "k3y", "xxx"],
    ["X-Auth-Token", "t0k3n part", "xxxxx xxxx"],
    ["x-csrf-token", "a=b", "xxx"],
    ["accept", "kept", "kept"],
  ];
  for (const [name, value, redacted] of cases) {
    assert.equal(redactedValue(name, value, "request"), redacted);
    assert.equal(redacted.length, value.length);
  }
});

test("a request header is masked unless its name is known to be harmless: a secret may have any name", () => {
  const secret =
    "X-Functions-Key X-Master-Key DPoP X-WP-Nonce Sec-WebSocket-Protocol Sec-WebSocket-Key X-Amz-Security-Token X-Goog-Iap-Jwt-Assertion " +
    "Ocp-Apim-Subscription-Key X-Shopify-Access-Token X-Client-Data From Forwarded X-Forwarded-For CF-Access-Client-Id Api_Key X-Whatever";
  for (const name of secret.split(" ")) assert.equal(redactedValue(name, "ab cd", "request"), "xx xx", name);
  const plain =
    "Accept Accept-Language Content-Type If-None-Match Origin Range Sec-CH-UA-Platform Sec-Fetch-Dest User-Agent X-Requested-With :path";
  for (const name of plain.split(" ")) assert.equal(redactedValue(name, "ab cd", "request"), "ab cd", name);
  assert.equal(redactedValue("X-Whatever", "ab cd", "response"), "ab cd");
});

test("response headers stay that a replay needs", () => {
  for (const [name, value] of [
    ["access-control-allow-credentials", "true"],
    ["x-csrf-token", "read by a script"],
  ] as const)
    assert.equal(redactedValue(name, value, "response"), value);
});

test("an entry loses them in headers and cookie lists, on both sides, and is itself unchanged", () => {
  const entry = {
    _full_url: "https://me:secret@a.test/?token=kept|",
    _initiator: { type: "parser", url: "https://me:secret@a.test/" },
    _trilane: { documentUrl: "https://me:secret@a.test/" },
    request: {
      url: "https://me:secret@a.test/?token=kept",
      headers: [{ name: "cookie", value: "a=secret" }],
      cookies: [{ name: "a", value: "secret" }],
    },
    response: {
      redirectURL: "//me:secret@b.test/",
      headers: [{ name: "set-cookie", value: "b=secret; Secure" }],
      cookies: [{ name: "b", value: "secret", path: "/" }],
    },
  };
  const before = structuredClone(entry);
  const redacted = redactedEntry(entry);
  assert.ok(!JSON.stringify(redacted).includes("secret"));
  assert.deepEqual(redacted.response.cookies, [{ name: "b", value: "xxxxxx", path: "/" }]);
  assert.equal(redacted.request.url, "https://a.test/?token=kept");
  assert.equal(redacted.response.redirectURL, "//b.test/");
  assert.deepEqual(entry, before);
});

test("characters that are no letters go too", () => {
  const [header] = redactedHeaders([{ name: "cookie", value: 'a="ü\u{1F600}%20"' }], "request");
  assert.equal(header?.value, "a=xxxxxxx");
});

test("headers with URLs in them lose the passwords in front of hosts", () => {
  const cases: [name: string, value: string, redacted: string][] = [
    ["Location", "http://me:secret@a.test/x", "http://a.test/x"],
    ["location", "/mail/me@b.test", "/mail/me@b.test"],
    ["Content-Location", "//me:secret@a.test/x", "//a.test/x"],
    ["Refresh", "0; url=http://me:secret@a.test/", "0; url=http://a.test/"],
    ["Link", '<https://me:secret@a.test/a.css>; rel="preload"', '<https://a.test/a.css>; rel="preload"'],
  ];
  for (const [name, value, redacted] of cases) assert.equal(redactedValue(name, value, "response"), redacted);
});
