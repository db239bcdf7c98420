// What an import changed, made up or left out, as numbers for the archive and as lines for a reader. Counts only.
import { credentialsInWords } from "../../../extension/har/secrets.ts";
import { count, formatSize } from "../../base/numbers.ts";
import { type Device, deviceWords, usualDevice, warmCacheWords } from "../../browser/device.ts";
import type { BodyOrigin, Exchange, Header } from "../archive/archive.ts";
import type { AddressCounts } from "./addresses.ts";
import { type Body, bodySize } from "./body.ts";
import type { HarEntry } from "./har.ts";
import { headerValue } from "./headers.ts";
import { type FailureKind, fittingFailures, type Skipped, skippedWords } from "./skip_words.ts";

type Counts = Readonly<Record<string, number>>;

/** A type and not an interface, so that it is a JsonObject. */
export type ImportNotes = {
  /** Of the file. */
  readonly entries: number;
  readonly pages: number;
  readonly exchanges: number;
  readonly skipped: Skipped;
  /** Requests that failed when they were recorded; a load in which they fail again is as recorded. */
  readonly failed_urls: readonly string[];
  /** How each of them failed. */
  readonly failures: Readonly<Record<string, FailureKind>>;
  /** Further ones, for which there was no room. */
  readonly failures_left_out: number;
  readonly bodies: Readonly<Record<BodyOrigin, number>>;
  readonly filled_bytes: number;
  readonly filled_with: Counts;
  /** Text whose end the HAR does not have; counted among the filled. */
  readonly cut_off: number;
  /** Stored sizes against recorded ones, where a size was recorded. */
  readonly sizes: {
    readonly compared: number;
    readonly exact: number;
    readonly worst_error_bytes: number;
    readonly unknown: number;
  };
  readonly charset_changed: number;
  /** Called base64, and are not: taken as text. */
  readonly not_base64: number;
  /** Exchanges whose request had no method. */
  readonly methods_guessed: number;
  /** Servers whose round trip is not known, as their connections were opened ahead, and those where some of these were left out. */
  readonly round_trips: { readonly unknown: number; readonly guessed: number };
  /** How the file had to be read. */
  readonly remarks: readonly string[];
  readonly encoding_changed: number;
  readonly not_modified: number;
  readonly illegal_headers: number;
  /** Values of credentials that were crossed out. */
  readonly redacted_headers: number;
  readonly addresses_mapped: number;
  readonly addresses_invented: number;
  /** Statuses of the start URL's responses: none, and a browser that opens it finds nothing. */
  readonly documents: readonly number[];
  /** When the load event came, from the page's beginning, as start_offset_ms of schemas/recorded.schema.json; null: not known. */
  readonly load_event_ms: number | null;
  /** Caches answered most of it: its load event is not one over a network. */
  readonly mostly_cached: boolean;
  /** URLs that the recording browser had in its cache from before: its cache was warm. Loads begin with an empty one. */
  readonly cached_before: number;
  /** On which its loads are made. */
  readonly device: Device;
  /** What of it was recorded or requested; a trial load may try the rest otherwise. */
  readonly device_known: readonly (keyof Device)[];
};

interface Added {
  readonly entry: HarEntry;
  readonly body: Body;
  readonly exchange: Exchange;
  readonly illegalHeaders: number;
  readonly redactedHeaders: number;
  readonly recordedHeaders: readonly Header[];
}

interface Totals {
  readonly entries: number;
  readonly pages: number;
  readonly skipped: Skipped;
  readonly failures: Readonly<Record<string, FailureKind>>;
  readonly addresses: AddressCounts;
  readonly documents: readonly number[];
  readonly loadEvent_ms: number | null;
  readonly mostlyCached: boolean;
  readonly cachedBefore: number;
  readonly device: Partial<Device>;
  readonly methodsGuessed: number;
  readonly roundTrips: ImportNotes["round_trips"];
  readonly remarks: readonly string[];
}

export class NoteCounter {
  readonly #bodies: Record<BodyOrigin, number> = { recorded: 0, recompressed: 0, filled: 0, empty: 0 };
  readonly #filledWith: Record<string, number> = {};
  readonly #sizes = { compared: 0, exact: 0, worst_error_bytes: 0, unknown: 0 };
  readonly #counts = {
    filled_bytes: 0,
    cut_off: 0,
    charset_changed: 0,
    not_base64: 0,
    encoding_changed: 0,
    not_modified: 0,
    illegal_headers: 0,
    redacted_headers: 0,
  };

  add({ entry, body, exchange, illegalHeaders, redactedHeaders, recordedHeaders }: Added): void {
    this.#bodies[exchange.body_origin]++;
    if (exchange.body_origin === "filled") {
      this.#counts.filled_bytes += bodySize(body);
      const kind = body.filledWith ?? "bytes";
      this.#filledWith[kind] = (this.#filledWith[kind] ?? 0) + 1;
    }
    if (exchange.body_origin !== "empty") this.#compare(body);
    const encoded = headerValue(recordedHeaders, "content-encoding")?.toLowerCase() ?? null;
    const isChanged = encoded !== null && encoded !== "identity" && encoded !== body.encoding && !body.asOnWire;
    if (bodySize(body) > 0 && isChanged) this.#counts.encoding_changed++;
    if (body.cutOff) this.#counts.cut_off++;
    if (body.charset) this.#counts.charset_changed++;
    if (body.isNotBase64) this.#counts.not_base64++;
    if (entry.status === 304 && exchange.status === 200) this.#counts.not_modified++;
    this.#counts.illegal_headers += illegalHeaders;
    this.#counts.redacted_headers += redactedHeaders;
  }

  #compare(body: Body): void {
    const { transfer } = body;
    if (transfer.body_bytes === null) {
      this.#sizes.unknown++;
      return;
    }
    const error = Math.abs(bodySize(body) - transfer.body_bytes);
    this.#sizes.compared++;
    if (error === 0) this.#sizes.exact++;
    this.#sizes.worst_error_bytes = Math.max(this.#sizes.worst_error_bytes, error);
  }

  finish(totals: Totals): ImportNotes {
    const { entries, pages, skipped, addresses, documents, loadEvent_ms, mostlyCached, device } = totals;
    const { kept: failures, leftOut } = fittingFailures(totals.failures);
    return {
      entries,
      pages,
      exchanges: Object.values(this.#bodies).reduce((sum, amount) => sum + amount, 0),
      skipped,
      failed_urls: Object.keys(failures),
      failures,
      failures_left_out: leftOut,
      bodies: this.#bodies,
      filled_with: this.#filledWith,
      sizes: this.#sizes,
      ...this.#counts,
      addresses_mapped: addresses.mapped,
      addresses_invented: addresses.invented,
      documents,
      load_event_ms: mostlyCached ? null : loadEvent_ms,
      mostly_cached: mostlyCached,
      cached_before: totals.cachedBefore,
      device: { ...usualDevice, ...device },
      device_known: Object.keys(device) as (keyof Device)[],
      methods_guessed: totals.methodsGuessed,
      round_trips: totals.roundTrips,
      remarks: totals.remarks,
    };
  }
}

