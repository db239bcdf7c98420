// Correction of many tests' probabilities, as a sweep of many cells has them. Holm (1979): that any of those called
// different is not, stays below the level. Benjamini and Hochberg (1995): the share of those called different that are not does.

/** Chance of one wrong among all that are called different (Holm), or share of wrong ones among them (Benjamini and Hochberg). */
export const significanceLevel = 0.05;

/** Indices by ascending probability. */
function ascending(probabilities: readonly number[]): number[] {
  return probabilities
    .map((_, index) => index)
    .sort((a, b) => (probabilities[a] as number) - (probabilities[b] as number));
}

/** Adjusted probabilities in the order given: compare each with the level itself. */
export function holm(probabilities: readonly number[]): number[] {
  const adjusted = new Array<number>(probabilities.length);
  let most = 0;
  ascending(probabilities).forEach((index, place) => {
    most = Math.max(most, Math.min(1, (probabilities.length - place) * (probabilities[index] as number)));
    adjusted[index] = most;
  });
  return adjusted;
}

/** Results that are shown together, with Holm's probabilities and the number of tests. A result without a probability tests nothing. */
export function correctedTogether<Result extends { readonly probability: number | null }>(
  results: readonly Result[],
): (Result & { readonly comparisons: number })[] {
  const corrected = holm(results.flatMap(({ probability }) => probability ?? []));
  let place = 0;
  return results.map((result) => ({
    ...result,
    probability: result.probability === null ? null : (corrected[place++] as number),
    comparisons: corrected.length,
  }));
}

/** As holm(), for the share of false discoveries. */
export function benjaminiHochberg(probabilities: readonly number[]): number[] {
  const adjusted = new Array<number>(probabilities.length);
  let least = 1;
  ascending(probabilities)
    .map((index, place) => ({ index, place }))
    .reverse()
    .forEach(({ index, place }) => {
      least = Math.min(least, (probabilities.length / (place + 1)) * (probabilities[index] as number));
      adjusted[index] = least;
    });
  return adjusted;
}
