// What of a sweep's loads is still to be done: each planned load with what earlier runs made of it, how often it may be tried,
// and which run one after another. Runs nothing.

import type { LinkProfile } from "../../schemas/generated/link_profile.ts";
import { isCrowded } from "../measure/starved.ts";
import type { Cell, Load, Results, Sweep } from "../results/results.ts";
import { orderLoads, type PlannedLoad } from "./order.ts";
import type { Plan } from "./plan.ts";

/** How often a load may be tried: that it was starved of CPU once is the machine's doing, and does not count against it. */
export function triesOf(retries: number, wasStarved: boolean): number {
  return retries + 1 + Number(wasStarved);
}

type Attempt = Pick<Load, "status" | "reasons">;

export class Task {
  readonly planned: PlannedLoad;
  readonly cell: Cell;
  readonly #retries: number;
  #attempts = 0;
  #valid = false;
  #wasStarved = false;
  #isStarved = false;

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
    this.#isStarved = reasons.some(isCrowded);
    this.#wasStarved ||= this.#isStarved;
  }

  isDone(): boolean {
    return this.#valid || this.#attempts >= triesOf(this.#retries, this.#wasStarved);
  }

  /** Starved, and tried as often as makes sense now: the rest is for a quieter machine. */
  isForLater(): boolean {
    return this.#isStarved && !this.isDone() && this.#attempts >= Math.max(1, this.#retries);
  }
}

/** In the planned order. */
export function tasksOf(results: Results, sweep: Sweep, plan: Plan): Task[] {
  const cells = results.cellsOf(sweep.id);
  const order = orderLoads(cells, (cell) => `${cell.page} ${cell.link}`, plan.repetitions, plan.seed);
  const tasks = order.map((planned) => new Task(planned, cells[planned.cell] as Cell, plan.retries));
  const byPlace = new Map(tasks.map((task) => [`${task.cell.id} ${task.planned.block}`, task]));
  for (const load of results.loadsOf(sweep.id)) byPlace.get(`${load.cell} ${load.block}`)?.add(load.attempt, load);
  return tasks;
}

/** The lanes of a page on a link in one block, which run one after another. */
export type Unit = readonly [Task, ...Task[]];

const placeOf = ({ cell }: Task): string => JSON.stringify([cell.page, cell.link]);

/** In the planned order; `mayShare`, where loads run side by side: within a block the links that may come first. */
export function unitsOf(left: readonly Task[], mayShare: ((link: LinkProfile) => boolean) | null): Unit[] {
  const units = [
    ...Map.groupBy(left, (task) => `${task.planned.block} ${placeOf(task)}`).values(),
  ] as unknown as Unit[];
  if (mayShare === null) return units;
  const isAlone = ([task]: Unit): number => Number(!mayShare(task.cell.link_profile));
  return units.toSorted((a, b) => a[0].planned.block - b[0].planned.block || isAlone(a) - isAlone(b));
}
