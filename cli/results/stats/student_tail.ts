// The upper tail of Student's t distribution, also for a freedom between whole numbers (Welch 1947): by the incomplete beta
// function (Abramowitz and Stegun 26.7.1) and its continued fraction, evaluated from the front (Lentz 1976). Its quantiles are found
// in that tail, so that an interval leaves out what a test by the same tail refuses. Pure arithmetic.
import { normalUpperTail } from "./normal_tail.ts";

/** Lanczos' coefficients for g = 5 (1964): good to ten digits. */
const lanczos = [
  76.18009172947146, -86.50532032941678, 24.01409824083091, -1.231739572450155, 1.208650973866179e-3,
  -5.395239384953e-6,
] as const;

function logGamma(x: number): number {
  const series = lanczos.reduce((sum, each, index) => sum + each / (x + 1 + index), 1.000000000190015);
  const near = x + 5.5;
  return (x + 0.5) * Math.log(near) - near + Math.log((Math.sqrt(2 * Math.PI) * series) / x);
}

const tiny = 1e-300;
const notZero = (value: number): number => (Math.abs(value) < tiny ? tiny : value);

function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / notZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= 500; m++) {
    const at = a + 2 * m;
    const steps = [(m * (b - m) * x) / ((at - 1) * at), (-(a + m) * (a + b + m) * x) / (at * (at + 1))];
    for (const step of steps) {
      d = 1 / notZero(1 + step * d);
      c = notZero(1 + step / c);
      fraction *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-14) break;
  }
  return fraction;
}

/** Regularized: 0 at x = 0, 1 at x = 1. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  // Each side's fraction converges fast up to its distribution's mean.
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

/** Chance of a greater value than `t`; `freedom` above 0, infinity is the normal distribution. NaN: 1, nothing is shown. */
export function studentUpperTail(t: number, freedom: number): number {
  if (Number.isNaN(t)) return 1;
  if (t < 0) return 1 - studentUpperTail(-t, freedom);
  if (freedom === Number.POSITIVE_INFINITY) return normalUpperTail(t);
  if (t === Number.POSITIVE_INFINITY) return 0;
  return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
}

/** The t that a greater value than has the chance `tail`, or a hair less, for tails below one half. */
export function studentQuantile(tail: number, freedom: number): number {
  let [low, high] = [0, 2];
  while (studentUpperTail(high, freedom) > tail) [low, high] = [high, 2 * high];
  while (high - low > 1e-10 * high) {
    const t = (low + high) / 2;
    if (studentUpperTail(t, freedom) > tail) low = t;
    else high = t;
  }
  return high;
}
