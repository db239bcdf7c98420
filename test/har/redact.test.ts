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
    ["x-token", "kept", "kept"],
  ];
  for (const [name, value, redacted] of cases) {
    assert.equal(redactedValue(name, value), redacted);
    assert.equal(redacted.length, value.length);
  }
});

test("an entry loses them in headers and cookie lists, on both sides, and is itself unchanged", () => {
  const entry = {
    url: "https://a.test/?token=kept",
    request: { headers: [{ name: "cookie", value: "a=secret" }], cookies: [{ name: "a", value: "secret" }] },
    response: {
      headers: [{ name: "set-cookie", value: "b=secret; Secure" }],
      cookies: [{ name: "b", value: "secret", path: "/" }],
    },
  };
  const before = structuredClone(entry);
  const redacted = redactedEntry(entry);
  assert.ok(!JSON.stringify(redacted).includes("secret"));
  assert.deepEqual(redacted.response.cookies, [{ name: "b", value: "xxxxxx", path: "/" }]);
  assert.equal(redacted.url, entry.url);
  assert.deepEqual(entry, before);
});

test("characters that are no letters go too", () => {
  const [header] = redactedHeaders([{ name: "cookie", value: 'a="ü\u{1F600}%20"' }]);
  assert.equal(header?.value, "a=xxxxxxx");
});
