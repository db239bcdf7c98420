// Reads figures back: the points of a path as figures of flows write it, and the text in a drawing with where it stands.

export interface Point {
  readonly x: number;
  readonly y: number;
}

const numbers = (text: string): number[] =>
  [...text.matchAll(/-?(?:\d+\.?\d*|\.\d+)/g)].map(([number]) => Number(number));

/** Of each piece of a path its points, in the drawing's units; M, relative l, h0 and z as curve.ts writes them. */
export function pathPoints(d: string): Point[][] {
  return d
    .split("M")
    .slice(1)
    .map((piece) => {
      const [start = "", steps = ""] = piece.replace(/z|h0/g, "").split("l");
      const [x = Number.NaN, y = Number.NaN] = numbers(start);
      const points: Point[] = [{ x, y }];
      const by = numbers(steps);
      for (let index = 0; index < by.length; index += 2) {
        const last = points.at(-1) as Point;
        points.push({ x: last.x + (by[index] as number), y: last.y + (by[index + 1] as number) });
      }
      return points;
    });
}

/** The height of a line of these points at `x`, straight between them. */
export function heightAt(points: readonly Point[], x: number): number {
  const after = points.findIndex((point) => point.x >= x);
  const [from, to] = [points[after - 1], points[after]];
  if (!to) throw new RangeError(`no line at ${x}`);
  if (!from || to.x === from.x) return to.y;
  return from.y + ((to.y - from.y) * (x - from.x)) / (to.x - from.x);
}

/** The markup of a row of a figure over time. */
export function rowOf(figure: string, name: string): string {
  const parts = figure.split(/(?=<g class="[^"]+" data-row=")/);
  const row = parts.find((part) => part.includes(`data-row="${name}"`));
  if (row === undefined) throw new RangeError(`no row ${name}`);
  return row;
}

/** Ticks of a row's upright axis: value and height. */
export function ticksOf(row: string): { value: number; y: number }[] {
  return [...row.matchAll(/<text class="axis end" x="52" y="([\d.]+)">([\d.]+)<\/text>/g)].map(([, y, value]) => ({
    value: Number(value),
    y: Number(y) - 4,
  }));
}

/** What a height in a row stands for, by its ticks. */
export function valueAt(row: string, y: number): number {
  const ticks = ticksOf(row);
  const [low, high] = [ticks[0], ticks.at(-1)];
  if (!low || !high || low === high) throw new RangeError("an axis needs two ticks");
  return low.value + ((y - low.y) / (high.y - low.y)) * (high.value - low.value);
}

/** The line of a flow in a row. */
export function lineOf(row: string, number: number): Point[][] {
  const d = new RegExp(`<g class="flow-${number}"><path class="flowline" d="([^"]*)"/></g>`).exec(row)?.[1];
  if (d === undefined) throw new RangeError(`no line of flow ${number}`);
  return pathPoints(d);
}

/** Where numbers stand at the ends of a row's lines. */
export function tagHeights(row: string): Map<number, number> {
  return new Map(
    [...row.matchAll(/<text class="tag" x="[\d.]+" y="([\d.]+)">(\d+)<\/text>/g)].map(([, y, number]) => [
      Number(number),
      Number(y),
    ]),
  );
}
