// The instruments of the engine: the one list. Whatever a plan is of, it is found here by what it says. Loads of pages are not among them
// yet (cli/sweep has their plans and their execution).

import { UserError } from "../base/errors.ts";
import { readForeignJson } from "../base/foreign_file.ts";
import type { PlanKind } from "../engine/instrument.ts";
import type { Run } from "../results/compare/interleaved.ts";
import type { AnySweep, Results } from "../results/store/results.ts";
import { commandPlans } from "./command/plan_kind.ts";
import { fetchPlans } from "./fetch/plan_kind.ts";
import { flowPlans } from "./flows/plan_kind.ts";

export const instruments: readonly PlanKind[] = [flowPlans, fetchPlans, commandPlans];

/** null: pages. */
export const kindOfSweeps = (kind: AnySweep["kind"]): PlanKind | null =>
  instruments.find(({ sweeps }) => sweeps === kind) ?? null;

/** Whether `trilane compare` and budgets take such sweeps. */
export const isComparable = ({ kind }: AnySweep): boolean =>
  kind === "pages" || kindOfSweeps(kind)?.compared !== undefined;

/** A stored sweep as they take it. UserError if they do not. */
export function comparedSweep(results: Results, { id, kind }: AnySweep): Run {
  if (kind === "pages") return { cells: results.cellsOf(id), loads: results.loadsOf(id) };
  const run = kindOfSweeps(kind)?.compared?.(results, id);
  if (run) return run;
  throw new UserError(
    `sweep ${id} is of ${kind}: only sweeps of pages and of commands are compared, name one of these`,
  );
}

/** null: of none, or it cannot be read, and who reads it says why. */
export function instrumentOf(pathOrName: string): PlanKind | null {
  const shipped = instruments.find(({ shippedPlans }) => shippedPlans().includes(pathOrName));
  if (shipped) return shipped;
  try {
    const document: unknown = readForeignJson(pathOrName);
    if (typeof document !== "object" || document === null) return null;
    return instruments.find(({ isPlan }) => isPlan(document)) ?? null;
  } catch {
    return null;
  }
}
