// Certificates out of a HAR, as WebPageTest writes them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readHarFile } from "../../../../cli/recording/import/har.ts";
import { HarCertificates } from "../../../../cli/recording/import/har_certificates.ts";

// Signed by itself for shop.test, *.shop.test and 192.0.2.1.
const pem = [
  "-----BEGIN CERTIFICATE-----",
  "MIIBqDCCAU6gAwIBAgIUFi4XiVH+tt5Zphfj8WZSFChhk3cwCgYIKoZIzj0EAwIw",
  "FDESMBAGA1UEAwwJVGVzdCBSb290MCAXDTI2MTEyMTExMDAxNFoYDzIxMjYxMDI4",
  "MTEwMDE0WjAUMRIwEAYDVQQDDAlUZXN0IFJvb3QwWTATBgcqhkjOPQIBBggqhkjO",
  "PQMBBwNCAATuIrNz1sVdVN+YIyDbLGZtHIIRyQQ9twCnL5Q15wIOp8faR3KgNUQa",
  "/4YcPj4VJo/Zm8uX+SPclvQgt2Sda+QLo3wwejAdBgNVHQ4EFgQUUhiiooCZQZzE",
  "d3EwQwribftyaOcwHwYDVR0jBBgwFoAUUhiiooCZQZzEd3EwQwribftyaOcwDwYD",
  "VR0TAQH/BAUwAwEB/zAnBgNVHREEIDAegglTaG9wLnRlc3SCCyouc2hvcC50ZXN0",
  "hwTAAAIBMAoGCCqGSM49BAMCA0gAMEUCIHyCF+cLdlxHaFKYzx4T40rvLRUkVnve",
  "7umLep64l2yZAiEAtzMRz62rMX9VzoF6Mss7PjgBT+N82ZFtUGT+K9XvYoU=",
  "-----END CERTIFICATE-----",
].join("\n");
const der_bytes = Buffer.from(pem.split("\n").slice(1, -1).join(""), "base64").byteLength;

const entry = (url: string, certificates?: unknown) => ({
  request: { method: "GET", url, headers: [] },
  response: { status: 200, headers: [], content: {} },
  ...(certificates === undefined ? {} : { _certificates: certificates }),
});

function certificatesOf(...list: ReturnType<typeof entry>[]) {
  const { entries } = readHarFile({ log: { entries: list } });
  const certificates = new HarCertificates(entries);
  return entries.map((each) => certificates.of(each));
}

test("a host's entries have the certificate of the one that made its connection", () => {
  const [before, made, other, clear] = certificatesOf(
    entry("https://shop.test/"),
    entry("https://shop.test/1", [pem, pem]),
    entry("https://other.test/"),
    entry("http://shop.test/2"),
  );
  assert.deepEqual(made, { names: ["shop.test", "*.shop.test"], issuer: "Test Root", chain_bytes: 2 * der_bytes });
  assert.deepEqual(before, made);
  assert.equal(other, null);
  assert.equal(clear, null);
});

test("what is no chain of certificates is none", () => {
  const odd = [null, "", pem, {}, [], [null], [7], ["x"], [pem, "x"], [pem.slice(0, 300)], new Array(17).fill(pem)];
  for (const certificates of odd)
    assert.deepEqual(certificatesOf(entry("https://shop.test/", certificates)), [null], JSON.stringify(certificates));
  // The next one that is sound counts.
  const [first] = certificatesOf(entry("https://shop.test/", ["x"]), entry("https://shop.test/1", [pem]));
  assert.equal(first?.chain_bytes, der_bytes);
});
