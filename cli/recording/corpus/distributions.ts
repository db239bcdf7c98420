// How the pages of a corpus are distributed: read from a file, Das's shipped ones, and as functions of probability. Draws no
// page: page_shapes.ts and object_sizes.ts do.
//
// Between two known quantiles the logarithm of a value is linear in the normal score of its probability. With three of
// them that is a lognormal with a width of its own on either side of the median, the usual shape of page sizes and counts.
import { join } from "node:path";
import type { PageDistributions } from "../../../schemas/generated/page_distributions.ts";
import { UserError } from "../../base/errors.ts";
import { readForeignJson } from "../../base/foreign_file.ts";
import { explainSchemaErrors, schemaValidator } from "../../base/schema_error.ts";

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

export type { PageDistributions };

/** The probability that the least of so many pages stands for; of the most it is as far below 1. */
const endOf = (pages: number): number => 0.5 / pages;

/** The value at a probability from 0 to 1, never outside of the first and the last of `quantiles`, which stand for `pages` pages. */
export function quantileFunction(quantiles: readonly number[], pages: number): (probability: number) => number {
  const end = Math.min(0.25, endOf(pages));
  const steps = quantiles.length - 1;
  const knots = quantiles.map((value, place) => ({
    score: normalScore(Math.min(1 - end, Math.max(end, place / steps))),
    log: Math.log(value),
  }));
  return (probability) => {
    const score = normalScore(Math.min(1 - end, Math.max(end, probability)));
    const above = Math.max(
      1,
      knots.findIndex((knot) => knot.score >= score),
    );
    const [low, high] = [knots[above - 1], knots[above]];
    if (!low || !high) throw new RangeError("fewer than two quantiles");
    const share = high.score > low.score ? (score - low.score) / (high.score - low.score) : 1;
    return Math.exp(low.log + Math.min(1, Math.max(0, share)) * (high.log - low.log));
  };
}

/** A corpus' quantile that is further off is not met. */
export const tolerance = 0.1;

/** Attributes of which quantiles are given. */
const quantileNames = ["servers", "objects", "total_bytes", "object_bytes"] as const;

/** UserError, naming `source`, for quantiles that no pages can have. */
function refuseImpossible(given: PageDistributions, source: string): void {
  const refuse = (what: string): never => {
    throw new UserError(`${source}: ${what}: correct it`);
  };
  for (const name of quantileNames)
    for (const [place, value] of given[name].entries())
      if (value < (given[name][place - 1] ?? 0))
        refuse(`${name} falls from ${given[name][place - 1]} to ${value}, quantiles never do`);
  const ends = (name: (typeof quantileNames)[number]) => ({
    least: given[name][0] ?? 0,
    most: given[name].at(-1) ?? 0,
  });
  if (ends("servers").least > ends("objects").least || ends("servers").most > ends("objects").most)
    refuse("servers are more than objects, each serves one at least");
  if (ends("object_bytes").most > ends("total_bytes").most)
    refuse("the largest of object_bytes is larger than the largest of total_bytes");
  for (const end of ["least", "most"] as const)
    if (ends("total_bytes")[end] < leastTotal_bytes(ends("objects")[end]))
      refuse(`total_bytes of ${ends("total_bytes")[end]} do not hold ${ends("objects")[end]} objects`);
}

/** What a page of so many objects has at least: its document names each of them, and each has a body. */
export const leastTotal_bytes = (objects: number): number => 4000 + 250 * objects;

/** The distributions in a parsed document. UserError, naming `source` and the place in it, where it is none. */
export function distributionsOf(document: unknown, source: string): PageDistributions {
  const validate = schemaValidator<PageDistributions>("page-distributions");
  if (!validate(document))
    throw new UserError(
      `${source}: ${explainSchemaErrors(validate.errors ?? [], "schemas/page-distributions.schema.json")}`,
    );
  refuseImpossible(document, source);
  return document;
}

/** UserError for a file that is not there, no JSON, or no distributions. */
export function readDistributions(path: string): PageDistributions {
  let document: unknown;
  try {
    document = readForeignJson(path);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UserError(
      `${path}: not JSON: name a folder of HARs, or a file by schemas/page-distributions.schema.json`,
    );
  }
  return distributionsOf(document, path);
}

let das: PageDistributions | undefined;

/** Das 2014: 500 recorded sites. */
export function das2014Distributions(): PageDistributions {
  das ??= readDistributions(join(import.meta.dirname, "das_2014.json"));
  return das;
}
