// `trilane plan` and `--dry-run`: what a plan would run, how long that would take, how much it would store and which effects it could
// show (detection.ts). Makes no page, stores nothing.

import type { Detection, SweepPlanned } from "../../../../schemas/generated/sweep_event.ts";
import { count, formatSize } from "../../../base/numbers.ts";
import { paragraph, titled } from "../../../base/wrapped_text.ts";
import { testGuess_ms } from "../../../engine/link_tests.ts";
import { trafficWords } from "../../../load/cross_traffic.ts";
import { servingLine } from "../../../load/serving/terms.ts";
import { openExistingResults } from "../../../results/store/results.ts";
import { refuseTooShort, refuseVideoContradictions } from "../../../sweep/plan/contradictions.ts";
import { type DetectionQuestion, noQuestion } from "../../../sweep/plan/detect_option.ts";
import { cellGuess, guessStored_bytes, type PageSize } from "../../../sweep/plan/estimate.ts";
import { pageName } from "../../../sweep/plan/page_patterns.ts";
import type { PageSource } from "../../../sweep/plan/page_source.ts";
import { placesOf } from "../../../sweep/plan/places.ts";
import { cellsOf, planDigest } from "../../../sweep/plan/plan.ts";
import type { Plan } from "../../../sweep/plan/plan_document.ts";
import { linksOf } from "../../../sweep/plan/plan_links.ts";
import { limitWords, ruledSize } from "../../../sweep/plan/until.ts";
import { formatDuration } from "../../../sweep/progress/progress_lines.ts";
import { detectionOf } from "./detection.ts";
import { detectionWords } from "./detection_words.ts";

/** `unstored`: pages that are in files still. */
export async function describePlan(
  home: string,
  plan: Plan,
  source: PageSource,
  unstored: ReadonlyMap<string, PageSize> = new Map(),
  question: DetectionQuestion = noQuestion,
): Promise<SweepPlanned> {
  const sizes = await source.pageSizes(home, plan.pages, unstored);
  refuseVideoContradictions(plan, sizes);
  refuseTooShort(plan, cellsOf(plan), sizes);
  using results = openExistingResults(home);
  const guess_ms = cellGuess(plan, (page) => sizes.get(page), results);
  const cells = cellsOf(plan);
  const links = linksOf(plan);
  const unfinished = results?.unfinishedSweep(planDigest(plan)) ?? null;
  const stored = unfinished && results ? results.loadsOf(unfinished.id) : [];
  const done = stored.filter((load) => load.status === "valid").length;
  const loads = cells.length * plan.repetitions;
  const tests_s = links.reduce((sum, { link_profile }) => sum + testGuess_ms(link_profile), 0) / 1000;
  const run_s = cells.reduce((sum, cell) => sum + guess_ms(cell), 0) / 1000;
  const films_s = run_s * (plan.films ?? 0);
  const seconds = (runs: number): number => Math.round(tests_s + run_s * runs + films_s);
  // Who loads until it is enough has no number of runs to ask about.
  const detection = plan.until ? null : detectionOf(plan, home, results, question, seconds);
  return {
    event: "sweep-planned",
    name: plan.name,
    cells: cells.length,
    loads,
    done,
    expected_s: Math.round(((run_s * plan.repetitions + tests_s) * (loads - done)) / loads + films_s),
    expected_bytes: cells.reduce((sum, { page }) => sum + guessStored_bytes(sizes.get(page)), 0) * plan.repetitions,
    pages: plan.pages.map(pageName),
    lanes: [...plan.lanes],
    links: links.map(({ link }) => link),
    ...(detection ? { detection } : {}),
  };
}

function detectionLines(detection: Detection): string[] {
  const { noise, shown, needed, caution } = detectionWords(detection);
  const lines = [...paragraph("loads", noise), ...titled("shows", shown), ...titled("needs", needed)];
  return caution === null ? lines : [...lines, ...paragraph("but", caution)];
}

/** More are given by their rule. */
const maximumJobs = 12;

/** What `trilane cell` is given numbers of; nothing where there is only one. */
function jobLines(plan: Plan): string[] {
  const places = placesOf(plan);
  if (places.length === 1) return [];
  const shown = places.length > maximumJobs ? [] : places;
  const width = Math.max(...shown.map(({ page }) => page.length), 0);
  const rule = `number = (page - 1) x ${places.length / plan.pages.length} + link, pages and links counted as above`;
  return [
    ...paragraph("machines", `up to ${places.length}; submit and cell number pages on links:`),
    ...shown.map(({ place, page, link }) => `${String(place).padStart(12)}  ${page.padEnd(width)}  ${link}`),
    ...(shown.length > 0 ? [] : paragraph("", rule)),
  ];
}

function limitLines(plan: Plan): string[] {
  const words = limitWords(plan, "loads");
  if (words === null) return [];
  return paragraph(
    "limit",
    placesOf(plan).length === 1 ? words : `${words}; each \`trilane cell\` has as much for itself`,
  );
}

/** A number of three digits has no room in the title. */
const pageLines = (pages: readonly string[]): string[] =>
  pages.length < 100
    ? paragraph(count(pages.length, "page"), pages.join(" "))
    : paragraph("pages", `${pages.length}: ${pages.join(" ")}`);

/** The plan for people, within 80 columns. */
export function planLines(plan: Plan, planned: SweepPlanned): string[] {
  const { pages, lanes, links, cells, loads, done, expected_s, expected_bytes, detection } = planned;
  const about = plan.until ? "at most about" : "about";
  const size = `${count(cells, "cell")} x ${count(plan.repetitions, "repetition")} = ${count(loads, "load")}`;
  return [
    ...paragraph("plan", plan.name),
    ...(plan.description ? paragraph("asks", plan.description) : []),
    ...(plan.reference ? paragraph("after", plan.reference) : []),
    ...pageLines(pages),
    ...paragraph("lanes", lanes.join(" ")),
    ...paragraph("links", `${links.length}: ${links.join(" ")}`),
    ...(servingLine(plan.serving) === "" ? [] : paragraph("serving", servingLine(plan.serving))),
    ...(plan.cross_traffic ? paragraph("traffic", trafficWords(plan.cross_traffic)) : []),
    ...paragraph("size", ruledSize(size, plan.until)),
    ...(done > 0
      ? paragraph("done", `${count(done, "load")} in an unfinished sweep, which running the plan resumes`)
      : []),
    ...paragraph("time", `${about} ${formatDuration(expected_s)}`),
    ...limitLines(plan),
    ...paragraph("disk", `${about} ${formatSize(expected_bytes)} of results`),
    ...(detection ? detectionLines(detection) : []),
    ...jobLines(plan),
  ];
}
