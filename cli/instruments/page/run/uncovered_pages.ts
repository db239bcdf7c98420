// Pages of which no load can count: on every lane loads requested too little of the recording, or for too much beyond it; or the browser
// never starts. More loads would be the same. Keeps what loads said; the bounds are cli/load/metrics/coverage.ts's.

import { isCoverageReason } from "../../../load/metrics/coverage.ts";
import { isUnstartedReason } from "../../../load/time_out.ts";
import { isUnrecordedReason } from "../../../load/validity.ts";
import type { Load } from "../../../results/store/results.ts";

type Outcome = Pick<Load, "page" | "lane" | "status" | "reasons">;

/** Fewer may be by chance. */
const fewestLoads = 3;
/** Nor is it known of fewer that a browser never starts: one that is being updated is not there for a moment. */
const fewestUnstarted = 12;

interface Seen {
  loads: number;
  readonly lanes: Set<string>;
  /** A load that was within the bounds, whatever else was wrong with it. */
  covered: boolean;
}

export class UncoveredPages {
  readonly #lanes: readonly string[];
  readonly #pages = new Map<string, Seen>();
  #isStarted = false;
  #unstarted = 0;

  /** `loads`: of earlier runs. If no browser started then, it may have been put right. */
  constructor(lanes: readonly string[], loads: readonly Outcome[]) {
    this.#lanes = lanes;
    for (const load of loads) this.add(load);
    this.#unstarted = 0;
  }

  add({ page, lane, status, reasons }: Outcome): void {
    if (reasons.some(isUnstartedReason)) this.#unstarted++;
    else this.#isStarted = true;
    // One that did not end says nothing of its page.
    if (status === "failed") return;
    const seen = this.#pages.get(page) ?? { loads: 0, lanes: new Set(), covered: false };
    this.#pages.set(page, seen);
    if (!reasons.some(isCoverageReason)) seen.covered = true;
    seen.loads++;
    seen.lanes.add(lane);
  }

  /** Whether no further load of the page can count. */
  cannotCount(page: string): boolean {
    if (!this.#isStarted && this.#unstarted >= fewestUnstarted) return true;
    const seen = this.#pages.get(page);
    if (!seen || seen.covered) return false;
    return seen.loads >= fewestLoads && this.#lanes.every((lane) => seen.lanes.has(lane));
  }
}

/** Of a sweep without a valid load: what to do if that is for coverage; null: it is not. */
export function uncoveredRemedy(lanes: readonly string[], loads: readonly Outcome[]): string | null {
  const pages = [...new Set(loads.map(({ page }) => page))];
  const uncovered = new UncoveredPages(lanes, loads);
  const [page] = pages;
  if (page === undefined || !pages.every((each) => uncovered.cannotCount(each))) return null;
  const reason = loads.flatMap(({ reasons }) => reasons).find(isCoverageReason);
  if (reason === undefined) return null;
  const which = pages.length === 1 ? page : `${page} and ${pages.length - 1} more`;
  return `a load of ${which} ${reason}: \`trilane recording check ${page}\` shows what is missing and what to do`;
}

/** Of a sweep without a valid load that --strict decided; null: it did not. */
export function strictRemedy(strict: boolean | undefined, loads: readonly Outcome[]): string | null {
  if (!strict) return null;
  const missed = loads.flatMap(({ page, reasons }) =>
    reasons.filter(isUnrecordedReason).map((reason) => ({ page, reason })),
  );
  const [first] = missed;
  return first ? `${first.page}: ${first.reason}: leave --strict out to accept a few of these` : null;
}
