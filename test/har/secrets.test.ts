// What is secret by its name goes out of URLs, forms, JSON and lists; all else stays as it was.
import assert from "node:assert/strict";
import { test } from "node:test";
import { entryForReaders, withoutUrlPasswords } from "../../extension/har/redact.ts";
import { bodyWithoutSecrets, isSecretName, textWithoutSecrets } from "../../extension/har/secrets.ts";

test("names that tell of a secret, and names that only look like one", () => {
  const secret =
    "token access_token accessToken X-CSRF-Token key api_key apiKey X-Api-Key sig X-Amz-Signature password user[password] user%5Bpassword%5D auth oauth_token session sessionId PHPSESSID JSESSIONID sid code pin jwt client_secret authtoken x-accesstoken x-sessiontoken clientsecret userpassword dbpasswd";
  for (const name of secret.split(" ")) assert.ok(isSecretName(name), name);
  const plain =
    "q page author monkey keyword sort_key zip_code country-code assignment passenger significant design pinned surrogate-key x-cache-key sec-fetch-dest x-csp-nonce-less tokenizer secretary passwordless %E0%A4%A";
  for (const name of plain.split(" ")) assert.ok(!isSecretName(name), name);
});

test("parameters of URLs become as many x, wherever the URL stands", () => {
  const cases: [text: string, without: string][] = [
    ["https://a.test/?q=1&token=abc&x=2#top", "https://a.test/?q=1&token=xxx&x=2#top"],
    ["/path?password=a;b/c%26d&e", "/path?password=xxxxxxxxx&e"],
    ["https://a.test/#access_token=abc&expires_in=3", "https://a.test/#access_token=xxx&expires_in=3"],
    ["https://a.test/;jsessionid=A1/b?c=1", "https://a.test/;jsessionid=xx/b?c=1"],
    [
      "https://a.test/?to=https%3A%2F%2Fb%2F%3Fq%3D1%26code%3Dabc%26y%3D2",
      "https://a.test/?to=https%3A%2F%2Fb%2F%3Fq%3D1%26code%3Dxxx%26y%3D2",
    ],
    [
      "<https://a.test/a.css?key=abc>; rel=preload, <b?sig=d>",
      "<https://a.test/a.css?key=xxx>; rel=preload, <b?sig=x>",
    ],
    ["still under way: https://a.test/?sid=abc and more", "still under way: https://a.test/?sid=xxx and more"],
    ["https://a.test/?token=&token", "https://a.test/?token=&token"],
    ["a=b, token=kept in prose", "a=b, token=kept in prose"],
  ];
  for (const [text, without] of cases) {
    assert.equal(textWithoutSecrets(text), without);
    assert.equal(without.length, text.length);
    assert.equal(textWithoutSecrets(without), without);
  }
});

test("bodies: forms, forms in parts, JSON however it is sent, and what is cut off", () => {
  const multipart = "multipart/form-data; boundary=b";
  const part = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const cases: [type: string, text: string, without: string][] = [
    ["application/x-www-form-urlencoded", "password=abc&user=me", "password=xxx&user=me"],
    ["text/plain", "user=me&password=abc", "user=me&password=xxx"],
    [
      multipart,
      `${part("user", "me")}${part("pin", "12\r\n34")}--b--`,
      `${part("user", "me")}${part("pin", "xxxxxx")}--b--`,
    ],
    [
      "application/json",
      '{"user":"me","auth":{"deep":["abc",12,true]}}',
      '{"user":"me","auth":{"deep":["xxx",0,true]}}',
    ],
    ["text/plain", '[{"token":"abc","to":"/?key=abc"}]', '[{"token":"xxx","to":"/?key=xxx"}]'],
    ["application/json", '{"a":1}\n{"token":"abc"}', '{"a":1}\n{"token":"xxx"}'],
    ["application/json", '{"user":"me","tok', "xxxxxxxxxxxxxxxxx"],
    ["text/plain", "anything else", "anything else"],
  ];
  for (const [type, text, without] of cases) assert.equal(bodyWithoutSecrets(text, type), without);
});

test("what was stored with passwords in URLs is read without", () => {
  const stored = {
    url: "https://me:s3cret@a.test/?q=me@b.test",
    rows: [{ title: "https://me:s3cret@a.test/", n: 1, none: null }],
  };
  assert.deepEqual(withoutUrlPasswords(stored), {
    url: "https://a.test/?q=me@b.test",
    rows: [{ title: "https://a.test/", n: 1, none: null }],
  });
});

test("an entry for readers holds a secret nowhere, and keeps its names and the schemes", () => {
  const url = "https://me:s3cret@a.test/?token=s3cret&q=kept";
  const entry = {
    _full_url: url,
    _initiator: { type: "parser", url },
    _trilane: { documentUrl: url },
    request: {
      url,
      headers: [
        { name: ":path", value: "/?token=s3cret&q=kept" },
        { name: "Referer", value: url },
        { name: "X-Api-Key", value: "s3cret" },
        { name: "Authorization", value: "Bearer s3cret" },
      ],
      cookies: [{ name: "a", value: "s3cret" }],
      queryString: [
        { name: "token", value: "s3cret" },
        { name: "q", value: "kept" },
      ],
      postData: { mimeType: "application/x-www-form-urlencoded", text: "password=s3cret&user=kept" },
    },
    response: {
      redirectURL: "/next?code=s3cret",
      headers: [{ name: "Location", value: "/next?code=s3cret" }],
      cookies: [],
      content: { mimeType: "text/html", size: 3 },
    },
  };
  const shown = entryForReaders(entry);
  assert.ok(!JSON.stringify(shown).includes("s3cret"), JSON.stringify(shown));
  assert.equal(shown.request.url, "https://a.test/?token=xxxxxx&q=kept");
  assert.deepEqual(
    shown.request.headers.map(({ value }) => value),
    ["/?token=xxxxxx&q=kept", "https://a.test/?token=xxxxxx&q=kept", "xxxxxx", "Bearer xxxxxx"],
  );
  assert.deepEqual(shown.request.queryString[1], { name: "q", value: "kept" });
  assert.equal(shown.request.postData.text, "password=xxxxxx&user=kept");
  assert.equal(entry.request.url, url);
});
