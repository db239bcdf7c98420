// From a recorded page to a recording in the archive, by the importer of HAR files.

import { UserError } from "../../base/errors.ts";
import { type Device, usualDevice } from "../../browser/device.ts";
import type { Archive, JsonObject, Recording } from "../archive/archive.ts";
import type { Credentials } from "../import/headers.ts";
import { type ImportedPage, importPage } from "../import/import_har.ts";
import type { RecordedPage } from "./record_page.ts";

interface RecordingOptions {
  readonly name: string;
  readonly url: string;
  readonly replace: boolean;
  /** Whether it was recorded through a link of its own. */
  readonly behindLink: boolean;
  /** Default: redacted. */
  readonly credentials?: Credentials;
  /** Refuses a start URL that was only answered with errors. */
  readonly onlyPages?: boolean;
  /** What it was recorded with, for the notes: lane, link, whether it was scrolled. */
  readonly circumstances: JsonObject;
  /** On which it was recorded, as far as it is not the usual one. */
  readonly device?: Partial<Device>;
}

export interface StoredPage {
  readonly recording: Recording;
  readonly imported: ImportedPage;
}

export async function storeRecorded(
  archive: Archive,
  recorded: RecordedPage,
  { name, url, replace, behindLink, credentials, onlyPages, circumstances, device }: RecordingOptions,
): Promise<StoredPage> {
  const found = importedFrom(recorded, url, behindLink, credentials);
  // What the page requested may look like another device's; it was this one.
  const imported = { ...found, notes: { ...found.notes, device: { ...usualDevice, ...device } } };
  const refused = onlyErrors(imported.notes.documents);
  if (onlyPages && refused !== null)
    throw new UserError(
      `${url}: was answered ${refused}, with an error or a challenge for robots in place of the page: save a HAR in your own browser and name that file`,
    );
  const { counts, screensScrolled } = recorded;
  const notes: JsonObject = {
    ...imported.notes,
    recorded: { ...circumstances, ...counts, screens_scrolled: screensScrolled },
  };
  const recording = await archive.write(
    { name, url: imported.url, source: imported.source, recorded_at: imported.recorded_at, notes, replace },
    async (writer) => {
      for (const exchange of imported.exchanges) {
        const large = imported.large.get(exchange);
        await writer.add(large ? { ...exchange, body: large.chunks() } : exchange);
      }
    },
  );
  return { recording, imported };
}

/** The last of a start URL's statuses where none of them is a page's or leads to one. */
export const onlyErrors = (statuses: readonly number[]): number | null =>
  statuses.every((status) => status >= 400) ? (statuses.at(-1) ?? null) : null;

function importedFrom(
  { load, browser }: RecordedPage,
  url: string,
  oneQueue: boolean,
  credentials: Credentials | undefined,
): ImportedPage {
  try {
    return importPage(load, { url, oneQueue, source: `live: ${browser}`, credentials });
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`${url}: ${error.message}`);
    throw error;
  }
}
