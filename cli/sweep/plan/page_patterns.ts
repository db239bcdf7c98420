// Several pages of a plan in one word: braces for what is listed (`object-{10kB,1MB}`, the sizes or counts of a synthetic
// family), * and ? for recordings as they are found (`shop-*`). Pure; who has the recordings expands what they match.
import { matchesGlob } from "node:path";
import type { PlanPage } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";

/** `a-{b,c}` is `a-b` and `a-c`; several braces: each with each. */
export function expandBraces(text: string): string[] {
  const [, before = "", list, after = ""] = /^([^{}]*)\{([^{}]*)\}(.*)$/.exec(text) ?? [];
  if (list === undefined) return [text];
  return list.split(",").flatMap((word) => expandBraces(after).map((rest) => `${before}${word}${rest}`));
}

/** Pages with their braces expanded. */
export function expandPage(page: PlanPage): PlanPage[] {
  return typeof page === "string" ? expandBraces(page) : expandBraces(page.synth).map((synth) => ({ synth }));
}

/** No recording's name holds these. */
export const isPattern = (page: PlanPage): page is string => typeof page === "string" && /[*?]/.test(page);

/** The plan's pages with the recordings that each pattern matches, by name; each once. UserError where one matches none. */
export function matchRecordings(pages: readonly PlanPage[], recordings: readonly string[]): PlanPage[] {
  // A synthetic page's recording is called as the page.
  const named = new Set(pages.map((page) => (typeof page === "string" ? page : page.synth)));
  return pages.flatMap((page): PlanPage[] => {
    if (!isPattern(page)) return [page];
    const found = recordings.filter((name) => matchesGlob(name, page)).sort();
    if (found.length === 0) throw new UserError(`no recording is called like ${page}: see \`trilane list\``);
    const added = found.filter((name) => !named.has(name));
    for (const name of added) named.add(name);
    return added;
  });
}
