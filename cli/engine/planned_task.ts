// One planned load or run: what was made of it, how often it may be tried, and whether it is done. Runs nothing.
import { isDisturbed } from "../load/disturbance.ts";
import { isBlockedReason } from "../load/lane_agreement.ts";
import { isCoverageReason } from "../load/metrics/coverage.ts";
import { timedOutAfter_ms } from "../load/time_out.ts";
import type { LoadStatus } from "../results/store/results.ts";
import type { PlannedLoad } from "../sweep/plan/load_order.ts";

/** How a try ended. */
export interface Attempt {
  readonly status: LoadStatus;
  /** Empty for a valid one. */
  readonly reasons: readonly string[];
}

export class PlannedTask<PlannedCell> {
  readonly planned: PlannedLoad;
  readonly cell: PlannedCell;
  readonly #retries: number;
  #attempts = 0;
  /** Attempts that went wrong by themselves, not by the machine. */
  #faults = 0;
  #valid = false;
  #timedOut = false;
  /** The link lets nothing of its lane through. */
  #isBlocked = false;
  #isDisturbed = false;

  constructor(planned: PlannedLoad, cell: PlannedCell, retries: number) {
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
    this.#isBlocked ||= reasons.some(isBlockedReason);
    // What a load asks for is the page's doing, on a calm machine too.
    this.#isDisturbed = reasons.some(isDisturbed) && !reasons.some(isCoverageReason);
    if (status !== "valid" && !this.#isDisturbed) this.#faults++;
  }

  /**
   * `mayRepeat`: there is time left to repeat what the machine disturbed. A load that timed out is slower than all others, and
   * not tried until it is not.
   */
  isDone(mayRepeat: boolean): boolean {
    if (this.#valid || this.#timedOut || this.#isBlocked || this.#faults > this.#retries) return true;
    return this.#isDisturbed && !mayRepeat;
  }

  /** Disturbed, and tried as often as makes sense now: the rest is for a quieter machine. */
  isForLater(): boolean {
    return this.#isDisturbed && !this.isDone(true) && this.#attempts >= Math.max(1, this.#retries);
  }
}

/** One for each planned load or run, in their order, with what earlier runs of the sweep made of it (`stored`). */
export function plannedTasks<PlannedCell extends { readonly id: number }>(
  order: readonly PlannedLoad[],
  cells: readonly PlannedCell[],
  retries: number,
  stored: readonly (Attempt & { readonly cell: number; readonly block: number; readonly attempt: number })[],
): PlannedTask<PlannedCell>[] {
  const tasks = order.map((planned) => new PlannedTask(planned, cells[planned.cell] as PlannedCell, retries));
  const byPlace = new Map(tasks.map((task) => [`${task.cell.id} ${task.planned.block}`, task]));
  for (const made of stored) byPlace.get(`${made.cell} ${made.block}`)?.add(made.attempt, made);
  return tasks;
}
