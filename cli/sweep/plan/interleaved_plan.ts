// The plan of `trilane compare --interleaved A B`: two pages, or of one page two links or two browsers, loaded alternately in one
// sweep. Which of these the words mean, and the pages made ready; runs nothing.
import type { PlanInterleaved, PlanPage } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { usualRuns } from "../../base/interval.ts";
import { plainLanes } from "../../base/lanes.ts";
import { browserProgram, isProgram } from "../../base/programs.ts";
import { say } from "../../base/terminal_text.ts";
import { refuseGivenWithoutDelay } from "../../link/profile_file.ts";
import { blocksPerPair } from "../../results/compare/interleaved.ts";
import type { AsOptions } from "./as_option.ts";
import { pageName } from "./page_patterns.ts";
import type { PageSource } from "./page_source.ts";
import { planOf } from "./plan.ts";
import type { Plan } from "./plan_document.ts";
import { type PlanOptions, planChoiceOf } from "./plan_options.ts";
import { readLanes } from "./read_lanes.ts";

export interface InterleavedWords extends AsOptions, Pick<PlanOptions, "tolerance" | "retry-for" | "metric"> {
  readonly a: string;
  readonly b: string;
  /** The one page, where links or browsers are compared. */
  readonly page: string | undefined;
  /** Where pages or browsers are compared. */
  readonly link: string | undefined;
  readonly lanes: string | undefined;
  /** Of each version. */
  readonly runs: number | undefined;
  readonly timeout: number | undefined;
  readonly settle: number | undefined;
}

export const usualLink = "10mbit/50ms";

/** What the plan has besides its pages. */
interface Versions {
  readonly interleaved: PlanInterleaved;
  readonly links: readonly string[];
  /** As the command line names them. */
  readonly pages: readonly string[];
}

const isBrowser = (word: string): boolean => word === "chromium" || word === "firefox" || isProgram(word);

function versionsOf({ a, b, page, link }: InterleavedWords): Versions {
  if (page === undefined) return { interleaved: { of: "pages" }, links: [link ?? usualLink], pages: [a, b] };
  const [one, other] = [isBrowser(a), isBrowser(b)];
  if (one && other) {
    const browsers: [string, string] = [browserProgram(a), browserProgram(b)];
    if (browsers[0] === browsers[1]) throw new UserError(`${a} and ${b} are one browser: name two`);
    return { interleaved: { of: "browsers", browsers }, links: [link ?? usualLink], pages: [page] };
  }
  if (one || other)
    throw new UserError(`${one ? a : b} is a program and ${one ? b : a} is none: name two browsers, or two links`);
  if (link !== undefined) throw new UserError(`--link: ${a} and ${b} are the links: leave --link out`);
  return { interleaved: { of: "links" }, links: [a, b], pages: [page] };
}

/** Pages as they are loaded: both as recorded, or both as models, or what is compared would be the models' making. */
async function readyPages(
  home: string,
  source: PageSource,
  words: InterleavedWords,
  plan: Plan,
  named: readonly PlanPage[],
) {
  const chosen = await source.chosenPages(named, { home, options: words, terms: plan, trials: "made", say });
  const isModel = chosen.map((page, index) => page !== named[index]);
  if (new Set(isModel).size > 1) {
    const [recorded, modelled] = isModel[0] ? [named[1], named[0]] : [named[0], named[1]];
    throw new UserError(
      `${pageName(recorded as PlanPage)} would be loaded as recorded, ${pageName(modelled as PlanPage)} as a model: give --as model or --as recorded`,
    );
  }
  return chosen;
}

/** The pages that words name, and the plan once they are known. UserError for words that contradict each other. */
function termsOf(words: InterleavedWords) {
  const { interleaved, links, pages } = versionsOf(words);
  const runs = words.runs ?? usualRuns;
  const planFor = (named: readonly PlanPage[]): Plan =>
    planOf(
      {
        name: `compare-${interleaved.of}-${named.map(pageName).join("-")}`.slice(0, 120),
        pages: named,
        lanes: readLanes(words.lanes ?? plainLanes.join(",")),
        links,
        interleaved,
        repetitions: interleaved.of === "browsers" ? runs * blocksPerPair : runs,
        ...planChoiceOf(words as Partial<PlanOptions>),
      },
      "compare",
    );
  for (const link of links) refuseGivenWithoutDelay(link);
  // What can be wrong with the words is found before a page is recorded or imported.
  planFor(pages.map((_, index) => `page ${index}`));
  return { pages, planFor };
}

/** UserError for words that contradict each other. Records or imports pages that are named by their URL or file. */
export async function interleavedPlan(home: string, source: PageSource, words: InterleavedWords): Promise<Plan> {
  const { pages, planFor } = termsOf(words);
  const named: PlanPage[] = [];
  // One after another: each import is a writer of the archive.
  for (const page of pages) named.push(await source.pageFor(home, page));
  return planFor(await readyPages(home, source, words, planFor(named), named));
}

/** As interleavedPlan, but nothing is stored: the plan, and how large pages are that are in files still. */
export async function unstoredInterleavedPlan(home: string, source: PageSource, words: InterleavedWords) {
  const { pages, planFor } = termsOf(words);
  const found = await Promise.all(pages.map((page) => source.pageUnstored(home, page)));
  const sizes = found.flatMap(({ page, size }) => (size ? [[pageName(page), size] as const] : []));
  return { plan: planFor(found.map(({ page }) => page)), unstored: new Map(sizes) };
}
