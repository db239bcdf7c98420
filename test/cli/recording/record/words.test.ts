// What the words of `trilane record` mean, and which are refused.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { nameForUrl, pageUrl, readAddress, readTrustedKeys } from "../../../../cli/recording/record/words.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { refusedIn } from "../../refused.ts";

const folder = tempFolder("trilane-words-");

const refused = (call: () => unknown, pattern: RegExp): void => assert.throws(call, refusedIn(pattern));

test("a URL without a scheme is an https one; a fragment is the browser's", () => {
  assert.equal(pageUrl("shop.example"), "https://shop.example/");
  assert.equal(pageUrl("shop.example:8443/a?b#c"), "https://shop.example:8443/a?b");
  assert.equal(pageUrl("http://bücher.example/ü"), "http://xn--bcher-kva.example/%C3%BC");
  assert.equal(pageUrl("localhost:3000"), "http://localhost:3000/");
  assert.equal(pageUrl("127.0.0.1:8080/a"), "http://127.0.0.1:8080/a");
  assert.equal(pageUrl("https://localhost:8443"), "https://localhost:8443/");
  assert.equal(pageUrl("localhost.example"), "https://localhost.example/");
  refused(() => pageUrl("ftp://shop.example/"), /only http and https/);
  refused(() => pageUrl("https://"), /is not a URL/);
  refused(() => pageUrl("two words"), /is not a URL/);
});

test("a recording is called after host and path, as the archive's names may be", () => {
  const legal = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
  for (const [url, name] of [
    ["https://www.shop.example/", "www.shop.example"],
    ["https://shop.example:8443/a/b.html?c=d&e", "shop.example-8443-a-b.html-c-d-e"],
    ["https://[2001:db8::1]/", "2001-db8-1"],
    [`https://shop.example/${"x".repeat(200)}`, `shop.example-${"x".repeat(87)}`],
  ] as const) {
    assert.equal(nameForUrl(url), name);
    assert.match(name, legal);
  }
});

test("a host's address is one, and nothing that the browser takes for another rule", () => {
  assert.deepEqual(readAddress("shop.example=192.0.2.7"), { host: "shop.example", address: "192.0.2.7" });
  assert.deepEqual(readAddress("*.shop.example=[2001:db8::1]"), { host: "*.shop.example", address: "2001:db8::1" });
  for (const word of ["shop.example", "=192.0.2.7", "shop.example=host", "a,MAP * 1.2.3.4=192.0.2.7", "a b=192.0.2.7"])
    refused(() => readAddress(word), /write HOST=ADDRESS/);
});

test("trusted are the keys of a PEM file's certificates, as openssl tells them", () => {
  const pem = join(folder, "ca.pem");
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", join(folder, "key")];
  execFileSync("openssl", ["req", "-x509", ...key, "-subj", "/CN=x", "-out", pem], { stdio: "ignore" });
  const pipeline = `openssl x509 -in ${pem} -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary`;
  const expected = execFileSync("sh", ["-c", pipeline]).toString("base64");
  assert.deepEqual(readTrustedKeys(pem), [expected]);
  refused(() => readTrustedKeys(join(folder, "absent.pem")), /cannot be read/);
  writeFileSync(pem, "no certificate");
  refused(() => readTrustedKeys(pem), /holds no certificate/);
  writeFileSync(pem, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  refused(() => readTrustedKeys(pem), /cannot be read: make it anew/);
});
