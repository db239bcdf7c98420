// How much of the variance of values comes from each of several random factors, as pages, links and occasions, and how much is
// left between values that share all of them. By the method of moments for unbalanced data (Henderson 1953, his Method 1): sums
// of squares of the factors' totals are set equal to what they are expected to be. Unbiased whatever the numbers of values; in
// balanced data these are the estimates of the analysis of variance. No test and no interval.

export interface Factor {
  readonly name: string;
  /** Of each value, in the values' order: which level of the factor it belongs to, as any number. */
  readonly levels: readonly number[];
}

interface VarianceComponent {
  readonly name: string;
  readonly levels: number;
  /** In squares of the values' unit; 0: no variance beyond chance was found. */
  readonly variance: number;
}

interface VarianceComponents {
  readonly factors: readonly VarianceComponent[];
  readonly residual: number;
}

interface Indexed {
  readonly name: string;
  /** Of each value, from 0. */
  readonly of: Uint32Array;
  readonly sizes: Float64Array;
}

function indexed({ name, levels }: Factor): Indexed {
  const places = new Map<number, number>();
  const of = Uint32Array.from(levels, (level) => {
    const place = places.get(level) ?? places.size;
    places.set(level, place);
    return place;
  });
  const sizes = new Float64Array(places.size);
  for (const place of of) sizes[place] = (sizes[place] as number) + 1;
  return { name, of, sizes };
}

/** All values at one level. */
const wholeOf = (n: number): Indexed => ({ name: "", of: new Uint32Array(n), sizes: Float64Array.of(n) });
/** Each value at a level of its own. */
const eachOf = (n: number): Indexed => ({
  name: "",
  of: Uint32Array.from({ length: n }, (_, place) => place),
  sizes: new Float64Array(n).fill(1),
});

/** Sum over the levels of their totals' squares, each divided by its number of values. */
function squaresOf(values: Float64Array, { of, sizes }: Indexed): number {
  const totals = new Float64Array(sizes.length);
  of.forEach((place, index) => {
    totals[place] = (totals[place] as number) + (values[index] as number);
  });
  return totals.reduce((sum, total, place) => sum + total ** 2 / (sizes[place] as number), 0);
}

/** How often the variance of `random` is in the expectation of squaresOf(factor). */
function weightOf(factor: Indexed, random: Indexed): number {
  const both = new Map<number, number>();
  factor.of.forEach((place, index) => {
    const key = place * random.sizes.length + (random.of[index] as number);
    both.set(key, (both.get(key) ?? 0) + 1);
  });
  let weight = 0;
  for (const [key, count] of both)
    weight += count ** 2 / (factor.sizes[Math.floor(key / random.sizes.length)] as number);
  return weight;
}

/** By Gauss with pivots; null where the equations do not determine the unknowns. */
function solved(rows: readonly Float64Array[]): number[] | null {
  const size = rows.length;
  const left = [...rows];
  for (let column = 0; column < size; column++) {
    let pivot = column;
    for (let row = column + 1; row < size; row++)
      if (Math.abs(left[row]?.[column] ?? 0) > Math.abs(left[pivot]?.[column] ?? 0)) pivot = row;
    const [chosen, other] = [left[pivot] as Float64Array, left[column] as Float64Array];
    const scale = Math.max(...rows.map((row) => Math.abs(row[column] as number)));
    if (Math.abs(chosen[column] as number) <= 1e-9 * scale) return null;
    left[column] = chosen;
    left[pivot] = other;
    for (let row = 0; row < size; row++) {
      if (row === column) continue;
      const from = left[row] as Float64Array;
      const share = (from[column] as number) / (chosen[column] as number);
      left[row] = from.map((value, index) => value - share * (chosen[index] as number));
    }
  }
  return left.map((row, index) => (row[size] as number) / (row[index] as number));
}

/** The residual's variance is last. */
function estimates(values: Float64Array, factors: readonly Indexed[]): number[] | null {
  const n = values.length;
  const [whole, each] = [wholeOf(n), eachOf(n)];
  const unknowns = [...factors, each];
  const ofWhole = unknowns.map((unknown) => weightOf(whole, unknown));
  const least = squaresOf(values, whole);
  return solved(
    unknowns.map((factor) =>
      Float64Array.of(
        ...unknowns.map((unknown, index) => weightOf(factor, unknown) - (ofWhole[index] as number)),
        squaresOf(values, factor) - least,
      ),
    ),
  );
}

/**
 * Components of `values`, in squares of their unit; each factor has a level for each value. A variance that comes out negative is
 * 0, and the others are estimated again without its factor, as restricted maximum likelihood has it in one-way data. Null where
 * factors cannot be distinguished, or from the residual.
 */
export function varianceComponents(values: readonly number[], factors: readonly Factor[]): VarianceComponents | null {
  const centre = values.reduce((sum, value) => sum + value, 0) / values.length;
  const centred = Float64Array.from(values, (value) => value - centre);
  const all = factors.map(indexed);
  if (all.some(({ sizes }) => sizes.length < 2)) return null;
  let kept = all;
  for (;;) {
    const found = estimates(centred, kept);
    if (!found) return null;
    const least = Math.min(...found.slice(0, -1));
    if (kept.length === 0 || least >= 0) {
      const variances = new Map(kept.map((factor, index) => [factor, found[index] as number]));
      return {
        factors: all.map((factor) => ({
          name: factor.name,
          levels: factor.sizes.length,
          variance: variances.get(factor) ?? 0,
        })),
        residual: Math.max(0, found.at(-1) as number),
      };
    }
    const worst = found.indexOf(least);
    kept = kept.filter((_, index) => index !== worst);
  }
}
