// Several pages of a plan in one word: braces for what is listed (`object-{10kB,1MB}`, the sizes or counts of a synthetic
// family), * and ? for recordings as they are found (`shop-*`), `corpus:NAME` for all pages of a corpus. Pure; who has the
// recordings expands what they match.
import type { PlanPage } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { dasChoice, dasPageNames, namedCorpus } from "../../recording/corpus/corpus_names.ts";

/** `a-{b,c}` is `a-b` and `a-c`; several braces: each with each. */
export function expandBraces(text: string): string[] {
  const [, before = "", list, after = ""] = /^([^{}]*)\{([^{}]*)\}(.*)$/.exec(text) ?? [];
  if (list === undefined) return [text];
  return list.split(",").flatMap((word) => expandBraces(after).map((rest) => `${before}${word}${rest}`));
}

/** How many words `expandBraces` makes of it. */
function countBraces(text: string): number {
  const lists = [...text.matchAll(/\{[^{}]*\}/g)];
  return lists.reduce((product, [list]) => product * list.split(",").length, 1);
}

/** `*` for any characters, `?` for one: in a time that grows with `name` times `pattern`, whatever the pattern. */
function matches(name: string, pattern: string): boolean {
  let [at, from, star, starred] = [0, 0, -1, 0];
  while (at < name.length) {
    if (pattern[from] === "*") {
      [star, starred] = [from++, at];
    } else if (pattern[from] === "?" || pattern[from] === name[at]) {
      at++;
      from++;
    } else if (star >= 0) {
      [from, at] = [star + 1, ++starred];
    } else return false;
  }
  return /^\**$/.test(pattern.slice(from));
}

/** The pages of a corpus of Das's distributions, which can be made by their names; any other stays a pattern. */
function expandCorpus(page: string): PlanPage[] {
  const name = namedCorpus(page);
  const pages = name === null ? null : dasPageNames(name);
  return pages ? pages.map((synth) => ({ synth })) : [page];
}

/** How many pages `expandCorpus` makes of it. */
const countOfCorpus = (page: PlanPage): number => dasChoice(namedCorpus(pageName(page)) ?? "")?.pages ?? 1;

/** With its braces expanded. */
const pageWords = (page: PlanPage): PlanPage[] =>
  typeof page === "string" ? expandBraces(page) : expandBraces(page.synth).map((synth) => ({ synth }));

/** More is a mistake. */
const mostExpanded = 500_000;

/**
 * Pages with their braces expanded, and with the pages of corpora that Trilane can make.
 * @throws UserError if there are more than `most`, before they are made: a short word may stand for millions.
 */
export function expandPages(pages: readonly PlanPage[], most: number = mostExpanded): PlanPage[] {
  const refuse = (count: number): void => {
    if (count > most) throw new UserError(`${count} pages: ask for at most ${Math.floor(most)}`);
  };
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  refuse(sum(pages.map((page) => countBraces(pageName(page)))));
  const words = pages.flatMap(pageWords);
  refuse(sum(words.map(countOfCorpus)));
  return words.flatMap((page) => (typeof page === "string" ? expandCorpus(page) : [page]));
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
    const found = corpus === null ? recordings.filter((name) => matches(name, page)).sort() : pagesOf(corpus);
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
