// Reads the number of a frame back from a picture of it (cli/recording/synth/video/encode.ts). Pure.

/** The row: a white and a black cell to compare with, then the number's bits, highest first, and their parity. */
const codeCells = { bits: 20, all: 24, heightShare: 1 / 8 } as const;

/** A picture in rows from above, `channels` bytes a pixel: red, green and blue first. */
export interface Picture {
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
}

export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Mean of the middle of an area: what scaling and compression blurred is at its edges. */
function brightness({ data, width, channels }: Picture, { left, top, width: wide, height: high }: Area): number {
  let sum = 0;
  let count = 0;
  for (let y = Math.ceil(top + high / 3); y < top + (high * 2) / 3; y++)
    for (let x = Math.ceil(left + wide / 3); x < left + (wide * 2) / 3; x++) {
      const at = (y * width + x) * channels;
      sum += (data[at] ?? 0) + (data[at + 1] ?? 0) + (data[at + 2] ?? 0);
      count += 3;
    }
  return count === 0 ? Number.NaN : sum / count;
}

/** The frame's number in a picture of a frame, or in the area of it where the frame is shown; null: none can be read for certain. */
export function readPattern(picture: Picture, area?: Area): number | null {
  const { left, top, width, height } = area ?? { left: 0, top: 0, width: picture.width, height: picture.height };
  const cell = width / codeCells.all;
  const cellAt = (place: number): number =>
    brightness(picture, { left: left + place * cell, top, width: cell, height: height * codeCells.heightShare });
  const [white, black] = [cellAt(0), cellAt(1)];
  // Also where there is no picture at all.
  if (!(white - black > 80)) return null;
  let number = 0;
  let ones = 0;
  for (let place = 2; place < 3 + codeCells.bits; place++) {
    const share = (cellAt(place) - black) / (white - black);
    if (share > 0.35 && share < 0.65) return null;
    const bit = share > 0.5 ? 1 : 0;
    ones += bit;
    if (place < 2 + codeCells.bits) number = number * 2 + bit;
  }
  return ones % 2 === 0 ? number : null;
}
