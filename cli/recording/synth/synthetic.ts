// A page that Trilane makes, by its name: one of the catalogue, a video page, or one of a corpus of Das's distributions. What it has and
// how it is written; the bytes come from page.ts, video/ and cli/recording/corpus.
import { UserError } from "../../base/errors.ts";
import type { Archive, JsonObject, Recording } from "../archive/archive.ts";
import { sourceOf } from "../archive/recording_source.ts";
import { retryOnNameTaken } from "../archive/retry_on_name_taken.ts";
import { dasPage } from "../corpus/corpus.ts";
import { isPageOf, type SharedBodies, writeCorpusPage } from "../corpus/stored_corpus.ts";
import { pageSpec } from "./catalogue.ts";
import { generation, synthPage } from "./page.ts";
import { ClipStore } from "./video/clip_store.ts";
import { isCurrentVideo, videoNotes, videoPage, videoUrl } from "./video/video_page.ts";
import { isVideoName, videoBytes, videoExchanges, videoSpec } from "./video/video_spec.ts";

// Puts a synthetic page into the archive, once: the next time it finds it there. The recording is called as the page.

/** What is known of the archive where many pages are made ready, so that it is listed once and shared bodies are sent once. */
interface Known {
  readonly recordings: ReadonlyMap<string, Recording>;
  readonly bodies: SharedBodies;
}

/** The page's recording, written first if it is not there yet (or was written by an earlier generation of the maker). */
export async function ensureSynth(archive: Archive, name: string, known?: Known): Promise<Recording> {
  let first = known;
  return await retryOnNameTaken(() => {
    // Another process may have written it meanwhile.
    const now = first;
    first = undefined;
    return findOrWrite(archive, name, now);
  });
}

async function findOrWrite(archive: Archive, name: string, known: Known | undefined): Promise<Recording> {
  const page = synthetic(name);
  const existing = known
    ? known.recordings.get(name)
    : (await archive.list()).find((recording) => recording.name === name);
  if (existing) {
    if (existing.source !== sourceOf(name))
      throw new UserError(
        `recording ${name} is not the synth page of that name (it is "${existing.source}"): \`trilane remove ${name}\` first`,
      );
    if (page.isCurrent(existing)) return existing;
  }
  return page.write(archive, existing !== undefined, known?.bodies);
}

export interface Synthetic {
  /** About; the document of a page of the catalogue is as long as its tags. */
  readonly exchanges: number;
  readonly body_bytes: number;
  /** Whether a recording of this name and source is the page as it would be made today. */
  isCurrent(recording: Recording): boolean;
  /** Stored whole or not at all. `bodies`: of pages of a corpus that were written before. */
  write(archive: Archive, replace: boolean, bodies?: SharedBodies): Promise<Recording>;
}

function ofCatalogue(name: string): Synthetic {
  const spec = pageSpec(name);
  const object_bytes = spec.objects.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  return {
    exchanges: spec.objects.length + 1,
    body_bytes: object_bytes + (spec.document_bytes ?? 1000),
    isCurrent: ({ notes }) => notes.generation === generation,
    write: (archive, replace) => {
      const page = synthPage(spec);
      const notes: JsonObject = { generation, summary: spec.summary, hosts: spec.hosts };
      return archive.write({ name, url: page.url, source: sourceOf(name), notes, replace }, async (writer) => {
        for (const exchange of page.exchanges) await writer.add(exchange);
      });
    },
  };
}

function ofVideo(name: string): Synthetic {
  const spec = videoSpec(name);
  return {
    exchanges: videoExchanges(spec),
    body_bytes: videoBytes(spec),
    isCurrent: ({ notes }) => isCurrentVideo(notes),
    write: async (archive, replace) => {
      // Before the archive is written to: encoding takes seconds.
      const page = await videoPage(spec, new ClipStore(archive.home));
      const notes = videoNotes(page);
      return archive.write({ name, url: videoUrl, source: sourceOf(name), notes, replace }, async (writer) => {
        for (const exchange of page.exchanges()) await writer.add(exchange);
      });
    },
  };
}

/** UserError for a name of no page that can be made. */
export function synthetic(name: string): Synthetic {
  if (isVideoName(name)) return ofVideo(name);
  const found = dasPage(name);
  if (!found) return ofCatalogue(name);
  const { corpus, page } = found;
  const sizes = corpus.sizes[page - 1] ?? [];
  return {
    exchanges: sizes.length,
    body_bytes: sizes.reduce((sum, size) => sum + size, 0),
    isCurrent: (recording) => isPageOf(recording, corpus, page),
    write: (archive, replace, bodies) =>
      writeCorpusPage(archive, corpus, page, { name, source: sourceOf(name), replace, notes: {} }, bodies),
  };
}
