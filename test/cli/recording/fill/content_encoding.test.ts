// Sizes met to the byte, and still decodable by a decoder that knows nothing of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import {
  type ContentEncoding,
  contentEncoding,
  encode,
  encodeToSize,
} from "../../../../cli/recording/fill/content_encoding.ts";
import { seededText } from "../../../../cli/recording/fill/seeded.ts";

const decoders: Record<ContentEncoding, (bytes: Buffer) => Buffer> = {
  gzip: (bytes) => gunzipSync(bytes),
  deflate: (bytes) => inflateSync(bytes),
  br: (bytes) => brotliDecompressSync(bytes),
  zstd: (bytes) => zstdDecompressSync(bytes),
};
const encodings = Object.keys(decoders) as ContentEncoding[];

// Half compressible, as scripts are.
const text = Buffer.from(
  Array.from({ length: 200 }, (_, line) => `function f${line}() { return "${seededText(`${line}`, 40)}"; }\n`).join(""),
);
// What a format cannot make up: nothing for gzip and brotli; the least skippable frame; less than an empty block.
const mostLeft: Record<ContentEncoding, number> = { gzip: 0, br: 1, zstd: 7, deflate: 4 };

test("a size at or above the codec's own is met, and decodes to the same bytes", () => {
  for (const encoding of encodings) {
    const usual = encode(text, encoding).bytes.length;
    for (const more of [
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 258, 259, 260, 261, 262, 263, 1000, 65_535, 65_540, 140_000,
    ]) {
      const wanted = usual + more;
      const encoded = encodeToSize(text, encoding, wanted);
      const left = Math.abs(wanted - encoded.bytes.length);
      assert.ok(left <= mostLeft[encoding], `${encoding} +${more}: ${left} bytes off`);
      assert.ok(decoders[encoding](encoded.bytes).equals(text), `${encoding} +${more}`);
    }
  }
});

test("a size that no level reaches gets the smallest there is", () => {
  for (const encoding of encodings) {
    const encoded = encodeToSize(text, encoding, 100);
    assert.ok(encoded.bytes.length < encode(text, encoding).bytes.length + 1);
    assert.equal(encoded.padding_bytes, 0);
    assert.ok(decoders[encoding](encoded.bytes).equals(text));
  }
});

test("an empty body and one byte can be encoded and padded", () => {
  for (const encoding of encodings)
    for (const body of [Buffer.alloc(0), Buffer.from("x")])
      assert.ok(decoders[encoding](encodeToSize(body, encoding, 100).bytes).equals(body), encoding);
});

test("a level that gives the very size is taken as it is", () => {
  const encoded = encodeToSize(text, "gzip", encodeToSize(text, "gzip", 1).bytes.length);
  assert.equal(encoded.padding_bytes, 0);
});

test("header values", () => {
  assert.equal(contentEncoding(" GZip "), "gzip");
  assert.equal(contentEncoding("dcb"), "br");
  assert.equal(contentEncoding("gzip, br"), null);
  assert.equal(contentEncoding("identity"), null);
  assert.equal(contentEncoding(undefined), null);
  assert.equal(contentEncoding("constructor"), null);
});
