// The pictures of a clip: the number that is drawn is the one that is read, in full size and as a film shows it; what is
// damaged is not read at all.
// Wide: cli/recording/synth/video.
import assert from "node:assert/strict";
import { test } from "node:test";
import jpeg from "jpeg-js";
import { drawPattern, planesSize } from "../../../../../cli/recording/synth/video/encode.ts";
import { type Picture, readPattern } from "./read_pattern.ts";

/** As a decoder shows it: luma and chroma to red, green and blue (BT.709, limited range). */
function shown(number: number, width: number, height: number): Picture {
  const planes = new Uint8Array(planesSize(width, height));
  drawPattern(planes, width, height, number);
  const data = new Uint8ClampedArray(width * height * 4);
  const chroma = (width * height) / 4;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = width * height + (y >> 1) * (width / 2) + (x >> 1);
      const luma = 1.164 * ((planes[y * width + x] ?? 0) - 16);
      const [u, v] = [(planes[at] ?? 0) - 128, (planes[at + chroma] ?? 0) - 128];
      data.set([luma + 1.793 * v, luma - 0.213 * u - 0.533 * v, luma + 2.112 * u, 255], (y * width + x) * 4);
    }
  return { data, width, height, channels: 4 };
}

/** Mean of what falls into each smaller pixel. */
function scaled({ data, width, height }: Picture, toWidth: number): Picture {
  const toHeight = Math.round((height * toWidth) / width);
  const small = new Uint8ClampedArray(toWidth * toHeight * 4);
  for (let y = 0; y < toHeight; y++)
    for (let x = 0; x < toWidth; x++)
      for (let channel = 0; channel < 4; channel++) {
        let sum = 0;
        let count = 0;
        for (let from = Math.floor((y * height) / toHeight); from < ((y + 1) * height) / toHeight; from++)
          for (let across = Math.floor((x * width) / toWidth); across < ((x + 1) * width) / toWidth; across++, count++)
            sum += data[(from * width + across) * 4 + channel] ?? 0;
        small[(y * toWidth + x) * 4 + channel] = sum / count;
      }
  return { data: small, width: toWidth, height: toHeight, channels: 4 };
}

const numbers = [0, 1, 2, 1499, 35_999, 524_288, 1_048_575];

for (const [width, height] of [
  [160, 90],
  [320, 180],
  [480, 270],
  [640, 360],
  [1920, 1080],
] as const)
  test(`${width}x${height}: each number is read back`, () => {
    for (const number of numbers) assert.equal(readPattern(shown(number, width, height)), number);
  });

test("as a film has it, small and as a JPEG of low quality, in a corner of a page", () => {
  for (const number of numbers) {
    const small = scaled(shown(number, 640, 360), 187);
    const [width, height] = [400, 225];
    const page = Buffer.alloc(width * height * 4, 0x22);
    for (let y = 0; y < small.height; y++)
      page.set(small.data.subarray(y * small.width * 4, (y + 1) * small.width * 4), y * width * 4);
    const { data } = jpeg.decode(jpeg.encode({ data: page, width, height }, 40).data);
    const area = { left: 0, top: 0, width: small.width, height: small.height };
    assert.equal(readPattern({ data, width, height, channels: 4 }, area), number);
  }
});

test("a picture without the row, or with a cell that turned, has no number", () => {
  const grey: Picture = { data: new Uint8Array(640 * 360 * 4).fill(90), width: 640, height: 360, channels: 4 };
  assert.equal(readPattern(grey), null);
  assert.equal(readPattern({ ...grey, data: new Uint8Array(0) }), null);
  const picture = shown(1234, 480, 270);
  for (let cell = 2; cell < 23; cell++) {
    const data = Uint8Array.from(picture.data);
    for (let y = 0; y < 34; y++)
      for (let x = cell * 20; x < (cell + 1) * 20; x++)
        for (let channel = 0; channel < 3; channel++) {
          const at = (y * 480 + x) * 4 + channel;
          data[at] = 255 - (data[at] ?? 0);
        }
    assert.equal(readPattern({ ...picture, data }), null, `cell ${cell}`);
  }
});

test("the colour bars are white, yellow, cyan, green, magenta, red and blue", () => {
  const { data } = shown(7, 640, 360);
  const seen = Array.from({ length: 7 }, (_, bar) => {
    const at = (300 * 640 + Math.round((bar + 0.5) * (640 / 7))) * 4;
    return [0, 1, 2].map((channel) => ((data[at + channel] ?? 0) > 120 ? 1 : 0)).join("");
  });
  assert.deepEqual(seen, ["111", "110", "011", "010", "101", "100", "001"]);
});
