// What of a sweep's loads is still to be done: each planned load with what earlier runs made of it, how often it may be tried,
// and which run one after another. Runs nothing.

import type { LinkProfile } from "../../schemas/generated/link_profile.ts";
import { isDisturbed } from "../load/disturbance.ts";
import { isCoverageReason } from "../load/metrics/coverage.ts";
import { timedOutAfter_ms } from "../load/time_out.ts";
import type { Cell, Load, Results, Sweep } from "../results/store/results.ts";
import { orderLoads, type PlannedLoad } from "./plan/load_order.ts";
import { blocksPerRound, roundOf, sharedPlace } from "./plan/neighbours.ts";
import type { Plan } from "./plan/plan.ts";

type Attempt = Pick<Load, "status" | "reasons">;

export class Task {
  readonly planned: PlannedLoad;
  readonly cell: Cell;
  readonly #retries: number;
  #attempts = 0;
  /** Attempts that went wrong by themselves, not by the machine. */
  #faults = 0;
  #valid = false;
  #timedOut = false;
  #isDisturbed = false;

  constructor(planned: PlannedLoad, cell: Cell, retries: number) {
    this.planned = planned;
    this.cell = cell;
    this.#retries = retries;
  }

  /** Those that are stored: the next one's number. */
  get attempts(): number {
    return this.#attempts;
  }

  get valid(): boolean {
    return this.#valid;
  }

  /** `attempt`: its number. */
  add(attempt: number, { status, reasons }: Attempt): void {
    this.#attempts = Math.max(this.#attempts, attempt + 1);
    this.#valid ||= status === "valid";
    this.#timedOut ||= status === "failed" && timedOutAfter_ms(reasons) !== null;
    // What a load asks for is the page's doing, on a calm machine too.
    this.#isDisturbed = reasons.some(isDisturbed) && !reasons.some(isCoverageReason);
    if (status !== "valid" && !this.#isDisturbed) this.#faults++;
  }

  /**
   * `mayRepeat`: there is time left to repeat what the machine disturbed. A load that timed out is slower than all others, and
   * not tried until it is not.
   */
  isDone(mayRepeat: boolean): boolean {
    if (this.#valid || this.#timedOut || this.#faults > this.#retries) return true;
    return this.#isDisturbed && !mayRepeat;
  }

  /** Disturbed, and tried as often as makes sense now: the rest is for a quieter machine. */
  isForLater(): boolean {
    return this.#isDisturbed && !this.isDone(true) && this.#attempts >= Math.max(1, this.#retries);
  }
}

const placeOf = (plan: Plan, cell: Cell): string => JSON.stringify(sharedPlace(plan, cell));

/** In the planned order. */
export function tasksOf(results: Results, sweep: Sweep, plan: Plan): Task[] {
  const cells = results.cellsOf(sweep.id);
  const order = orderLoads(cells, (cell) => placeOf(plan, cell), plan.repetitions, plan.seed, blocksPerRound(plan));
  const tasks = order.map((planned) => new Task(planned, cells[planned.cell] as Cell, plan.retries));
  const byPlace = new Map(tasks.map((task) => [`${task.cell.id} ${task.planned.block}`, task]));
  for (const load of results.loadsOf(sweep.id)) byPlace.get(`${load.cell} ${load.block}`)?.add(load.attempt, load);
  return tasks;
}

/** The loads that run one after another, in one lab: most often the lanes of a page on a link in one block (neighbours.ts). */
export type Unit = readonly [Task, ...Task[]];

/** In the planned order; `mayShare`, where loads run side by side: within a block the links that may come first. */
export function unitsOf(left: readonly Task[], plan: Plan, mayShare: ((link: LinkProfile) => boolean) | null): Unit[] {
  const roundOfTask = ({ planned }: Task): number => roundOf(plan, planned.block);
  const units = [
    ...Map.groupBy(left, (task) => `${roundOfTask(task)} ${placeOf(plan, task.cell)}`).values(),
  ] as unknown as Unit[];
  if (mayShare === null) return units;
  const isAlone = (unit: Unit): number => Number(!linksOf(unit).every((cell) => mayShare(cell.link_profile)));
  return units.toSorted((a, b) => roundOfTask(a[0]) - roundOfTask(b[0]) || isAlone(a) - isAlone(b));
}

/** One cell of each link that the unit's loads run over. */
export function linksOf(unit: Unit): Cell[] {
  return [...new Map(unit.map(({ cell }) => [cell.link, cell])).values()];
}
