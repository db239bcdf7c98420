// Made JPEGs against a decoder that is not ours.
import assert from "node:assert/strict";
import { test } from "node:test";
import jpeg from "jpeg-js";
import { dimensionsFor, jpegOfSize } from "../../../../cli/recording/fill/jpeg.ts";

const decode = (bytes: Buffer) => jpeg.decode(bytes, { tolerantDecoding: false, maxMemoryUsageInMB: 1024 });

test("a JPEG has exactly the bytes asked for and decodes to its dimensions", () => {
  // Around the smallest; every remainder that comments and fill bytes have to make up; around a segment's largest size.
  const sizes = [
    183,
    ...Array.from({ length: 24 }, (_, n) => 230 + n),
    1000,
    2600,
    3000,
    65_800,
    65_801,
    86_500,
    250_000,
  ];
  for (const size of sizes) {
    const made = jpegOfSize(size, `seed ${size}`);
    assert.ok(made, `${size} bytes`);
    assert.equal(made.bytes.length, size);
    const { width, height } = decode(made.bytes);
    assert.deepEqual({ width, height }, made.dimensions, `${size} bytes`);
  }
});

test("more bytes than its pixels can take go into comments", () => {
  for (const size of [66_000, 131_500, 1_000_000]) {
    for (let more = 0; more < 6; more++) {
      const made = jpegOfSize(size + more, "comments", { width: 16, height: 16 });
      assert.equal(made?.bytes.length, size + more);
      assert.equal(decode(made.bytes).width, 16);
    }
  }
});

test("dimensions asked for are kept where the size allows, else the shape", () => {
  const kept = jpegOfSize(20_000, "a", { width: 301, height: 7 });
  assert.deepEqual(kept?.dimensions, { width: 301, height: 7 });
  const { width, height } = decode(kept.bytes);
  assert.deepEqual({ width, height }, { width: 301, height: 7 });
  const shrunk = jpegOfSize(3000, "a", { width: 1920, height: 1080 });
  assert.equal(shrunk?.bytes.length, 3000);
  assert.ok(Math.abs(shrunk.dimensions.width / shrunk.dimensions.height - 16 / 9) < 0.05);
  assert.equal(decode(shrunk.bytes).height, shrunk.dimensions.height);
});

test("the picture is not one colour, and another seed is another picture", () => {
  const one = jpegOfSize(5000, "one");
  const two = jpegOfSize(5000, "two");
  assert.ok(one && two);
  assert.notDeepEqual(one.bytes, two.bytes);
  assert.ok(new Set(decode(one.bytes).data.filter((_, index) => index % 4 === 0)).size > 50);
  assert.deepEqual(jpegOfSize(5000, "one")?.bytes, one.bytes);
});

test("a size too small for any JPEG gives none", () => {
  assert.equal(jpegOfSize(100, "a"), null);
  assert.ok(dimensionsFor(1).width >= 8);
});
