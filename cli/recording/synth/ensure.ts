// Puts a synthetic page into the archive, once: asked again it finds it there. The recording is called as the page.

import { UserError } from "../../base/errors.ts";
import type { Archive, Recording } from "../archive/archive.ts";
import { retryOnNameTaken } from "../archive/retry_on_name_taken.ts";
import { sourceOf, synthetic } from "./synthetic.ts";

/** The page's recording, written first if it is not there yet (or was written by an earlier generation of the maker). */
export async function ensureSynth(archive: Archive, name: string): Promise<Recording> {
  return await retryOnNameTaken(() => findOrWrite(archive, name));
}

async function findOrWrite(archive: Archive, name: string): Promise<Recording> {
  const page = synthetic(name);
  const existing = (await archive.list()).find((recording) => recording.name === name);
  if (existing) {
    if (existing.source !== sourceOf(name))
      throw new UserError(
        `recording ${name} is not the synth page of that name (it is "${existing.source}"): \`trilane remove ${name}\` first`,
      );
    if (page.isCurrent(existing)) return existing;
  }
  return page.write(archive, existing !== undefined);
}
