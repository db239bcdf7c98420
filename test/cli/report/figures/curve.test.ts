// Lines that are thinned to pixels: nothing that a screen shows is lost, gaps stay gaps, and files stay small.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { areaPath, bandPath, type Curve, curvePath, thinned } from "../../../../cli/report/figures/curve.ts";
import { type Point, pathPoints } from "../../instruments/flows/report/drawn.ts";

const identity = (value: number): number => value;
const random = randomSource(1, "curves");
const noisy = (n: number): Curve => ({
  time_ms: Array.from({ length: n }, (_, index) => index),
  value: Array.from({ length: n }, () => random() * 100),
});

test("of each column the least and the greatest value stay, and the first and the last of all", () => {
  const curve = noisy(10_000);
  const { time_ms, value } = thinned(curve, 25);
  assert.ok(time_ms.length <= 4 * 400, `${time_ms.length} of 10000 values`);
  for (let column = 0; column < 400; column++) {
    const before = Array.from(curve.value).slice(column * 25, (column + 1) * 25);
    const after = Array.from(value).filter((_, index) => Math.floor((time_ms[index] as number) / 25) === column);
    assert.deepEqual([Math.min(...after), Math.max(...after)], [Math.min(...before), Math.max(...before)]);
  }
  assert.deepEqual([time_ms[0], Array.from(time_ms).at(-1)], [0, 9999]);
  assert.deepEqual(
    Array.from(time_ms),
    Array.from(time_ms).toSorted((a, b) => a - b),
  );
});

/** Of a point from a line of points, at its nearest. */
function distanceFrom(points: readonly Point[], { x, y }: Point): number {
  const offs = points.slice(1).map((to, index) => {
    const from = points[index] as Point;
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const length = dx * dx + dy * dy;
    const share = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - from.x) * dx + (y - from.y) * dy) / length));
    return Math.hypot(x - from.x - share * dx, y - from.y - share * dy);
  });
  return Math.min(...offs);
}

test("a path is nowhere farther than a third of a pixel from its curve, and its rounding does not add up", () => {
  const curve = noisy(1500);
  const [points = []] = pathPoints(curvePath(curve, (time) => time / 3, identity));
  Array.from(curve.time_ms).forEach((time, index) => {
    const off = distanceFrom(points, { x: time / 3, y: curve.value[index] as number });
    assert.ok(off < 0.33, `${off} off at ${time}`);
  });
});

test("points on a straight line are not written; a saw of a thousand samples is some points for each tooth", () => {
  const value = Array.from({ length: 1000 }, (_, index) => (index % 100) / 2);
  const [points] = pathPoints(curvePath({ time_ms: value.map((_, index) => index), value }, identity, identity));
  assert.equal(points?.length, 20);
  assert.deepEqual(points?.slice(0, 3), [
    { x: 0, y: 0 },
    { x: 99, y: 49.5 },
    { x: 100, y: 0 },
  ]);
});

test("where a value is unavailable a line, an area and a band are broken, and a single sample is a dot", () => {
  const nothing = Number.NaN;
  const curve = { time_ms: [0, 10, 20, 30, 40, 50], value: [5, 9, nothing, 7, nothing, 3] };
  assert.deepEqual(
    pathPoints(curvePath(curve, identity, identity)).map((piece) => piece.length),
    [2, 1, 1],
  );
  assert.match(curvePath(curve, identity, identity), /M30 7h0M50 3h0$/);
  assert.equal(pathPoints(areaPath(curve, identity, identity)).length, 1);
  const band = { time_ms: [0, 1, 2, 3, 4], low: [1, 1, nothing, 1, 1], high: [2, 3, nothing, 4, 5] };
  assert.equal(bandPath(band, identity, identity).match(/z/g)?.length, 2);
  assert.deepEqual(thinned(curve, 100), { time_ms: [0, 10, 20, 30, 40, 50], value: curve.value });
  assert.equal(curvePath({ time_ms: [], value: [] }, identity, identity), "");
});
