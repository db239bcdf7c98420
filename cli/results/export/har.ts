// Loads as one HAR 1.2 file, a HAR page each: the stored page loads with the fields added that WebPageTest's readers look for.
// What is Trilane's own stands under `_trilane`, by schemas/export-har.schema.json.
import { withReaderFields } from "../../../extension/har/reader_fields.ts";
import { entryForReaders, withoutSecrets } from "../../../extension/har/redact.ts";
import type { HarEntry, PageLoad } from "../../../schemas/generated/page_load.ts";
import { version } from "../../base/version.ts";
import type { Load, Sweep } from "../store/results.ts";

/** What is exported: rows, and how to get at each one's page load, one at a time. */
interface HarSource {
  readonly sweep: Sweep;
  readonly loads: readonly Load[];
  readonly pageLoadOf: (load: number) => PageLoad;
  /** Else the values of cookies and authorization, and of what is secret by its name, are crossed out. */
  readonly keepCredentials?: boolean;
}

function entryFor(entry: HarEntry, load: number, alone: boolean): HarEntry {
  const id = entry._connectionId ?? entry.connection;
  // A browser counts its connections from the start again: in one file two loads' must not look the same.
  return withReaderFields(entry, `load_${load}`, id === undefined || alone ? id : `${load}-${id}`);
}

function pageFor(load: Load, { log }: PageLoad): object {
  const [page] = log.pages;
  return {
    ...page,
    id: `load_${load.id}`,
    comment: `${load.page}, ${load.lane}, ${load.link}, block ${load.block}, attempt ${load.attempt}: ${load.status}`,
    _trilane: log._trilane,
  };
}

/** The document in pieces, so that hundreds of loads need no memory for all of them at once. */
export function* harPieces({ sweep, loads, pageLoadOf, keepCredentials = false }: HarSource): Generator<string> {
  const [first] = loads;
  const browser = first ? pageLoadOf(first.id).log.browser : { name: "unknown", version: "" };
  const head = { version: "1.2", creator: { name: "Trilane", version }, browser };
  yield `{"log":${JSON.stringify(head).slice(0, -1)},"pages":[`;
  let comma = "";
  for (const load of loads) {
    const page = pageFor(load, pageLoadOf(load.id));
    yield comma + JSON.stringify(keepCredentials ? page : withoutSecrets(page));
    comma = ",\n";
  }
  yield `],\n"entries":[`;
  comma = "";
  for (const load of loads) {
    for (const entry of pageLoadOf(load.id).log.entries) {
      const readable = keepCredentials ? entry : entryForReaders(entry);
      yield comma + JSON.stringify(entryFor(readable, load.id, loads.length === 1));
      comma = ",\n";
    }
  }
  const facts = {
    schema: "trilane/export-har/1",
    sweep: { id: sweep.id, name: sweep.name, plan_digest: sweep.plan_digest, seed: sweep.seed },
    loads: loads.map((load) => ({ page: `load_${load.id}`, load: load.id, block: load.block, attempt: load.attempt })),
  };
  yield `],\n"_trilane":${JSON.stringify(facts)}}}\n`;
}
