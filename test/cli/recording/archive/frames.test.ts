// Frames over a stream: whole whatever the pieces they come in; a length that cannot be is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { FrameReader, frameOf } from "../../../../cli/recording/archive/host.ts";

const messages = ["{}", "", "x".repeat(70_000), '{"ü":1}', "{}"].map((text) => Buffer.from(text));
const stream = Buffer.concat(messages.map(frameOf));

function readInPieces(sizes: () => number): Buffer[] {
  const reader = new FrameReader();
  const read: Buffer[] = [];
  for (let at = 0; at < stream.length; ) {
    const size = sizes();
    for (const message of reader.read(stream.subarray(at, at + size))) read.push(Buffer.from(message));
    at += size;
  }
  return read;
}

test("messages come out whole, in one piece, byte by byte, and in random pieces", () => {
  assert.deepEqual(
    readInPieces(() => stream.length),
    messages,
  );
  assert.deepEqual(
    readInPieces(() => 1),
    messages,
  );
  const random = randomSource(1);
  for (let round = 0; round < 100; round++) {
    assert.deepEqual(
      readInPieces(() => 1 + Math.floor(random() * 2 ** (1 + random() * 16))),
      messages,
    );
  }
});

test("a message that is not whole yet is not given out", () => {
  const reader = new FrameReader();
  const frame = frameOf(Buffer.from("abc"));
  assert.deepEqual([...reader.read(frame.subarray(0, 6))], []);
  assert.deepEqual([...reader.read(frame.subarray(6))], [Buffer.from("abc")]);
});

test("a length beyond any answer's is refused", () => {
  assert.throws(() => [...new FrameReader().read(Buffer.from([0x7f, 0x7f, 0x7f, 0x7f]))], /bytes/);
});
