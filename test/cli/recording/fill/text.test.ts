import assert from "node:assert/strict";
import { test } from "node:test";
import { Script } from "node:vm";
import { gzipSync } from "node:zlib";
import { seededBytes, seededText } from "../../../../cli/recording/fill/seeded.ts";
import { type TextKind, textOfSize } from "../../../../cli/recording/fill/text.ts";

const kinds: TextKind[] = ["html", "css", "javascript", "json", "svg", "xml", "vtt", "m3u8", "plain"];

test("text of every kind has exactly the bytes asked for, from none on", () => {
  for (const kind of kinds)
    for (const size of [...Array(200).keys(), 1000, 65_537])
      assert.equal(Buffer.byteLength(textOfSize(kind, size, "seed")), size, `${kind} ${size}`);
});

test("a script parses, JSON parses, a comment ends where it should", () => {
  for (let size = 0; size < 300; size++) new Script(textOfSize("javascript", size, `${size}`));
  for (let size = 1; size < 300; size++) JSON.parse(textOfSize("json", size, `${size}`));
  for (let size = 20; size < 300; size++) {
    assert.equal(textOfSize("css", size, "a").indexOf("*/"), size - 2);
    assert.equal(textOfSize("html", size, "a").indexOf("-->"), size - 3);
    assert.match(textOfSize("m3u8", size, "a"), /^#EXTM3U\n#.*\n$/);
    assert.match(textOfSize("vtt", size, "a"), /^WEBVTT\n\nNOTE .*\n$/);
  }
});

test("an SVG carries its dimensions", () => {
  assert.match(textOfSize("svg", 500, "a", { dimensions: { width: 30, height: 40 } }), /width="30" height="40"/);
});

test("only the random part does not compress", () => {
  const all = gzipSync(textOfSize("css", 20_000, "a")).length;
  const part = gzipSync(textOfSize("css", 20_000, "a", { random_bytes: 2000 })).length;
  assert.ok(all > 14_000, `${all}`);
  assert.ok(part < 2200, `${part}`);
});

test("seeded bytes are the same every time: their definition is AES-128-CTR", () => {
  assert.equal(seededBytes("trilane", 8).toString("hex"), "2e49ceddb6e1a12a");
  assert.notDeepEqual(seededBytes("a", 100), seededBytes("b", 100));
  assert.equal(seededText("a", 1000).length, 1000);
});
