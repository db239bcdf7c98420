// Fragmented MP4: what is written is read back, each segment has exactly the size that is asked for, and files that are cut
// or changed are refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BoxError, box, inside, readBoxes, u32 } from "../../../../../cli/recording/synth/video/boxes.ts";
import {
  framing_bytes,
  paddedSegment,
  readSegments,
  segmentsOfTrack,
  trackOf,
} from "../../../../../cli/recording/synth/video/fragments.ts";
import { codecOf, type Track } from "../../../../../cli/recording/synth/video/track.ts";

const pictures: Track = {
  kind: "video",
  codec: "avc1.42c01e",
  entry: box("avc1", Buffer.alloc(78), box("avcC", Buffer.from("0142c01effe1000167010001", "hex"))),
  timescale: 12_800,
  sampleDuration: 512,
  width: 640,
  height: 360,
  samples: Array.from({ length: 100 }, (_, index) => ({
    bytes: Buffer.alloc(index === 0 ? 0 : 1 + index * 7, index),
    isKey: index % 50 === 0,
  })),
};
const sound: Track = {
  ...pictures,
  kind: "audio",
  codec: "opus",
  entry: box("Opus", Buffer.alloc(28)),
  timescale: 48_000,
  sampleDuration: 960,
  width: 0,
  height: 0,
  samples: Array.from({ length: 200 }, (_, index) => ({ bytes: Buffer.alloc(40, index), isKey: true })),
};

const fileOf = (track: Track, count: number): Buffer => {
  const { initialization, media } = segmentsOfTrack(track, count);
  return Buffer.concat([initialization, ...media]);
};

for (const track of [pictures, sound])
  test(`a track of ${track.kind} is read back as it was written`, () => {
    const read = trackOf(readSegments(fileOf(track, 2), 2));
    const bytes = ({ samples }: Track) =>
      samples.map((sample) => [Buffer.from(sample.bytes).toString("hex"), sample.isKey]);
    assert.deepEqual(bytes(read), bytes(track));
    assert.deepEqual(
      { ...read, samples: [], entry: [...read.entry] },
      { ...track, samples: [], entry: [...track.entry] },
    );
  });

test("codecs are named by their sample entries", () => {
  assert.equal(codecOf(pictures.entry), "avc1.42c01e");
  assert.equal(codecOf(sound.entry), "opus");
  assert.throws(() => codecOf(box("mp4a", Buffer.alloc(78))), BoxError);
});

test("a padded segment has the asked size to the byte, and the same samples", () => {
  const { initialization, media } = segmentsOfTrack(pictures, 2);
  const fragment = media[1] as Buffer;
  const least = fragment.length + framing_bytes;
  for (const size of [least, least + 1, least + 7, 250_000, 250_001]) {
    const segment = paddedSegment(fragment, size, "a seed") as Buffer;
    assert.equal(segment.length, size);
    assert.deepEqual(
      readBoxes(segment).map(({ type }) => type),
      ["styp", "free", "moof", "mdat"],
    );
    assert.ok(segment.subarray(-fragment.length).equals(fragment));
    assert.ok(segment.equals(paddedSegment(fragment, size, "a seed") as Buffer));
  }
  for (const size of [0, 1, least - 1]) assert.equal(paddedSegment(fragment, size, "a seed"), null);
  assert.equal(inside(initialization, "moov", "mvex", "trex").length, 24);
});

test("tracks that are no whole number of segments, or begin without a key sample, are not written", () => {
  assert.throws(() => segmentsOfTrack(pictures, 3), RangeError);
  assert.throws(() => segmentsOfTrack(pictures, 4), /key sample/);
});

test("a file cut anywhere is refused", () => {
  const file = fileOf({ ...pictures, samples: pictures.samples.slice(0, 2) }, 1);
  for (let length = 0; length < file.length; length++)
    assert.throws(
      () => trackOf(readSegments(file.subarray(0, length), 1)),
      { name: /BoxError|RangeError/ },
      `${length} bytes`,
    );
});

test("boxes that lie about their size, and segments of another number, are refused", () => {
  assert.throws(() => readBoxes(Buffer.concat([u32(7), Buffer.from("free")])), BoxError);
  assert.throws(() => readBoxes(Buffer.concat([u32(9), Buffer.from("free")])), BoxError);
  assert.throws(() => readBoxes(Buffer.concat([u32(8), Buffer.from([0, 1, 2, 3])])), BoxError);
  assert.throws(() => readBoxes(Buffer.alloc(5)), BoxError);
  assert.throws(() => readSegments(fileOf(pictures, 2), 1), BoxError);
  assert.throws(() => readSegments(fileOf(pictures, 2), 3), BoxError);
  const late = fileOf(pictures, 2);
  const tfdt = late.indexOf("tfdt", late.lastIndexOf("moof"));
  late[tfdt + 15] = 1;
  assert.throws(() => trackOf(readSegments(late, 2)), /a fragment begins at/);
});
