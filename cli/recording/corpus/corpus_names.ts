// Names of corpora and of their pages. Pure; makes none.
//
// Corpora of Das's distributions have names that say all of them (das-2014-500-seed-1), so that a plan can name their pages
// before anyone has made them, as those of `trilane synth`. Others are called by their user and exist as recordings only.
import { UserError } from "../../base/errors.ts";

export const mostPages = 5000;
export const mostSeed = 4294967295;
export const defaultSeed = 1;

const prefix = "corpus:";

/** The corpus that a plan's word names (`corpus:NAME`); null for other words. */
export const namedCorpus = (word: string): string | null =>
  word.startsWith(prefix) ? word.slice(prefix.length) : null;

/** `page`: from 1. */
export function pageNameOf(corpus: string, pages: number, page: number): string {
  return `${corpus}-page-${String(page).padStart(String(pages).length, "0")}`;
}

export const dasName = (pages: number, seed: number): string => `das-2014-${pages}-seed-${seed}`;

const dasPattern = /^das-2014-([1-9]\d{0,3})-seed-(0|[1-9]\d{0,9})$/;

/** Null for what is no name of a corpus of Das's distributions. */
export function dasChoice(name: string): { readonly pages: number; readonly seed: number } | null {
  const [, pages = "", seed = ""] = dasPattern.exec(name) ?? [];
  if (pages === "") return null;
  if (Number(pages) > mostPages || Number(seed) > mostSeed)
    throw new UserError(`corpus ${name}: has 1 to ${mostPages} pages and a seed of 0 to ${mostSeed}`);
  return { pages: Number(pages), seed: Number(seed) };
}

/** The names of such a corpus' pages, without making it; null for other names. */
export function dasPageNames(name: string): string[] | null {
  const choice = dasChoice(name);
  return choice && Array.from({ length: choice.pages }, (_, place) => pageNameOf(name, choice.pages, place + 1));
}
