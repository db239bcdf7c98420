// Fragmented MP4: a clip's file is taken apart, each segment has exactly the size it is to have, and files that are cut or changed are
// refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BoxError,
  box,
  codecOf,
  framing_bytes,
  paddedSegment,
  readBoxes,
  readClip,
} from "../../../../../cli/recording/synth/video/fragments.ts";

const u32 = (...values: readonly number[]): Buffer =>
  Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      return bytes;
    }),
  );
const avc1 = box("avc1", Buffer.alloc(78), box("avcC", Buffer.from("0142c01effe1000167010001", "hex")));
/** `begin`: the time of its first sample. */
const fragment = (samples: number, begin = 0): Buffer =>
  Buffer.concat([
    box("moof", box("traf", box("tfdt", u32(1 << 24, 0, begin)), box("trun", u32(0, samples)))),
    box("mdat", Buffer.alloc(samples, 7)),
  ]);
const head = Buffer.concat([
  box("ftyp", Buffer.from("iso6", "latin1")),
  box("moov", box("trak", box("mdia", box("minf", box("stbl", box("stsd", u32(0, 1), avc1)))))),
]);
const file = Buffer.concat([head, fragment(50), fragment(50, 2000)]);

test("a file is taken apart into its initialization and its segments", () => {
  const { initialization, media, codec } = readClip(file, 2, 100);
  assert.equal(codec, "avc1.42c01e");
  assert.ok(initialization.equals(head));
  assert.deepEqual(media, [fragment(50), fragment(50, 2000)]);
});

test("codecs are named by their sample entries", () => {
  assert.equal(codecOf(avc1), "avc1.42c01e");
  assert.equal(codecOf(box("Opus", Buffer.alloc(28))), "opus");
  assert.throws(() => codecOf(box("mp4a", Buffer.alloc(78))), BoxError);
});

test("a padded segment has the wanted size to the byte, and the same samples", () => {
  const media = fragment(50);
  const least = media.length + framing_bytes;
  for (const size of [least, least + 1, least + 7, 250_000, 250_001]) {
    const segment = paddedSegment(media, size, "a seed") as Buffer;
    assert.equal(segment.length, size);
    assert.deepEqual(
      readBoxes(segment).map(({ type }) => type),
      ["styp", "free", "moof", "mdat"],
    );
    assert.equal(segment.toString("latin1", 8, 24), "msdh\0\0\0\0msdhcmfs");
    assert.ok(segment.subarray(-media.length).equals(media));
    assert.ok(segment.equals(paddedSegment(media, size, "a seed") as Buffer));
  }
  for (const size of [0, 1, least - 1]) assert.equal(paddedSegment(media, size, "a seed"), null);
});

test("a file cut anywhere is refused", () => {
  for (let length = 0; length < file.length; length++)
    assert.throws(() => readClip(file.subarray(0, length), 2, 100), { name: /BoxError|RangeError/ }, `${length} bytes`);
});

test("boxes that lie about their size, and segments of another number or of unequal lengths, are refused", () => {
  assert.throws(() => readBoxes(Buffer.concat([u32(7), Buffer.from("free")])), BoxError);
  assert.throws(() => readBoxes(Buffer.concat([u32(9), Buffer.from("free")])), BoxError);
  assert.throws(() => readBoxes(Buffer.concat([u32(8), Buffer.from([0, 1, 2, 3])])), BoxError);
  assert.throws(() => readBoxes(Buffer.alloc(5)), BoxError);
  for (const count of [1, 3]) assert.throws(() => readClip(file, count, 100), BoxError);
  assert.throws(() => readClip(file, 2, 101), /segment 1 has 50 samples of 101/);
  assert.throws(() => readClip(Buffer.concat([head, fragment(50), fragment(49, 2000)]), 2, 100), /segment 2 has 49/);
  const gap = Buffer.concat([head, fragment(50), fragment(50, 2000), fragment(50, 4001)]);
  assert.throws(() => readClip(gap, 3, 150), /segment 3 does not begin as the one before it ends/);
});
