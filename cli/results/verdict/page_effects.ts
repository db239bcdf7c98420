// What one lane does to each page, over all links together: the effect with its interval, and which pages it helps and hurts when it is
// counted that there are many pages. Over an average that no one's page has. The interval is comparison.ts's; the test is of
// medians, link by link (median_test.ts), because lanes scatter unlike each other.
import type { Interval } from "../../base/interval.ts";
import { mean } from "../../base/quantile.ts";
import { shareInterval } from "../stats/binomial.ts";
import { medianShiftTails } from "../stats/median_test.ts";
import { benjaminiHochberg, holm, significanceLevel } from "../stats/multiplicity.ts";
import { normalQuantile, normalUpperTail } from "../stats/normal_tail.ts";
import { type Improvement, improvement } from "./comparison.ts";
import { cellMedians, medianRatio, type PairedCell, present, ratioOff } from "./paired_cells.ts";
import type { LanePair } from "./sample.ts";

/** Of fewer pages each is reported by itself. */
const fewestPages = 5;

export interface PageEffect extends PageTest {
  readonly effect: Improvement & { readonly percent: number };
  /** Of pages like these, how many have an effect as small or smaller: 95 % for this one point, exact. */
  readonly share: Interval;
}

export interface PageEffects {
  readonly pair: LanePair;
  /** The most hurt first. */
  readonly pages: readonly PageEffect[];
  readonly helped: number;
  readonly hurt: number;
}

/** No single link decides alone. */
const leastTail = 1e-9;

/** One-sided chances of independent tests as one (Stouffer 1949), each link weighing alike. Stays a test where each is careful. */
function together(tails: readonly number[]): number {
  const scores = tails.map((tail) => {
    const held = Math.min(1 - leastTail, Math.max(leastTail, tail));
    return held <= 0.5 ? normalQuantile(held) : -normalQuantile(1 - held);
  });
  return normalUpperTail(scores.reduce((sum, score) => sum + score, 0) / Math.sqrt(scores.length));
}

/** One page's test, corrected for the number of pages. */
interface PageTest {
  readonly page: string;
  /** Two-sided, without a difference of the page's medians on any link. */
  readonly probability: number;
  /** That any page is called different wrongly; the share of those called different that are not. */
  readonly holm: number;
  readonly benjaminiHochberg: number;
  /** By Benjamini and Hochberg: of all pages named, 5 % at most are expected to be named wrongly. Null: no difference shown. */
  readonly named: "helped" | "hurt" | null;
}

/** Of one page on its links; null where no link has loads of both lanes that can be compared. */
function testOf(
  cells: readonly PairedCell[],
): { readonly probability: number; readonly named: PageTest["named"] } | null {
  const known = cells.flatMap((cell) => cellMedians(cell) ?? []);
  if (known.length === 0) return null;
  const tails = known.map((medians) => {
    const [lane, over] = [medians.cell.lane, medians.cell.over].map((times) => present(times).map(Math.log)) as [
      number[],
      number[],
    ];
    // That they differ by more than both may be off.
    const off = ratioOff(medians);
    return { greater: medianShiftTails(lane, over, off).greater, less: medianShiftTails(lane, over, -off).less };
  });
  const faster = together(tails.map(({ greater }) => greater));
  const slower = together(tails.map(({ less }) => less));
  const gain = -mean(known.map(medianRatio));
  const named = faster < slower && gain > 0 ? "helped" : slower < faster && gain < 0 ? "hurt" : null;
  return { probability: Math.min(1, 2 * Math.min(faster, slower)), named };
}

/** Of every page that has loads of both lanes; `cells` of one pair of lanes. */
export function pageTests(cells: readonly PairedCell[]): PageTest[] {
  const tested = [...Map.groupBy(cells, ({ page }) => page)].flatMap(([page, ofPage]) => {
    const test = testOf(ofPage);
    return test ? [{ page, ...test }] : [];
  });
  const probabilities = tested.map(({ probability }) => probability);
  const [byHolm, byShare] = [holm(probabilities), benjaminiHochberg(probabilities)];
  return tested.map((test, index) => {
    const corrected = byShare[index] ?? 1;
    const named = corrected <= significanceLevel ? test.named : null;
    return { ...test, holm: byHolm[index] ?? 1, benjaminiHochberg: corrected, named };
  });
}

/** What a page's own interval says: one that is named has to agree. */
function sideOf({ interval }: Improvement): PageTest["named"] {
  if (!interval) return null;
  return interval.low > 0 ? "helped" : interval.high < 0 ? "hurt" : null;
}

/** Null with fewer than five pages that have loads of both lanes. `cells` of one pair of lanes. */
export function pageEffects(cells: readonly PairedCell[], pair: LanePair, seed: number): PageEffects | null {
  const byPage = Map.groupBy(cells, ({ page }) => page);
  const known = pageTests(cells).flatMap((test) => {
    const effect = improvement(byPage.get(test.page) ?? [], pair, seed);
    const named = test.named === sideOf(effect) ? test.named : null;
    return effect.percent === null ? [] : [{ ...test, named, effect: { ...effect, percent: effect.percent } }];
  });
  if (known.length < fewestPages) return null;
  known.sort((a, b) => a.effect.percent - b.effect.percent || (a.page < b.page ? -1 : 1));
  const pages = known.map((page, index) => ({ ...page, share: shareInterval(index + 1, known.length) }));
  const times = (named: PageEffect["named"]): number => pages.filter((page) => page.named === named).length;
  return { pair, pages, helped: times("helped"), hurt: times("hurt") };
}
