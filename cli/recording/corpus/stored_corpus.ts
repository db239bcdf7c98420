// A corpus in the archive: each page a recording of its own, written whole or not at all, so that an interrupted run leaves
// whole pages and the same command makes the rest. Bodies that pages share are sent to the archive once.
import { createHash } from "node:crypto";
import { UserError } from "../../base/errors.ts";
import type { Archive, JsonObject, NewBody, NewExchange, NewRecording, Recording } from "../archive/archive.ts";
import { type Corpus, dasCorpus, pageNamesOf, pageOf } from "./corpus.ts";
import { type CorpusExchange, type CorpusPage, generation } from "./corpus_page.ts";
import type { PageDistributions } from "./distributions.ts";

/** What a recording of a corpus notes of it. */
type CorpusNotes = {
  readonly name: string;
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  readonly seed: number;
  /** SHA-256 of the distributions. */
  readonly like: string;
  readonly generation: number;
};

const distributionsDigest = (distributions: PageDistributions): string => {
  const { $schema: _, ...rest } = distributions;
  return createHash("sha256").update(JSON.stringify(rest)).digest("hex");
};

/** Null for a recording that is of no corpus. */
export function corpusNotesOf({ notes }: Pick<Recording, "notes">): CorpusNotes | null {
  const { corpus } = notes;
  if (typeof corpus !== "object" || corpus === null || Array.isArray(corpus)) return null;
  const noted = corpus as JsonObject;
  return typeof noted.name === "string" ? (noted as CorpusNotes) : null;
}

const notesFor = ({ name, distributions, seed, shapes }: Corpus, page: number): CorpusNotes => ({
  ...{ name, page, pages: shapes.length, seed, like: distributionsDigest(distributions), generation },
});

/** Which bodies the archive has already, by their keys; of pages that are stored. */
export class SharedBodies {
  readonly #stored = new Map<string, string>();

  /** The page's exchanges, with names for the bodies that are stored, and what to call when it is stored. */
  take({ exchanges }: CorpusPage): { exchanges: () => Generator<NewExchange<NewBody>>; stored: () => void } {
    const added = new Map<string, string>();
    const stored = this.#stored;
    function* all(): Generator<NewExchange<NewBody>> {
      for (const each of exchanges) yield { exchange: each.exchange, body: bodyOf(each) };
    }
    const bodyOf = ({ shared, body }: CorpusExchange): NewBody => {
      const sha256 = shared === null ? undefined : stored.get(shared);
      if (sha256 !== undefined) return { sha256 };
      const bytes = body();
      if (shared !== null) added.set(shared, createHash("sha256").update(bytes).digest("hex"));
      return bytes;
    };
    return {
      exchanges: all,
      stored: () => {
        for (const [key, sha256] of added) stored.set(key, sha256);
      },
    };
  }
}

/** Its notes stand beside those on the corpus. */
type PageToWrite = Pick<NewRecording, "name" | "source" | "replace" | "notes">;

/** Writes one page, whole or not at all. `page`: from 1. */
export async function writeCorpusPage(
  archive: Archive,
  corpus: Corpus,
  page: number,
  { name, source, replace, notes }: PageToWrite,
  bodies = new SharedBodies(),
): Promise<Recording> {
  const made = pageOf(corpus, page);
  const { exchanges, stored } = bodies.take(made);
  const recording = await archive.write(
    { name, url: made.url, source, notes: { ...notes, corpus: notesFor(corpus, page) }, replace },
    async (writer) => {
      for (const exchange of exchanges()) await writer.add(exchange);
    },
  );
  stored();
  return recording;
}

/** Whether a recording is the page that would be written again. */
export function isPageOf(recording: Recording, corpus: Corpus, page: number): boolean {
  return JSON.stringify(sorted(corpusNotesOf(recording))) === JSON.stringify(sorted(notesFor(corpus, page)));
}

const sorted = (notes: CorpusNotes | null): unknown =>
  notes && Object.entries(notes).sort(([a], [b]) => (a < b ? -1 : 1));

interface CorpusWritten {
  /** In the order of the pages. */
  readonly recordings: readonly Recording[];
  readonly made: number;
}

interface WriteCorpus {
  readonly sourceOf: (name: string) => string;
  /** Takes the place of pages of that name that are of another corpus, or of other distributions. */
  readonly replace: boolean;
  /** Called after each page; what it throws ends the run between two pages. */
  readonly onPage: (done: number, pages: number) => void;
}

/** Makes the pages that are not there. UserError, before the first is made, where a name is another recording's. */
export async function writeCorpus(
  archive: Archive,
  corpus: Corpus,
  { sourceOf, replace, onPage }: WriteCorpus,
): Promise<CorpusWritten> {
  const there = new Map((await archive.list()).map((recording) => [recording.name, recording]));
  const names = pageNamesOf(corpus);
  const isWhole = (name: string, page: number): boolean => {
    const before = there.get(name);
    return before !== undefined && before.source === sourceOf(name) && isPageOf(before, corpus, page);
  };
  for (const [place, name] of names.entries()) {
    const before = there.get(name);
    if (!before || isWhole(name, place + 1) || replace) continue;
    if (corpusNotesOf(before)?.generation !== generation && before.source === sourceOf(name)) continue;
    throw new UserError(
      `recording ${name} is not a page of this corpus (it is "${before.source}"): choose another --name, or --replace`,
    );
  }
  const bodies = new SharedBodies();
  const recordings: Recording[] = [];
  let made = 0;
  for (const [place, name] of names.entries()) {
    const page = place + 1;
    const before = there.get(name);
    if (before && isWhole(name, page)) recordings.push(before);
    else {
      // Those of Das are known by the name.
      const isFirst = place === 0 && dasCorpus(corpus.name) === null;
      const notes: JsonObject = isFirst ? { distributions: { ...corpus.distributions } as JsonObject } : {};
      const written = { name, source: sourceOf(name), replace: before !== undefined, notes };
      recordings.push(await writeCorpusPage(archive, corpus, page, written, bodies));
      made++;
    }
    onPage(page, names.length);
  }
  return { recordings, made };
}
