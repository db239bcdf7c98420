// The flows' colours: told apart by people who see no red, green or blue, and from the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  coloursCss,
  contrast,
  flowColours,
  flowHues,
  parseColour,
  type Rgb,
} from "../../../../../extension/figures/colours.ts";

/** Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB. */
const visions: Readonly<Record<string, readonly (readonly [number, number, number])[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const linear = (channel: number): number =>
  channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4;

/** CIE L*a*b*, D65, of a colour as it is seen. */
function seen(colour: Rgb, vision: readonly (readonly [number, number, number])[]): [number, number, number] {
  const own = colour.map(linear);
  const [r, g, b] = vision.map((row) =>
    Math.max(
      0,
      Math.min(
        1,
        row.reduce((sum, by, index) => sum + by * (own[index] as number), 0),
      ),
    ),
  ) as [number, number, number];
  const root = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = root((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = root(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = root((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

test("any two colours differ by 12 or more of CIE76's steps, whatever one's colour vision, light and dark", () => {
  for (const theme of ["light", "dark"] as const)
    for (const [name, vision] of Object.entries(visions)) {
      const all = flowColours[theme].map((colour) => seen(parseColour(colour), vision));
      for (const [index, one] of all.entries())
        for (const [other, two] of all.slice(index + 1).entries()) {
          const difference = Math.hypot(...one.map((value, axis) => value - (two[axis] as number)));
          assert.ok(
            difference >= 12,
            `${theme}, ${name}: ${index + 1} and ${index + other + 2} differ by ${difference}`,
          );
        }
    }
});

test("each stands out from the page", () => {
  const pages = { light: "#ffffff", dark: "#16181b" } as const;
  for (const theme of ["light", "dark"] as const)
    for (const colour of flowColours[theme])
      assert.ok(contrast(parseColour(colour), parseColour(pages[theme])) >= 2.2, `${theme} ${colour}`);
});

test("QUIC has h3's hue and TCP h2's, wherever they stand in the mix; more of one than shades: a colour for each flow", () => {
  const hues = (...names: string[]): string => flowHues(names.map((name, index) => ({ number: index + 1, name })));
  assert.equal(hues("quic:cubic", "tcp:cubic@5s"), "quic-1-1 tcp-2-1");
  assert.equal(hues("tls:bbr", "quic", "2*tcp:cubic"), "tcp-1-1 quic-2-1 tcp-3-2");
  assert.equal(hues("tcp", "tcp:bbr", "tcp:reno"), "");
  assert.equal(hues("3 others"), "");
  const [light = ""] = coloursCss().split("@media");
  assert.ok(light.includes(".quic-1-1 .flow-1,.quic-1-1.flow-1{--lane:#009e73}"));
  assert.ok(light.includes(".tcp-2-1 .flow-2,.tcp-2-1.flow-2{--lane:#0072b2}"));
});
