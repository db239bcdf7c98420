// From a recorded page to a recording in the archive, by the importer of HAR files.

import { UserError } from "../../base/errors.ts";
import { count, formatSize } from "../../base/numbers.ts";
import { type Device, usualDevice } from "../../browser/device.ts";
import type { Archive, JsonObject, Recording } from "../archive/archive.ts";
import type { Credentials } from "../import/headers.ts";
import { type ImportedPage, importPage } from "../import/import_har.ts";
import { noteLines } from "../import/notes.ts";
import type { RecordedLane } from "./chromium_arguments.ts";
import type { RecordedPage } from "./record_page.ts";
import type { RecordedUrl } from "./record_url.ts";

// What was recorded, in lines for a reader. Words only.

function protocolCounts({ imported }: StoredPage): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { exchange } of imported.exchanges) {
    const { protocol } = exchange.recorded;
    const name = typeof protocol === "string" ? protocol : "unknown";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

const protocolOf: Record<RecordedLane, string | null> = { any: null, h1: "http/1.1", h2: "h2", h3: "h3" };

/** The first line names the recording; what is remarkable follows. */
export function recordedLines({ stored, page, added, untimed }: RecordedUrl, lane: RecordedLane): string[] {
  const { name, url, exchanges, hosts, addresses, body_bytes } = stored.recording;
  const size = `${count(hosts, "host")}, ${count(addresses, "address", "addresses")}, ${formatSize(body_bytes)}`;
  const protocols = protocolCounts(stored);
  const lines = [
    `${name}: ${count(exchanges, "exchange")}, ${size}, ${url}`,
    `  protocols: ${[...protocols].map(([protocol, amount]) => `${amount} ${protocol}`).join(", ")}`,
  ];
  for (const [index, requests] of added.entries())
    lines.push(`  visit ${index + 2} asked for ${count(requests, "request")} more`);
  if (untimed !== null)
    lines.push(`  servers' times may be too short, as the visit over HTTP/1.1 that measures them failed: ${untimed}`);
  const refused = onlyErrors(stored.imported.notes.documents);
  if (refused !== null)
    lines.push(`  the start URL was answered ${refused}: an error or a challenge was recorded, not the page`);
  const wanted = protocolOf[lane];
  const off = exchanges - (wanted === null ? exchanges : (protocols.get(wanted) ?? 0));
  if (off > 0) lines.push(`  ${count(off, "exchange")} not over ${lane}`);
  const { answered, seen, unattended, under_way } = page.counts;
  lines.push(`  bytes on the wire: seen of ${seen} of ${count(answered, "response")}`);
  if (unattended > 0)
    lines.push(`  ${count(unattended, "exchange")} that only the network knew (shared workers, search descriptions)`);
  if (page.screensScrolled !== null) lines.push(`  scrolled: ${count(page.screensScrolled, "screen")}`);
  if (under_way > 0) lines.push(`  left out: ${count(under_way, "request")} still under way when the time was up`);
  lines.push(...noteLines(stored.imported.notes, "the browser").map((line) => `  ${line}`));
  return lines;
}

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
