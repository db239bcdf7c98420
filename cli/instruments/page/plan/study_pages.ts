// Which pages a study's plan loads, if the command line of `trilane reproduce` names others than the study's own.

import { UserError } from "../../../base/errors.ts";
import { dasName, defaultSeed } from "../../../recording/corpus/corpus_names.ts";
import { studies } from "../../../results/studies/all.ts";

export interface StudyOptions {
  readonly page: readonly string[];
  /** How many pages of the corpus that the study of 2014 is modelled by. */
  readonly pages: number | undefined;
  readonly corpus: string | undefined;
}

/** The pages instead of the plan's, if a corpus was named; else those of --page. */
function pagesOf({ page, pages, corpus }: StudyOptions, study: string): readonly string[] {
  const given = pages !== undefined ? "--pages" : corpus !== undefined ? "--corpus" : null;
  if (given === null) return page;
  if (!studies.find(({ name }) => name === study)?.isOfCorpus)
    throw new UserError(`${given}: ${study} is of pages of its own: leave it out, or give --page`);
  if (page.length > 0 || (pages !== undefined && corpus !== undefined))
    throw new UserError("--pages, --corpus and --page each name the pages: give one of them");
  return [`corpus:${corpus ?? dasName(pages ?? 0, defaultSeed)}`];
}

/** Loads are strict, as a study's were. */
export const studyPages = (study: string, options: StudyOptions): object => ({
  ...options,
  page: pagesOf(options, study),
  strict: true,
});
