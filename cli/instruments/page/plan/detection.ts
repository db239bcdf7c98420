// What a plan's runs can show, and how many it takes: finds out how loads scatter (of an earlier sweep, as given, or assumed), and asks
// cli/results/verdict/detectable_effect.ts of the plan's pages and links. Its words are detection_words.ts's.
import { isDeepStrictEqual } from "node:util";
import type { Detection, RunsNeeded } from "../../../../schemas/generated/sweep_event.ts";
import { UserError } from "../../../base/errors.ts";
import type { LaneLabel } from "../../../base/lanes.ts";
import { chooseSweep, openNamed } from "../../../results/export/choose.ts";
import {
  logOfPercent,
  powers,
  Reaches,
  runsNeeded,
  runsNeededWider,
  shownBy,
} from "../../../results/stats/runs_search.ts";
import type { Results } from "../../../results/store/results.ts";
import { samplesOf } from "../../../results/verdict/compared_metric.ts";
import { type Design, designOfCell, pageStudies } from "../../../results/verdict/detectable_effect.ts";
import {
  type Both,
  givenNoise,
  type KnownCell,
  type LoadNoise,
  noiseOf,
  spreadOf,
} from "../../../results/verdict/load_noise.ts";
import { isValid, type Sample } from "../../../results/verdict/sample.ts";
import { verdictPairs } from "../../../results/verdict/verdict.ts";
import type { DetectionQuestion } from "../../../sweep/plan/detect_option.ts";
import { cellsOf } from "../../../sweep/plan/plan.ts";
import type { Plan } from "../../../sweep/plan/plan_document.ts";

/** Of loads that nothing is known of: what steady links and pages have, and a busy machine. */
const assumed_percent = 3;
/** So many of the newest sweeps are looked at for one that fits. */
const newestLookedAt = 20;
/** More pages or links are not simulated: all of them show at least what these do. */
const most = { pages: 20, links: 3 } as const;

interface KnownNoise {
  readonly noise: LoadNoise;
  readonly basis: Detection["basis"];
  readonly sweep: number | null;
}

type Place = Pick<KnownCell, "page" | "link">;

const keyOf = ({ page, link }: Place): string => JSON.stringify([page, link]);

/** The pages and links of a plan, each place once. */
function placesIn(plan: Plan): Place[] {
  return [...new Map(cellsOf(plan).map((cell) => [keyOf(cell), { page: cell.page, link: cell.link }])).values()];
}

/** Of all pairs of the plan's lanes that which varies most: what shows an effect of it, shows it of the others. */
function widestNoise(samples: readonly Sample[], plan: Plan): LoadNoise | null {
  const all = verdictPairs(plan.lanes).flatMap((pair) => noiseOf(samples, pair) ?? []);
  return all.reduce<LoadNoise | null>(
    (widest, noise) => (widest && spreadOf(widest.typical) >= spreadOf(noise.typical) ? widest : noise),
    null,
  );
}

function namedNoise(word: string, home: string, plan: Plan): KnownNoise {
  const { results: opened, named } = openNamed(word, home);
  using results = opened;
  const sweep = chooseSweep(results, named);
  const noise = widestNoise(samplesOf(results.loadsOf(sweep.id), plan.metric), plan);
  if (noise) return { noise, basis: "sweep", sweep: sweep.id };
  throw new UserError(
    `sweep ${sweep.id} has no page with two valid loads of two of the lanes ${plan.lanes.join(", ")}: name one that has, or give --spread`,
  );
}

/** In the same time, and during the same flows: both decide how loads vary. */
function ranAlike(one: Pick<Plan, "dilate" | "cross_traffic">, other: Pick<Plan, "dilate" | "cross_traffic">): boolean {
  return (
    (one.dilate ?? 1) === (other.dilate ?? 1) &&
    isDeepStrictEqual(one.cross_traffic ?? null, other.cross_traffic ?? null)
  );
}

/** The newest sweep that has loaded at least half of the plan's cells twice. */
function newestNoise(results: Results | null, plan: Plan): KnownNoise | null {
  const planned = new Set(cellsOf(plan).map((cell) => JSON.stringify([keyOf(cell), cell.lane])));
  const covers = (cells: readonly { page: string; link: string; lane: string }[]): boolean =>
    2 * cells.filter((cell) => planned.has(JSON.stringify([keyOf(cell), cell.lane]))).length >= planned.size;
  for (const sweep of results?.listSweeps().slice(0, newestLookedAt) ?? []) {
    if (!ranAlike(sweep.plan, plan) || !covers(results?.cellsOf(sweep.id) ?? [])) continue;
    const loads = samplesOf(results?.loadsOf(sweep.id) ?? [], plan.metric).filter(isValid);
    const noise = widestNoise(loads, plan);
    if (noise && 2 * noise.cells.length >= placesIn(plan).length) return { noise, basis: "sweep", sweep: sweep.id };
  }
  return null;
}

