// The question that two browsers whose loads took turns are compared for: whether they say the same of the lanes. Pure.
import { browserNames, browsersOf } from "../verdict/browsers.ts";
import { agreementLines, type Side } from "../verdict/sides_agree.ts";
import type { Run } from "./interleaved.ts";

const sideOf = (runs: readonly Run[]): Side => {
  const loads = runs.flatMap((run) => run.loads);
  return { name: browserNames(browsersOf(loads)).join(" or ") || "a browser of no known version", loads };
};

/** A headline and a line for each pair of lanes; none where there is one lane. */
export const browsersAgreeLines = (a: readonly Run[], b: readonly Run[], seed: number): string[] =>
  agreementLines([sideOf(a), sideOf(b)], "browsers", seed);
