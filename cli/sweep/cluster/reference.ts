// The reference cells: what every machine of a sweep loads too, so that one that is unlike the others is seen. They are an
// ordinary plan, run once on each machine into a file of its own.
import { join } from "node:path";
import { type Plan, readPlan } from "../plan/plan.ts";

/** `asked`: a plan's file or name, or `none` (null); by default our own. */
export function referencePlan(asked: string | undefined): Plan | null {
  return asked === "none" ? null : readPlan(asked ?? join(import.meta.dirname, "reference.json"));
}
