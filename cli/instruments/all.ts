// The instruments of the engine: the one list. Whatever a plan is of, it is found here by what it says. Loads of pages are not among them
// yet (cli/sweep has their plans and their execution).

import { readForeignJson } from "../base/foreign_file.ts";
import type { PlanKind } from "../engine/plan_kind.ts";
import type { Run } from "../results/compare/interleaved.ts";
import type { AnySweep, Results } from "../results/store/results.ts";
import { commandPlans } from "./command/plan_kind.ts";
import { fetchPlans } from "./fetch/plan_kind.ts";
import { flowPlans } from "./flows/plan_kind.ts";

export const instruments: readonly PlanKind[] = [flowPlans, fetchPlans, commandPlans];

/** null: pages. */
export const kindOfSweeps = (kind: AnySweep["kind"]): PlanKind | null =>
  instruments.find(({ sweeps }) => sweeps === kind) ?? null;

/** A stored sweep as `trilane compare` and budgets take it. */
export async function comparedSweep(results: Results, { id, kind }: AnySweep): Promise<Run> {
  const stored = await kindOfSweeps(kind)?.stored();
  return stored ? stored.run(results, id) : { cells: results.cellsOf(id), loads: results.loadsOf(id) };
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
