// The recordings behind a plan's pages: found in the archive, or made where a plan names a synthetic page. On the command
// line a page may also be a file, which is imported, or a URL, which is recorded. Reads and writes only through cli/recording/archive,
// cli/recording/synth, cli/recording/import and cli/recording/record.
import type { PageReady } from "../../schemas/generated/sweep_event.ts";
import type { PlanPage } from "../../schemas/generated/sweep_plan.ts";
import { UserError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import { count, formatSize } from "../base/numbers.ts";
import { shellWord } from "../base/shell_word.ts";
import { say } from "../base/terminal_text.ts";
import { type Device, deviceIn } from "../browser/device.ts";
import type { Archive, JsonObject, Recording } from "../recording/archive/archive.ts";
import { withArchive } from "../recording/archive/client.ts";
import { sourceOf } from "../recording/archive/recording_source.ts";
import { retryOnNameTaken } from "../recording/archive/retry_on_name_taken.ts";
import { corpusRecordings } from "../recording/corpus/corpus.ts";
import { namedCorpus } from "../recording/corpus/corpus_names.ts";
import { SharedBodies } from "../recording/corpus/stored_corpus.ts";
import { fileEnding, recordingName } from "../recording/import/formats.ts";
import { type Candidate, importAny } from "../recording/import/import_any.ts";
import { readPage } from "../recording/import/import_file.ts";
import { inputName } from "../recording/import/read.ts";
import { defaultLiveChoice } from "../recording/record/options.ts";
import { recordUrl, usualQuiet_ms, usualTimeout_s } from "../recording/record/record_url.ts";
import { nameForUrl, pageUrl } from "../recording/record/words.ts";
import { catalogue } from "../recording/synth/catalogue.ts";
import { ensureSynth, type Synthetic, synthetic } from "../recording/synth/synthetic.ts";
import type { PageSize } from "../sweep/plan/estimate.ts";
import { expandPages, isPattern, matchRecordings, pageName } from "../sweep/plan/page_patterns.ts";
import { isUrl, type PageChoice } from "../sweep/plan/page_source.ts";
import type { Plan } from "../sweep/plan/plan_document.ts";
import { refuseSame } from "../sweep/plan/refuse_same.ts";
import { videoNamed, videoOf } from "../sweep/plan/video_pages.ts";

/** What a synthetic page is made of; null where no such page can be made. */
function synthSpec(name: string): Synthetic | null {
  try {
    return synthetic(name);
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

function missing(name: string): UserError {
  const remedy = synthSpec(name)
    ? `write {"synth": "${name}"} in the plan, or make it with \`trilane synth ${name}\``
    : "see `trilane list`, or bring it in with `trilane import FILE.har`";
  return new UserError(`no recording is called ${name}: ${remedy}`);
}

async function recordingsByName(archive: Archive): Promise<Map<string, Recording>> {
  return new Map((await archive.list()).map((recording) => [recording.name, recording]));
}

/** The plan with the recordings that its patterns match. UserError where one matches none. */
export async function withMatchedPages(home: string, plan: Plan): Promise<Plan> {
  if (!plan.pages.some(isPattern)) return plan;
  const recordings = await withArchive(home, recordingsByName);
  const pagesOf = (corpus: string) => corpusRecordings([...recordings.values()], corpus).map(({ name }) => name);
  return { ...plan, pages: matchRecordings(plan.pages, [...recordings.keys()], pagesOf) as Plan["pages"] };
}

/** UserError where two names are of one recording. */
function refuseSamePages(recordings: Iterable<Recording>): void {
  refuseSame(
    [...recordings].map(({ name, digest }) => ({ name, key: digest })),
    "page",
  );
}

/** How large the pages are, also those still to be made. Makes none. UserError for a recording that is not there. */
export async function pageSizes(
  home: string,
  pages: readonly PlanPage[],
  unstored: ReadonlyMap<string, PageSize> = new Map(),
): Promise<Map<string, PageSize>> {
  const recordings = await withArchive(home, recordingsByName);
  refuseSamePages(pages.flatMap((page) => recordings.get(pageName(page)) ?? []));
  return new Map(
    pages.map((page) => {
      const name = pageName(page);
      const size = unstored.get(name) ?? recordings.get(name);
      if (size) return [name, size];
      if (typeof page === "string") throw missing(name);
      const { exchanges, body_bytes } = synthetic(name);
      return [name, { exchanges, body_bytes, source: sourceOf(name) }];
    }),
  );
}

/** A recording is recognised by where it is from, whatever it is called. */
export async function playsVideo(home: string, page: PlanPage): Promise<boolean> {
  if (typeof page !== "string") return videoNamed(page.synth) !== null;
  return videoOf((await withArchive(home, recordingsByName)).get(page)) !== null;
}

/** Every page's recording by its name; synthetic pages are made where they are missing. */
export async function preparePages(
  home: string,
  pages: readonly PlanPage[],
  tell: (event: PageReady) => void,
): Promise<Map<string, Recording>> {
  return await withArchive(home, async (archive) => {
    const recordings = await recordingsByName(archive);
    // Before the first page is made, which may take seconds.
    const unknown = pages.find((page) => typeof page === "string" && !recordings.has(page));
    if (typeof unknown === "string") throw missing(unknown);
    for (const page of pages) if (typeof page !== "string") synthetic(page.synth);
    const ready = new Map<string, Recording>();
    const known = { recordings, bodies: new SharedBodies() };
    for (const page of pages) {
      const name = pageName(page);
      const recording = typeof page === "string" ? recordings.get(page) : await ensureSynth(archive, page.synth, known);
      if (!recording) throw missing(name);
      ready.set(name, recording);
      const { digest, exchanges, body_bytes } = recording;
      tell({ event: "page-ready", page: name, recording_digest: digest, exchanges, body_bytes });
    }
    refuseSamePages(ready.values());
    return ready;
  });
}

/** No recording's name has a slash, and none ends like a file but by intent. `-`: standard input. */
const isFile = (word: string): boolean =>
  word === "-" || word.includes("/") || /\.json$/i.test(word) || word.replace(fileEnding, "") !== word;

/** Whose place a file's recording takes: that of the same page; null: none is there. UserError where its name is another page's. */
async function replaced(archive: Archive, file: string, candidate: Candidate): Promise<Recording | null> {
  const { name, url, source, hasDocument } = candidate;
  if (!hasDocument)
    throw new UserError(
      `${inputName(file)}: has no response to ${url}: give the start URL with \`trilane import --url\``,
    );
  const before = (await archive.list()).find((recording) => recording.name === name);
  if (before && (before.url !== url || before.source !== source))
    throw new UserError(
      `${inputName(file)}: recording ${name} is of another page: bring this one in with \`trilane import --name\``,
    );
  return before ?? null;
}

/** Imports a file and returns the recording's name. Raced again, the file takes the place of what it gave before. */
async function importFile(home: string, file: string, { credentials, live, say }: PageChoice): Promise<string> {
  return await withArchive(home, async (archive) => {
    const { device } = live;
    const request = {
      file,
      credentials,
      device,
      replace: (candidate: Candidate) => replaced(archive, file, candidate),
    };
    const { recording, remarks } = await retryOnNameTaken(() => importAny(archive, request));
    say([`${inputName(file)}: imported as ${recording.name}`, ...remarks].join("; "));
    return recording.name;
  });
}

/** A recorded page's recording, if there is one. UserError where its name is another page's. */
async function recordedBefore(home: string, url: string, name: string): Promise<Recording | null> {
  const before = (await withArchive(home, recordingsByName)).get(name);
  if (!before) return null;
  if (before.url !== url || !before.source.startsWith("live: "))
    throw new UserError(`${url}: recording ${name} is of another page: record this one with \`trilane record --name\``);
  return before;
}

function visitsOf({ notes }: Recording): string {
  const visits = (notes.recorded as JsonObject | undefined)?.visits;
  return typeof visits === "number" ? ` in ${count(visits, "visit")}` : "";
}

const day_ms = 24 * 3600 * 1000;

/** The name of a live page's recording, which is made where there is none or a new one is requested. */
async function recordPageOf(home: string, word: string, choice: PageChoice): Promise<string> {
  const { live, recordAgain, credentials, pinTime, timeout_ms, say } = choice;
  const url = pageUrl(word);
  const name = nameForUrl(url);
  const before = await recordedBefore(home, url, name);
  if (before && !recordAgain) {
    const differs = Object.entries(live.device).some(
      ([name, value]) => JSON.stringify(deviceIn(before.notes.device)[name as keyof Device]) !== JSON.stringify(value),
    );
    if (differs)
      throw new UserError(`${url}: is recorded as ${name} on another device: --record-again records it on this one`);
    const days = Math.floor((Date.now() - Date.parse(before.recorded_at ?? before.created_at)) / day_ms);
    const age = days === 0 ? "less than a day" : count(days, "day");
    const again = `\`trilane record ${shellWord(url)} --replace\` records it anew`;
    say(`${url}: recorded as ${name} ${age} ago${visitsOf(before)}, used again (${again})`);
    return name;
  }
  const { stored, added } = await recordUrl(home, {
    ...{ ...live, url, name, pinTime, credentials, lane: "any", link: null, onlyPages: true },
    replace: before !== null,
    quiet_ms: usualQuiet_ms,
    timeout_ms,
    say,
  });
  const { exchanges, hosts, body_bytes } = stored.recording;
  const size = `${count(exchanges, "exchange")}, ${count(hosts, "host")}, ${formatSize(body_bytes)}`;
  const more = added.length > 0 ? ` (its further visits asked for ${added.join(", ")} more)` : "";
  say(`${url}: recorded as ${name}: ${size}${more}`);
  return name;
}

const usualChoice: PageChoice = {
  credentials: "redacted",
  live: defaultLiveChoice,
  pinTime: false,
  timeout_ms: usualTimeout_s * 1000,
  recordAgain: false,
  say,
};

/** As pageFor, but nothing is stored: the page and, of a HAR file, the size that its recording would have. */
export async function pageUnstored(home: string, word: string): Promise<{ page: PlanPage; size: PageSize | null }> {
  if (isUrl(word)) {
    const url = pageUrl(word);
    const name = nameForUrl(url);
    if (await recordedBefore(home, url, name)) return { page: name, size: null };
    throw new UserError(`${url}: is not recorded yet: \`trilane record ${shellWord(url)}\` first`);
  }
  if (!isFile(word)) return { page: await pageFor(home, word), size: null };
  const { url, source, notes, exchanges } = await readPage(word);
  const name = recordingName(word, url);
  const candidate = { name, url, source, hasDocument: notes.documents.length > 0 };
  await withArchive(home, (archive) => replaced(archive, word, candidate));
  const body_bytes = exchanges.reduce((sum, { body }) => sum + (body?.byteLength ?? 0), 0);
  return { page: name, size: { exchanges: exchanges.length, body_bytes } };
}

/** The pages that a word of the command line names: one, or with `corpus:NAME` all of a corpus. */
export async function pagesFor(home: string, word: string): Promise<PlanPage[]> {
  return namedCorpus(word) === null ? [await pageFor(home, word)] : await corpusPages(home, word);
}

/** `word`: `corpus:NAME`. */
export async function corpusPages(home: string, word: string): Promise<PlanPage[]> {
  const pages = expandPages([word]);
  if (!pages.some(isPattern)) return pages;
  const recordings = await withArchive(home, (archive) => archive.list());
  return matchRecordings(pages, [], (corpus) => corpusRecordings(recordings, corpus).map(({ name }) => name));
}

/**
 * A page as a user names it: a URL, which is recorded; a file or folder that `trilane import` reads; a recording; or a page
 * of `trilane synth`.
 */
export async function pageFor(home: string, word: string, given: Partial<PageChoice> = {}): Promise<PlanPage> {
  const choice = { ...usualChoice, ...given };
  if (namedCorpus(word) !== null)
    throw new UserError(
      `${word}: is a corpus of many pages: name one of them, or \`trilane sweep PLAN --page ${word}\``,
    );
  if (isUrl(word)) return await recordPageOf(home, word, choice);
  if (isFile(word)) return await importFile(home, word, choice);
  if (Object.keys(choice.live.device).length > 0)
    throw new UserError(
      `${word}: a device belongs to a recording: give it to \`trilane record --replace\` or \`trilane import --replace\``,
    );
  const recordings = await withArchive(home, recordingsByName);
  if (recordings.has(word) && recordings.get(word)?.source !== sourceOf(word)) return word;
  if (synthSpec(word)) return { synth: word };
  const asUrl = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(word) ? `https://${word}/` : null;
  const near = word === "" ? null : nearest(word, [...recordings.keys(), ...catalogue().map(({ name }) => name)]);
  const both = [near, asUrl].filter((each) => each !== null).join(" or ");
  const meant = both === "" ? "" : ` did you mean ${both}?`;
  throw new UserError(
    `no page ${word || '""'}:${meant} name a recording (\`trilane list\`), a page of \`trilane synth --list\`, a HAR file, or a URL`,
  );
}
