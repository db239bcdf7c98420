// Puts a synthetic page into the archive, once: asked again it finds it there. The recording is called as the page.

import { UserError } from "../../base/errors.ts";
import type { Archive, Recording } from "../archive/archive.ts";
import { sourceOf } from "../archive/recording_source.ts";
import { retryOnNameTaken } from "../archive/retry_on_name_taken.ts";
import type { SharedBodies } from "../corpus/stored_corpus.ts";
import { synthetic } from "./synthetic.ts";

/** What is known of the archive where many pages are made ready, so that it is listed once and shared bodies are sent once. */
export interface Known {
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