function noiseFor(plan: Plan, home: string, results: Results | null, question: DetectionQuestion): KnownNoise | null {
  const [pair] = verdictPairs(plan.lanes);
  if (!pair) return null;
  const { from, spread_percent } = question;
  if (from !== null) return namedNoise(from, home, plan);
  if (spread_percent !== null) return { noise: givenNoise(spread_percent / 100, pair), basis: "given", sweep: null };
  const assumed = { noise: givenNoise(assumed_percent / 100, pair), basis: "assumed", sweep: null } as const;
  return newestNoise(results, plan) ?? assumed;
}

/** The plan's cells, of which an earlier sweep knows some: the others are as its typical one. Fewer, where there are very many. */
function designOf(noise: LoadNoise, plan: Plan): Design {
  const known = new Map(noise.cells.map((cell) => [keyOf(cell), cell]));
  const all = placesIn(plan);
  const kept = (values: readonly string[], limit: number): Set<string> => new Set([...new Set(values)].slice(0, limit));
  const pages = kept(
    all.map(({ page }) => page),
    most.pages,
  );
  const links = kept(
    all.map(({ link }) => link),
    most.links,
  );
  const cells = all.filter(({ page, link }) => pages.has(page) && links.has(link));
  return {
    noise,
    comparisons: verdictPairs(plan.lanes).length,
    cells: cells.map((place) => known.get(keyOf(place)) ?? { ...place, base_ms: 1000, spread: noise.typical }),
  };
}

/** Of the places by how much their loads vary. */
function widestOf(cells: readonly KnownCell[]): Both {
  return cells.reduce<Both>((widest, { spread }) => (spreadOf(spread) > spreadOf(widest) ? spread : widest), {
    lane: 0,
    over: 0,
  });
}

/** Cells that vary so little more than the typical one need no line of their own. */
const alike = 1.2;

/**
 * Null for plans of one lane. `seconds` that so many runs of the plan take. UserError where a named sweep has no loads that say how
 * they scatter.
 */
export function detectionOf(
  plan: Plan,
  home: string,
  results: Results | null,
  question: DetectionQuestion,
  seconds: (runs: number) => number,
): Detection | null {
  const found = noiseFor(plan, home, results, question);
  if (!found) return null;
  const { noise, basis, sweep } = found;
  const design = designOf(noise, plan);
  const cell = designOfCell(noise, noise.typical, design.comparisons);
  const cellReaches = new Reaches(pageStudies(cell), plan.seed);
  const pooledReaches = design.cells.length > 1 ? new Reaches(pageStudies(design), plan.seed) : null;
  const shown = (scope: Detection["shown"][number]["scope"], reaches: Reaches): Detection["shown"][number] => ({
    scope,
    percents: shownBy(reaches, plan.repetitions),
  });
  // First: the search for runs begins with what these have said.
  const ofPlan = [shown("cell", cellReaches), ...(pooledReaches ? [shown("pooled", pooledReaches)] : [])];
  const needed: RunsNeeded[] = [];
  if (question.percent !== null) {
    const effect = logOfPercent(question.percent);
    const wider = spreadOf(widestOf(design.cells)) / spreadOf(noise.typical);
    const add = (scope: RunsNeeded["scope"], power: number, runs: number | null, share: number | null): void => {
      needed.push({ scope, power, runs, expected_s: runs === null ? null : seconds(runs), shown: share });
    };
    for (const power of powers) {
      const one = runsNeeded(cellReaches, effect, power);
      add("cell", power, one.runs, one.shown);
      if (wider > alike)
        add("noisiest", power, one.runs && runsNeededWider(cellReaches, effect, power, one.runs, wider), null);
      if (!pooledReaches) continue;
      const all = runsNeeded(pooledReaches, effect, power);
      add("pooled", power, all.runs, all.shown);
    }
  }
  return {
    basis,
    sweep,
    lane: noise.pair.lane as LaneLabel,
    over: noise.pair.over as LaneLabel,
    spread_percent: (100 * spreadOf(noise.typical)) / noise.allowance,
    planned_with_percent: 100 * spreadOf(noise.typical),
    pilot_runs: noise.runs,
    ...(noise.kinds ? { two_kinds: { ...noise.kinds, lane: noise.kinds.lane as LaneLabel } } : {}),
    runs: plan.repetitions,
    shown: ofPlan,
    detect_percent: question.percent,
    needed,
  };
}
