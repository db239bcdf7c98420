// The standard normal quantile, for scores of ranks. Acklam's rational approximation (2003): relative error below 1.2e-9. Pure.

const central = {
  above: [
    -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239,
  ],
  below: [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1],
};
const tail = {
  above: [
    -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
    2.938163982698783,
  ],
  below: [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1],
};
/** Below it, and as far below 1, the tails' fraction is the better one. */
const tailFrom = 0.02425;

const polynomial = (coefficients: readonly number[], x: number): number =>
  coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);

function lowerTail(probability: number): number {
  const q = Math.sqrt(-2 * Math.log(probability));
  return polynomial(tail.above, q) / polynomial(tail.below, q);
}

/** The z below which a standard normal falls with that probability. RangeError outside of (0, 1). */
export function normalScore(probability: number): number {
  if (!(probability > 0 && probability < 1)) throw new RangeError(`no normal score of probability ${probability}`);
  if (probability < tailFrom) return lowerTail(probability);
  if (probability > 1 - tailFrom) return -lowerTail(1 - probability);
  const q = probability - 0.5;
  return (q * polynomial(central.above, q * q)) / polynomial(central.below, q * q);
}
