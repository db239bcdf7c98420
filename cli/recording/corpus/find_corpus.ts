// A corpus in the archive by its name: its recordings, and the distributions that it was made of. UserError where it is not
// there, or not whole.
import { UserError } from "../../base/errors.ts";
import type { Archive, Recording } from "../archive/archive.ts";

import { das2014Distributions, distributionsOf, type PageDistributions } from "./distributions.ts";
import { corpusNotesOf } from "./stored_corpus.ts";

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
