// Captures as the shaper writes them: packets each way, dropped ones by their comment, the longest pause.
import assert from "node:assert/strict";
import test from "node:test";
import { captureFacts } from "./capture_facts.ts";

/** An Enhanced Packet Block; `comment`: as a dropped packet has it. */
function packet(down: boolean, time_ns: bigint, comment = ""): Buffer {
  const option = comment === "" ? 0 : 4 + Math.ceil(comment.length / 4) * 4 + 4;
  const block = Buffer.alloc(28 + 8 + option + 4);
  block.writeUInt32LE(6, 0);
  block.writeUInt32LE(block.length, 4);
  block.writeUInt32LE(down ? 0 : 1, 8);
  block.writeUInt32LE(Number(time_ns >> 32n), 12);
  block.writeUInt32LE(Number(time_ns & 0xffffffffn), 16);
  block.writeUInt32LE(6, 20);
  block.writeUInt32LE(6, 24);
  if (comment !== "") {
    block.writeUInt16LE(1, 36);
    block.writeUInt16LE(comment.length, 38);
    block.write(comment, 40);
  }
  block.writeUInt32LE(block.length, block.length - 4);
  return block;
}

test("packets are counted by direction and fate, and a pause is between two that arrived", () => {
  const start = 1_795_951_849_000_000_000n;
  const blocks = Array.from({ length: 20 }, (_, at) => packet(true, start + BigInt(at) * 1_000_000n));
  blocks.push(packet(true, start + 20_000_000n, "trilane: dropped (queue): the queue was full"));
  blocks.push(packet(false, start + 21_000_000n), packet(true, start + 60_000_000n));
  const facts = captureFacts(Buffer.concat(blocks));
  assert.deepEqual(facts, { down: 21, up: 1, dropped: 1, longestPause_ms: 41 });
});
