// Several pages of a plan in one word: braces for what is listed (`object-{10kB,1MB}`, the sizes or counts of a synthetic
// family), * and ? for recordings as they are found (`shop-*`), `corpus:NAME` for all pages of a corpus. Pure; who has the
// recordings expands what they match.
import { matchesGlob } from "node:path";
import type { PlanPage } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { dasPageNames, namedCorpus } from "../../recording/corpus/corpus_names.ts";

/** `a-{b,c}` is `a-b` and `a-c`; several braces: each with each. */
export function expandBraces(text: string): string[] {
  const [, before = "", list, after = ""] = /^([^{}]*)\{([^{}]*)\}(.*)$/.exec(text) ?? [];
  if (list === undefined) return [text];
  return list.split(",").flatMap((word) => expandBraces(after).map((rest) => `${before}${word}${rest}`));
}

/** The pages of a corpus of Das's distributions, which can be made by their names; any other stays a pattern. */
function expandCorpus(page: string): PlanPage[] {
  const name = namedCorpus(page);
  const pages = name === null ? null : dasPageNames(name);
  return pages ? pages.map((synth) => ({ synth })) : [page];
}

/** Pages with their braces expanded, and with the pages of corpora that Trilane can make. */
export function expandPage(page: PlanPage): PlanPage[] {
  return typeof page === "string"
    ? expandBraces(page).flatMap(expandCorpus)
    : expandBraces(page.synth).map((synth) => ({ synth }));
}

/** No recording's name holds these. */
export const isPattern = (page: PlanPage): page is string =>
  typeof page === "string" && (/[*?]/.test(page) || namedCorpus(page) !== null);

/**
 * The plan's pages with the recordings that each pattern matches, by name; each once. UserError where one matches none.
 * `pagesOf`: the names of a corpus' recordings.
 */
export function matchRecordings(
  pages: readonly PlanPage[],
  recordings: readonly string[],
  pagesOf: (corpus: string) => readonly string[],
): PlanPage[] {
  // A synthetic page's recording is called as the page.
  const named = new Set(pages.map((page) => (typeof page === "string" ? page : page.synth)));
  return pages.flatMap((page): PlanPage[] => {
    if (!isPattern(page)) return [page];
    const corpus = namedCorpus(page);
    const found = corpus === null ? recordings.filter((name) => matchesGlob(name, page)).sort() : pagesOf(corpus);
    if (found.length === 0) throw new UserError(`no recording is called like ${page}: see \`trilane list\``);
    const added = found.filter((name) => !named.has(name));
    for (const name of added) named.add(name);
    return added;
  });
}

/** The name of a page's recording: a synthetic page's recording is called as the page. */
export function pageName(page: PlanPage): string {
  return typeof page === "string" ? page : page.synth;
}
