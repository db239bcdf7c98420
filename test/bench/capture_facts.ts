// What a capture of the shaper says of one download: packets each way, those that were dropped, and the longest pause. Reads pcapng as
// shaper/evidence/pcapng.h writes it.
const packetBlock = 6;
const commentOption = 1;

export interface CaptureFacts {
  readonly down: number;
  readonly up: number;
  /** Of those down. */
  readonly dropped: number;
  /** Between two packets down that arrived. */
  readonly longestPause_ms: number;
}

/** Whether a packet's options have a comment that says that it was dropped. */
function isDropped(block: DataView, from: number): boolean {
  for (let at = from; at + 4 <= block.byteLength - 4; ) {
    const [option, size] = [block.getUint16(at, true), block.getUint16(at + 2, true)];
    const text = new Uint8Array(block.buffer, block.byteOffset + at + 4, size);
    if (option === commentOption && new TextDecoder().decode(text).startsWith("trilane: dropped")) return true;
    at += 4 + Math.ceil(size / 4) * 4;
  }
  return false;
}

export function captureFacts(capture: Uint8Array): CaptureFacts {
  const facts = { down: 0, up: 0, dropped: 0, longestPause_ms: 0 };
  let last_ns: bigint | null = null;
  const view = new DataView(capture.buffer, capture.byteOffset, capture.byteLength);
  for (let at = 0; at + 12 <= view.byteLength; ) {
    const [type, size] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    if (type === packetBlock) {
      const block = new DataView(view.buffer, view.byteOffset + at, size);
      const captured = block.getUint32(20, true);
      if (block.getUint32(8, true) === 1) facts.up++;
      else if (isDropped(block, 28 + Math.ceil(captured / 4) * 4)) facts.dropped++;
      else {
        const time_ns = (BigInt(block.getUint32(12, true)) << 32n) | BigInt(block.getUint32(16, true));
        if (last_ns !== null && facts.down > 10)
          facts.longestPause_ms = Math.max(facts.longestPause_ms, Number(time_ns - last_ns) / 1e6);
        last_ns = time_ns;
        facts.down++;
      }
    }
    at += size;
  }
  return facts;
}
