// A corpus: so many pages of a seed that follow distributions. Its pages' shapes and sizes are decided together, each page is
// made by itself; stored_corpus.ts writes them to the archive.
import { UserError } from "../../base/errors.ts";
import type { Archive, Recording } from "../archive/archive.ts";
import { dasChoice, pageNameOf } from "./corpus_names.ts";
import { type CorpusPage, corpusPage } from "./corpus_page.ts";
import { das2014Distributions, distributionsOf, type PageDistributions } from "./distributions.ts";
import { objectSizes } from "./object_sizes.ts";
import { plannedPage } from "./page_plan.ts";
import { type PageShape, pageShapes } from "./page_shapes.ts";
import { corpusNotesOf } from "./stored_corpus.ts";

// A corpus in the archive by its name: its recordings, and the distributions that it was made of. UserError where it is not
// there, or not whole.

/** The names of the corpora that have recordings. */
function corporaIn(recordings: readonly Recording[]): string[] {
  return [...new Set(recordings.flatMap((recording) => corpusNotesOf(recording)?.name ?? []))].sort();
}

/** Its pages in order. */
export function corpusRecordings(recordings: readonly Recording[], name: string): Recording[] {
  const pages = recordings
    .flatMap((recording) => {
      const notes = corpusNotesOf(recording);
      return notes?.name === name ? [{ recording, notes }] : [];
    })
    .sort((a, b) => a.notes.page - b.notes.page);
  const [first] = pages;
  if (!first) {
    const there = corporaIn(recordings);
    const known = there.length > 0 ? `there is ${there.join(", ")}` : "`trilane corpus synth` makes one";
    throw new UserError(`no corpus is called ${name}: ${known}`);
  }
  if (pages.length < first.notes.pages || pages.some(({ notes }) => notes.like !== first.notes.like))
    throw new UserError(
      `corpus ${name}: has ${pages.length} of its ${first.notes.pages} pages: make the rest with the same \`trilane corpus synth\` again`,
    );
  return pages.map(({ recording }) => recording);
}

interface FoundCorpus {
  readonly name: string;
  readonly seed: number;
  readonly distributions: PageDistributions;
  readonly recordings: readonly Recording[];
}

export async function findCorpus(archive: Archive, name: string): Promise<FoundCorpus> {
  const recordings = corpusRecordings(await archive.list(), name);
  const [first] = recordings;
  const noted = first?.notes.distributions;
  const distributions = noted === undefined ? das2014Distributions() : distributionsOf(noted, `corpus ${name}`);
  return { name, seed: (first && corpusNotesOf(first)?.seed) ?? 0, distributions, recordings };
}

export interface Corpus {
  readonly name: string;
  readonly distributions: PageDistributions;
  readonly seed: number;
  readonly shapes: readonly PageShape[];
  /** Of each page's objects, the document's somewhere among them. */
  readonly sizes: readonly (readonly number[])[];
}

/** UserError for distributions that no pages can have. */
export function corpusOf(name: string, distributions: PageDistributions, pages: number, seed: number): Corpus {
  const shapes = pageShapes(distributions, pages, seed);
  return { name, distributions, seed, shapes, sizes: objectSizes(shapes, distributions, seed) };
}

export const pageNamesOf = ({ name, shapes }: Corpus): string[] =>
  shapes.map((_, place) => pageNameOf(name, shapes.length, place + 1));

/** The `page`th page, from 1. RangeError where there is none. */
export function pageOf({ distributions, seed, shapes, sizes }: Corpus, page: number): CorpusPage {
  const shape = shapes[page - 1];
  const own = sizes[page - 1];
  if (!shape || !own) throw new RangeError(`no page ${page} of ${shapes.length}`);
  const least_bytes = distributions.object_bytes[0] ?? 1;
  return corpusPage(plannedPage(shape, own, least_bytes, seed, page), page);
}

const made = new Map<string, Corpus>();

/** A corpus of Das's distributions by its name; null for what is no such name. */
export function dasCorpus(name: string): Corpus | null {
  const choice = dasChoice(name);
  if (!choice) return null;
  // Each of its pages is requested by name.
  const corpus = made.get(name) ?? corpusOf(name, das2014Distributions(), choice.pages, choice.seed);
  made.set(name, corpus);
  return corpus;
}

/** The corpus of Das's distributions that a page's name is of, and the page's number; null for other names. */
export function dasPage(name: string): { readonly corpus: Corpus; readonly page: number } | null {
  const [, of = "", digits = ""] = /^(.+)-page-(\d{1,4})$/.exec(name) ?? [];
  const corpus = of === "" ? null : dasCorpus(of);
  if (!corpus) return null;
  const page = Number(digits);
  const pages = corpus.shapes.length;
  if (page < 1 || page > pages || pageNameOf(of, pages, page) !== name)
    throw new UserError(
      `no page ${name}: corpus ${of} has ${pageNameOf(of, pages, 1)} to ${pageNameOf(of, pages, pages)}`,
    );
  return { corpus, page };
}
