// Which of a sweep's loads run next to one another, in random order, and meet the same luck on the link: the lanes of a page on a
// link in one block; in a plan with `interleaved` those of both versions. Pure.
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { factorsOf } from "../../base/lanes.ts";
import { blocksPerPair } from "../../results/compare/interleaved.ts";

type Interleaving = Pick<SweepPlan, "interleaved" | "browser" | "browsers">;

interface Place {
  readonly page: string;
  readonly link: string;
}

/** The cell's page and link without that of them that is alternated: the same of both versions. */
export function sharedPlace({ interleaved }: Interleaving, { page, link }: Place): Place {
  if (interleaved?.of === "pages") return { page: "", link };
  if (interleaved?.of === "links") return { page, link: "" };
  return { page, link };
}

/** Of two browsers each block has one, so that two blocks make a round. */
export const blocksPerRound = ({ interleaved }: Interleaving): number =>
  interleaved?.of === "browsers" ? blocksPerPair : 1;

export const roundOf = (plan: Interleaving, block: number): number => Math.floor(block / blocksPerRound(plan));

/** The browser that loads the lane in the block, as the plan names it; null: the plan names none. */
export function browserOf(
  { interleaved, browser, browsers }: Interleaving,
  lane: string,
  block: number,
): string | null {
  const own = factorsOf(lane).browser;
  if (browsers && own !== undefined) return browsers[own] ?? null;
  return interleaved?.of === "browsers" ? (interleaved.browsers[block % blocksPerPair] ?? null) : (browser ?? null);
}
