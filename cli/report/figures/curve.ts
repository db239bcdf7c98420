// A quantity over time as an SVG path: thinned to what a screen can show, without points that lie on a line with their neighbours.
// Knows pixels and numbers, not what they mean.

/** Times rise. A value that is not a finite number is a gap: the line is broken there. */
export interface Curve {
  readonly time_ms: ArrayLike<number>;
  readonly value: ArrayLike<number>;
}

/** Where several curves lie: from the least to the greatest at each time. */
export interface Band {
  readonly time_ms: ArrayLike<number>;
  readonly low: ArrayLike<number>;
  readonly high: ArrayLike<number>;
}

type Point = readonly [x: number, y: number];

/** Points nearer than this to the line between their neighbours are not drawn, in pixels. */
const tolerance = 0.2;

/**
 * Of each column of `column_ms` the first, least, greatest and last value: what a line through all of them would paint
 * (M4: Jugel et al., VLDB 2014). Gaps stay.
 */
export function thinned({ time_ms, value }: Curve, column_ms: number): Curve {
  const kept: number[] = [];
  const keepColumn = (from: number, to: number): void => {
    let [least, greatest] = [from, from];
    for (let index = from; index < to; index++) {
      if ((value[index] as number) < (value[least] as number)) least = index;
      if ((value[index] as number) > (value[greatest] as number)) greatest = index;
    }
    kept.push(...[...new Set([from, least, greatest, to - 1])].sort((a, b) => a - b));
  };
  const columnOf = (index: number): number =>
    Number.isFinite(value[index]) ? Math.floor((time_ms[index] as number) / column_ms) : Number.NaN;
  for (let from = 0; from < time_ms.length; ) {
    const column = columnOf(from);
    let to = from + 1;
    while (to < time_ms.length && Object.is(columnOf(to), column)) to++;
    if (Number.isNaN(column)) kept.push(from);
    else keepColumn(from, to);
    from = to;
  }
  return { time_ms: kept.map((index) => time_ms[index] as number), value: kept.map((index) => value[index] as number) };
}

function distance([x, y]: Point, [x1, y1]: Point, [x2, y2]: Point): number {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length === 0) return Math.hypot(x - x1, y - y1);
  return Math.abs((x2 - x1) * (y1 - y) - (x1 - x) * (y2 - y1)) / length;
}

/** Douglas and Peucker 1973: what is left out is nowhere farther than the tolerance from what is drawn. */
function simplified(points: readonly Point[]): Point[] {
  const kept = new Set([0, points.length - 1]);
  const open: [number, number][] = [[0, points.length - 1]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [from, to] = next;
    let [farthest, most] = [-1, tolerance];
    for (let index = from + 1; index < to; index++) {
      const off = distance(points[index] as Point, points[from] as Point, points[to] as Point);
      if (off > most) [farthest, most] = [index, off];
    }
    if (farthest < 0) continue;
    kept.add(farthest);
    open.push([from, farthest], [farthest, to]);
  }
  return points.filter((_, index) => kept.has(index));
}

/** In tenths of a pixel; a minus needs no blank before it. */
function tenths(values: readonly number[]): string {
  return values
    .map((value, index) => {
      const text = String(value / 10).replace(/^(-?)0\./, "$1.");
      return index > 0 && !text.startsWith("-") ? ` ${text}` : text;
    })
    .join("");
}

/** Relative steps, half as long as places; rounded so that errors do not add up. */
function segment(points: readonly Point[]): string {
  const [first, ...rest] = points.map(([x, y]) => [Math.round(x * 10), Math.round(y * 10)] as const);
  if (!first) return "";
  let [x, y] = first;
  const steps = rest.flatMap(([nextX, nextY]) => {
    const step = [nextX - x, nextY - y];
    [x, y] = [nextX, nextY];
    return step;
  });
  // A single sample is a dot: the stroke has round ends.
  return `M${tenths(first)}${steps.length > 0 ? `l${tenths(steps)}` : "h0"}`;
}

type ToPixels = (value: number) => number;

/** The curve's line. */
export function curvePath({ time_ms, value }: Curve, x: ToPixels, y: ToPixels): string {
  let path = "";
  let run: Point[] = [];
  const flush = (): void => {
    if (run.length > 0) path += segment(simplified(run));
    run = [];
  };
  for (let index = 0; index < time_ms.length; index++) {
    const at = value[index] as number;
    if (Number.isFinite(at)) run.push([x(time_ms[index] as number), y(at)]);
    else flush();
  }
  flush();
  return path;
}

/** The area between the curve and 0. */
export function areaPath({ time_ms, value }: Curve, x: ToPixels, y: ToPixels): string {
  const n = time_ms.length;
  const low = new Float64Array(n);
  for (let index = 0; index < n; index++) low[index] = Number.isFinite(value[index]) ? 0 : Number.NaN;
  return bandPath({ time_ms, low, high: value }, x, y);
}

/** The band's outline, piece by piece where it has gaps. */
export function bandPath({ time_ms, low, high }: Band, x: ToPixels, y: ToPixels): string {
  let path = "";
  let [upper, lower]: [Point[], Point[]] = [[], []];
  const flush = (): void => {
    if (upper.length > 1) path += `${segment([...simplified(upper), ...simplified(lower).reverse()])}z`;
    [upper, lower] = [[], []];
  };
  for (let index = 0; index < time_ms.length; index++) {
    const [from, to] = [low[index] as number, high[index] as number];
    if (Number.isFinite(from) && Number.isFinite(to)) {
      const at = x(time_ms[index] as number);
      upper.push([at, y(to)]);
      lower.push([at, y(from)]);
    } else flush();
  }
  flush();
  return path;
}

/** The last value that is not in a gap; null: there is none. */
export function lastOf({ time_ms, value }: Curve): { readonly time_ms: number; readonly value: number } | null {
  for (let index = time_ms.length - 1; index >= 0; index--)
    if (Number.isFinite(value[index])) return { time_ms: time_ms[index] as number, value: value[index] as number };
  return null;
}

/** The greatest value; 0 where there is none. */
export function greatestOf(values: ArrayLike<number>): number {
  let greatest = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    if (Number.isFinite(value) && value > greatest) greatest = value;
  }
  return greatest;
}
