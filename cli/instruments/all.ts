// The instruments of the engine: the one list. Whatever a plan or a sweep is of, it is found here by what it says.

import { existsSync } from "node:fs";
import { UserError } from "../base/errors.ts";
import { readForeignJson } from "../base/foreign_file.ts";
import { meantWords } from "../base/nearest.ts";
import type { OptionTable } from "../base/option_table.ts";
import type { PlanKind, StoredCommand } from "../engine/plan_kind.ts";
import type { ComparedSweep } from "../results/compare/interleaved.ts";
import type { AnySweep, Results } from "../results/store/results.ts";
import type { BundledKinds } from "../sweep/bundle/bundled_sweeps.ts";
import type { PageSize } from "../sweep/plan/estimate.ts";
import type { PageSource } from "../sweep/plan/page_source.ts";
import type { Plan } from "../sweep/plan/plan_document.ts";
import { commandPlans } from "./command/plan_kind.ts";
import { fetchPlans } from "./fetch/plan_kind.ts";
import { flowPlans } from "./flows/plan_kind.ts";
import { pagePlans } from "./page/plan_kind.ts";

export const instruments: readonly PlanKind[] = [pagePlans, flowPlans, fetchPlans, commandPlans];

/** What does not say what it is of is older than all but the first. */
const usual = pagePlans;

const knownKind = (kind: string = usual.sweeps): PlanKind | null =>
  instruments.find(({ sweeps }) => sweeps === kind) ?? null;

export function kindOfSweeps(kind: AnySweep["kind"] | undefined): PlanKind {
  const known = knownKind(kind);
  if (!known) throw new UserError(`a sweep of ${kind}: upgrade Trilane`);
  return known;
}

/** The options of its own that each takes of a command. */
const storedOptionsOf = ({ storedOptions = [] }: PlanKind, command: StoredCommand) =>
  storedOptions.filter(({ of }) => of.includes(command));

export function defineStored<T>(table: OptionTable<T>, command: StoredCommand): OptionTable<T> {
  for (const kind of instruments) for (const { define } of storedOptionsOf(kind, command)) define(table);
  return table;
}

/** @throws UserError if an option is given that another instrument's sweeps have */
export function refuseOthersOptions({ id, kind }: AnySweep, command: StoredCommand, given: object): void {
  for (const other of instruments.filter(({ sweeps }) => sweeps !== kind)) {
    const names = storedOptionsOf(other, command).flatMap((each) => each.names);
    const refused = names.find((name) => Reflect.get(given, name) !== undefined);
    if (refused !== undefined)
      throw new UserError(`sweep ${id} is of ${kind}: --${refused} is for ${other.sweeps}, leave it out`);
  }
}

/** One HTML document. `given`: the options of `trilane report`. */
export const reportOfAny = async (results: Results, sweep: number, given: object): Promise<string> =>
  (await kindOfSweeps(results.anySweep(sweep).kind).stored()).report(results, sweep, given);

/** What a dry run shows of a plan of pages. `unstored`: those that are in files still. */
export async function plannedPages(
  home: string,
  plan: Plan,
  source: PageSource,
  unstored: ReadonlyMap<string, PageSize>,
) {
  const { describePlan, planLines } = await import("./page/plan/describe.ts");
  const document = await describePlan(home, plan, source, unstored);
  return { document, lines: planLines(plan, document) };
}

/** A stored sweep as `trilane compare` and budgets take it. */
export const comparedSweep = async (results: Results, { id, kind }: AnySweep): Promise<ComparedSweep> =>
  (await kindOfSweeps(kind).stored()).run(results, id);

/** What a bundle has of an instrument's sweep. */
export const bundledSweeps: BundledKinds = async (kind) =>
  (await (await knownKind(kind)?.stored())?.bundled?.()) ?? null;

/**
 * If it can be none, or is not read, the usual one says why.
 * @throws UserError if there is neither such a plan nor such a file
 */
export function instrumentOf(pathOrName: string): PlanKind {
  const shipped = instruments.find(({ shippedPlans }) => shippedPlans().includes(pathOrName));
  if (shipped) return shipped;
  if (!existsSync(pathOrName)) {
    const names = instruments.flatMap(({ shippedPlans }) => shippedPlans());
    throw new UserError(
      `no plan ${pathOrName}:${meantWords(pathOrName, names)} name a JSON file, or one that \`trilane sweep --help\` lists`,
    );
  }
  try {
    const document: unknown = readForeignJson(pathOrName);
    if (typeof document !== "object" || document === null) return usual;
    return instruments.find(({ isPlan }) => isPlan(document)) ?? usual;
  } catch {
    return usual;
  }
}
