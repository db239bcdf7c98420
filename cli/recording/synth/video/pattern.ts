// The picture of a clip's frame: its number as digits and, for programs, as a row of black and white cells; colour bars. Pure.
//
// From above: an eighth of the height is the row of cells (a white and a black one to compare with, the number's 20 bits, highest first,
// and their parity), the middle is grey with the digits (and, smaller, the picture's
// height in pixels), the last three eighths are the colour bars. All edges are at even pixels, so that colours
// do not bleed, and nearly all is the same in the next frame, so that encoding and decoding cost little.

/** Planes of Y, U and V in turn, U and V at half the size in both directions (I420), in BT.709's limited range. */
type Planes = Uint8Array;

export const planesSize = (width: number, height: number): number => (width * height * 3) / 2;

/** Draws frame `number` over all of `planes`. */
export function drawPattern(planes: Planes, width: number, height: number, number: number): void {
  const luma = width * height;
  const even = (value: number): number => 2 * Math.round(value / 2);
  const rectangle = (left: number, top: number, right: number, bottom: number, yuv: readonly number[]): void => {
    const [y = 16, u = 128, v = 128] = yuv;
    for (let row = top; row < bottom; row++) planes.fill(y, row * width + left, row * width + right);
    for (let row = top / 2; row < bottom / 2; row++) {
      const start = luma + (row * width) / 2;
      planes.fill(u, start + left / 2, start + right / 2);
      planes.fill(v, start + luma / 4 + left / 2, start + luma / 4 + right / 2);
    }
  };
  const black = [16, 128, 128];
  const white = [235, 128, 128];
  const grey = [60, 128, 128];
  const codeBottom = even(height / 8);
  const barsTop = even((height * 5) / 8);
  rectangle(0, codeBottom, width, barsTop, grey);

  // SMPTE's bars at 75 %, white to blue.
  const bars = [
    [180, 128, 128],
    [168, 44, 136],
    [145, 147, 44],
    [134, 63, 52],
    [63, 193, 204],
    [51, 109, 212],
    [28, 212, 120],
  ];
  for (const [place, colour] of bars.entries()) {
    const [left, right] = [even((width * place) / bars.length), even((width * (place + 1)) / bars.length)];
    rectangle(left, barsTop, right, height, colour);
  }

  const cells = 24;
  const bits = 20;
  let ones = 0;
  for (let cell = 0; cell < cells; cell++) {
    const bit = cell >= 2 && cell < 2 + bits ? Math.floor(number / 2 ** (bits + 1 - cell)) % 2 : 0;
    ones += bit;
    const isWhite = cell === 0 || bit === 1 || (cell === 2 + bits && ones % 2 === 1);
    rectangle(even((width * cell) / cells), 0, even((width * (cell + 1)) / cells), codeBottom, isWhite ? white : black);
  }

  // Each digit in 3 x 5 squares, a bit each, from above left.
  const digits = [31599, 11415, 29671, 29647, 23497, 31183, 31215, 29257, 31727, 31695];
  const write = (text: string, left: number, top: number, square: number): void => {
    for (const [place, digit] of [...text].entries())
      for (let at = 0; at < 15; at++) {
        if (((digits[Number(digit)] ?? 0) & (1 << (14 - at))) === 0) continue;
        const x = left + square * (4 * place + (at % 3));
        const y = top + square * Math.floor(at / 3);
        rectangle(x, y, x + square, y + square, white);
      }
  };
  const square = 2 * Math.floor(Math.min(height / 24, width / 64));
  const small = 2 * Math.floor(square / 8);
  const top = even((codeBottom + barsTop - 5 * square) / 2);
  write(String(number).padStart(6, "0").slice(-6), square, top, square);
  if (small > 0) write(String(height), even(width - 16 * small - square), top, small);
}
