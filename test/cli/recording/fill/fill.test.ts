// Which maker a response gets, and that each meets the size. That browsers take the bytes is test/e2e/fill.test.ts's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { type FillKind, type FillRequest, fill, fillKind } from "../../../../cli/recording/fill/fill.ts";

const request = (changes: Partial<FillRequest>): FillRequest => ({
  mime_type: "application/octet-stream",
  url: "https://a.example/x",
  wire_bytes: 5000,
  decoded_bytes: null,
  encoding: null,
  dimensions: null,
  ...changes,
});

test("the media type decides, else what the URL ends in", () => {
  for (const [type, url, kind] of [
    ["image/jpeg", "https://a.example/x.png", "jpeg"],
    ["image/avif", "", "webp"],
    ["image/svg+xml; charset=utf-8", "", "svg"],
    ["image/vnd.microsoft.icon", "", "ico"],
    ["application/javascript", "", "javascript"],
    ["text/javascript;charset=UTF-8", "", "javascript"],
    ["application/ld+json", "", "json"],
    ["application/manifest+json", "", "json"],
    ["application/rss+xml", "", "xml"],
    ["application/font-woff2", "", "woff2"],
    ["application/x-font-ttf", "", "ttf"],
    ["video/mp4", "", "bytes"],
    ["x-unknown", "https://a.example/a/b.WOFF2?v=1", "woff2"],
    ["application/octet-stream", "https://a.example/app.js#x", "javascript"],
    ["", "https://a.example/b.c/d", "bytes"],
    ["", "https://a.example/x.constructor", "bytes"],
  ] satisfies [string, string, FillKind][])
    assert.equal(fillKind(type, url), kind, `${type} ${url}`);
});

test("every type meets every size, and the same URL gives the same bytes", () => {
  const types = ["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "image/x-icon", "image/svg+xml"];
  types.push(
    "text/html",
    "text/css",
    "text/javascript",
    "application/json",
    "font/woff2",
    "font/woff",
    "font/ttf",
    "video/mp4",
  );
  for (const mime_type of types)
    for (const wire_bytes of [1, 20, 43, 70, 100, 191, 500, 1001, 5000, 70_003]) {
      const made = fill(request({ mime_type, wire_bytes }));
      assert.equal(made.bytes.length, wire_bytes, `${mime_type} ${wire_bytes}`);
      assert.equal(made.encoding, null);
      assert.ok(made.bytes.equals(fill(request({ mime_type, wire_bytes })).bytes));
    }
  assert.notDeepEqual(fill(request({})).bytes, fill(request({ url: "https://a.example/y" })).bytes);
});

test("a text with a content-encoding has its encoded size on the wire and its decoded size after it", () => {
  for (const wire_bytes of [60, 400, 5000, 100_000]) {
    const gzip = fill(request({ mime_type: "text/css", encoding: "gzip", wire_bytes, decoded_bytes: wire_bytes * 5 }));
    assert.equal(gzip.bytes.length, wire_bytes);
    assert.equal(gunzipSync(gzip.bytes).length, wire_bytes * 5);
    const brotli = fill(request({ mime_type: "text/html", encoding: "br", wire_bytes }));
    assert.equal(brotli.bytes.length, wire_bytes);
    assert.match(brotliDecompressSync(brotli.bytes).toString(), /-->$/);
  }
});

/** A PNG read by its specification: sizes from the header, all rows there. */
function checkPng(bytes: Buffer): { width: number; height: number } {
  assert.equal(bytes.toString("latin1", 1, 4), "PNG");
  const width = bytes.readUInt32BE(16);
  const height = bytes.readUInt32BE(20);
  const data: Buffer[] = [];
  for (let at = 8; ; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (type === "IDAT") data.push(bytes.subarray(at + 8, at + 8 + length));
    if (type === "IEND") break;
    at += 12 + length;
  }
  assert.equal(inflateSync(Buffer.concat(data)).length, (1 + Math.ceil(width / 8)) * height);
  return { width, height };
}

test("pictures have the dimensions asked for where the size allows", () => {
  const dimensions = { width: 333, height: 77 };
  const png = fill(request({ mime_type: "image/png", dimensions })).bytes;
  assert.deepEqual(checkPng(png), dimensions);
  assert.deepEqual(checkPng(fill(request({ mime_type: "image/png", dimensions, wire_bytes: 70 })).bytes), {
    width: 1,
    height: 1,
  });
  const gif = fill(request({ mime_type: "image/gif", dimensions })).bytes;
  assert.deepEqual([gif.readUInt16LE(6), gif.readUInt16LE(8)], [333, 77]);
  const webp = fill(request({ mime_type: "image/webp", dimensions })).bytes;
  assert.deepEqual([webp.readUIntLE(24, 3) + 1, webp.readUIntLE(27, 3) + 1], [333, 77]);
  const icon = fill(request({ mime_type: "image/x-icon", dimensions: { width: 16, height: 16 } })).bytes;
  assert.deepEqual(checkPng(icon.subarray(icon.readUInt32LE(18))), { width: 16, height: 16 });
});

test("a picture smaller than any of its format is the smallest GIF, and below that bytes", () => {
  assert.equal(fill(request({ mime_type: "image/jpeg", wire_bytes: 43 })).kind, "gif");
  assert.equal(fill(request({ mime_type: "image/png", wire_bytes: 20 })).kind, "bytes");
});
