// A plan as it is shared out among machines, of pages or of flows: all that submitting, running a cell and merging ask of it. Runs
// nothing; what a plan of flows is stands in cli/instruments/flows/plan.
import type { PlanPage } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { countPlaces, refuseInterleaved } from "../plan/places.ts";
import { planDigest } from "../plan/plan.ts";
import type { Plan } from "../plan/plan_document.ts";

export interface SharedPlan {
  readonly name: string;
  readonly digest: string;
  /** How many there are: what N of `trilane cell PLAN N` counts to. */
  readonly cells: number;
  /** That are loaded, and so must be the same on all machines. */
  readonly pages: readonly PlanPage[];
  /** As it is written for the machines, and read again there. */
  readonly document: object;
  /** Which command says what its cells are. */
  readonly listing: string;
}

/** UserError for a plan that one machine must run alone. */
export function sharedPages(plan: Plan): SharedPlan {
  refuseInterleaved(plan);
  const { name, pages } = plan;
  const listing = "`trilane plan` lists them";
  return { name, digest: planDigest(plan), cells: countPlaces(plan), pages, document: plan, listing };
}

/** UserError where the plan has no cell of that number. */
export function refuseUnknownCell({ name, cells, listing }: SharedPlan, cell: number): void {
  if (cell > cells) throw new UserError(`plan ${name} has no cell ${cell}: name one from 1 to ${cells}; ${listing}`);
}