/** "12 of 20 entries; left out: 3 with no URL, 5 failed or aborted". */
export function entriesLine({ entries, exchanges, skipped }: ImportNotes): string {
  const reasons = skippedWords(skipped);
  const left = reasons === "" ? "" : `; left out: ${reasons}`;
  return `${exchanges} of ${count(entries, "entry", "entries")} imported${left}`;
}

function bodyLines(notes: ImportNotes, source: string): string[] {
  const { bodies, filled_bytes, filled_with, cut_off } = notes;
  const lines = [
    `bodies: ${bodies.recorded} as recorded, ${bodies.recompressed} compressed again, ${bodies.filled} filled, ${bodies.empty} empty`,
  ];
  if (bodies.filled > 0) {
    const kinds = Object.entries(filled_with).map(([kind, amount]) => `${amount} ${kind}`);
    lines.push(`filled with ${formatSize(filled_bytes)} that ${source} does not hold: ${kinds.join(", ")}`);
  }
  if (cut_off > 0)
    lines.push(`of these, ${count(cut_off, "body is", "bodies are")} cut off in the HAR: the rest is filled`);
  return lines;
}

function sizeLine({ compared, exact, worst_error_bytes, unknown }: ImportNotes["sizes"]): string {
  const worst = exact === compared ? "" : `, the others at most ${count(worst_error_bytes, "byte")} off`;
  const missing = unknown === 0 ? "" : `; ${count(unknown, "size is", "sizes are")} not recorded`;
  return `sizes on the wire: ${exact} of ${compared} as recorded${worst}${missing}`;
}

/** What any import changes of headers and addresses, what is zero left out. */
export function changeLines(
  notes: Pick<ImportNotes, "illegal_headers" | "redacted_headers" | "addresses_mapped" | "addresses_invented">,
): string[] {
  const changes: [number, string][] = [
    [notes.illegal_headers, "left out: headers that HTTP does not allow"],
    [notes.redacted_headers, `masked, length kept: values of ${credentialsInWords} (--keep-credentials keeps them)`],
    [notes.addresses_mapped, "mapped into 198.18.0.0/15: recorded addresses that are private, local or the lab's own"],
    [notes.addresses_invented, "without a recorded address: hosts, given one each of 198.18.0.0/15"],
  ];
  return changes.flatMap(([amount, words]) => (amount > 0 ? [`${amount} ${words}`] : []));
}

/** Of a start URL that is answered several times. */
export function documentLines({ documents }: Pick<ImportNotes, "documents">): string[] {
  if (documents.length < 2) return [];
  const statuses = documents.join(", ");
  return [
    `the start URL is answered ${documents.length} times (${statuses}): the load begins with the first page, or with --document N`,
  ];
}

/** The notes in plain words, what is zero left out. `source`: what may lack a body. */
export function noteLines(notes: ImportNotes, source = "the HAR"): string[] {
  const lines = [entriesLine(notes), ...notes.remarks, ...bodyLines(notes, source), sizeLine(notes.sizes)];
  const say = (amount: number, words: string): void => {
    if (amount > 0) lines.push(`${amount} ${words}`);
  };
  say(notes.methods_guessed, "without a method: read as GET, or as POST if something was posted");
  say(notes.not_base64, "called base64, which they are not: taken as text");
  say(notes.not_modified, "not modified (304): replayed as 200 with the body the HAR has");
  say(notes.charset_changed, "in a charset that cannot be written here: stored as UTF-8, header changed");
  say(notes.encoding_changed, "stored with another content-encoding than recorded, header changed");
  lines.push(...changeLines(notes));
  const { unknown, guessed } = notes.round_trips;
  say(
    unknown,
    "with a round trip that is not known (connections opened ahead of requests): servers, and so their own times",
  );
  say(guessed, "with connections opened ahead of requests, whose times were not taken for round trips: servers");
  const device = deviceWords(notes.device);
  if (device !== "") lines.push(`its loads are made on a device like the one that recorded it: ${device}`);
  if (notes.cached_before > 0) lines.push(warmCacheWords(notes.cached_before));
  if (notes.mostly_cached)
    lines.push("most of it came from the recording browser's cache: when its load event came is not taken from it");
  say(
    notes.failures_left_out,
    "failed, for which the recording has no room: a load may not know that they fail as they did",
  );
  return [...lines, ...documentLines(notes)];
}
