// The unit in which a plan is shared out among machines: a place is a page on a link with all its lanes, because lanes are
// compared block by block and so must have run on one machine. It is what N of `trilane cell PLAN N` counts. Pure.
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { pageName } from "./page_patterns.ts";
import { countLinks, linksOf } from "./plan_links.ts";

export interface Place {
  /** From 1, in the plan's order: the first page's links, then the second page's. */
  readonly place: number;
  readonly page: string;
  readonly link: string;
}

/** Reads the files that links name. */
export function placesOf(plan: SweepPlan): Place[] {
  const links = linksOf(plan);
  return plan.pages.flatMap((page, pageIndex) =>
    links.map(({ link }, linkIndex) => ({
      place: pageIndex * links.length + linkIndex + 1,
      page: pageName(page),
      link,
    })),
  );
}

/** Without reading any file. */
export function countPlaces(plan: SweepPlan): number {
  return plan.pages.length * countLinks(plan);
}

/** The place of that number. UserError where the plan has none. */
export function placeOf(plan: SweepPlan, number: number): Place {
  const places = placesOf(plan);
  const place = places[number - 1];
  if (place) return place;
  throw new UserError(
    `plan ${plan.name} has no cell ${number}: name one from 1 to ${places.length}; \`trilane plan\` lists them`,
  );
}

/** UserError for versions that are to run in the same minutes: they would be on several machines. */
export function refuseInterleaved({ name, interleaved }: SweepPlan): void {
  if (interleaved)
    throw new UserError(`plan ${name}: alternates two ${interleaved.of} on one machine: run it with \`trilane sweep\``);
}

/** `3-5,9`: numbers in ascending order, as Slurm writes them. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range && number === range[1] + 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}
