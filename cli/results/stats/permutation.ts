// The sign-flip permutation test of paired differences (Fisher 1935): were there no difference between two lanes, each
// pair's might as well have come out the other way round. All ways are counted where they are few, else drawn with a
// seed. Tests the mean, so it sees what the signed-rank test (signed_rank.ts) is built to look over: a few large differences.
import { mean } from "../../base/quantile.ts";
import { type RandomSource, randomSource } from "../../base/random.ts";

const allUpTo = 14;
const defaultDraws = 9999;

function flippedSum(differences: readonly number[], flips: () => boolean): number {
  let sum = 0;
  for (const difference of differences) sum += flips() ? -difference : difference;
  return sum;
}

function bitsOf(pattern: number): () => boolean {
  let bits = pattern;
  return () => {
    const bit = bits & 1;
    bits >>>= 1;
    return bit === 1;
  };
}

/** Two-sided probability, without a difference, of a mean as far from 0. 1 for no differences. */
export function permutationTest(
  differences: readonly number[],
  random: RandomSource = randomSource(1, "sign flips"),
  draws = defaultDraws,
): number {
  if (differences.length === 0) return 1;
  // A hair less than what was found, so that the same sum added up in another order counts as the same.
  const found = Math.abs(mean(differences) * differences.length) * (1 - 1e-12);
  let asFar = 0;
  if (differences.length <= allUpTo) {
    const ways = 2 ** differences.length;
    for (let way = 0; way < ways; way++) if (Math.abs(flippedSum(differences, bitsOf(way))) >= found) asFar++;
    return asFar / ways;
  }
  for (let draw = 0; draw < draws; draw++)
    if (Math.abs(flippedSum(differences, () => random() < 0.5)) >= found) asFar++;
  // What was found is one of the ways itself (Phipson and Smyth 2010): never 0.
  return (asFar + 1) / (draws + 1);
}
