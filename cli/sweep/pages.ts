// The recordings behind a plan's pages: found in the archive, or made where a plan names a synthetic page. On the command
// line a page may also be a HAR file, which is imported. Reads and writes only through cli/archive, cli/synth, cli/import.
import type { PageReady } from "../../schemas/generated/sweep_event.ts";
import type { PlanPage } from "../../schemas/generated/sweep_plan.ts";
import type { Archive, Recording } from "../archive/archive.ts";
import { withArchive } from "../archive/client.ts";
import { lookAgainWhereTaken } from "../archive/look_again.ts";
import { UserError } from "../errors.ts";
import type { Credentials } from "../import/headers.ts";
import { readPage, storePage } from "../import/import_file.ts";
import type { ImportedPage } from "../import/import_har.ts";
import { inputName } from "../import/read.ts";
import { recordingName } from "../import/recording_name.ts";
import { type PageSpec, pageSpec } from "../synth/catalogue.ts";
import { ensureSynth } from "../synth/ensure.ts";
import { refuseSame } from "./contradictions.ts";
import type { PageSize } from "./estimate.ts";
import { isPattern, matchRecordings } from "./page_patterns.ts";
import { type Plan, pageName } from "./plan.ts";

/** What a synthetic page is made of; null where no such page can be made. */
function synthSpec(name: string): PageSpec | null {
  try {
    return pageSpec(name);
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
  return { ...plan, pages: matchRecordings(plan.pages, [...recordings.keys()]) as Plan["pages"] };
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
      const { objects, document_bytes } = pageSpec(name);
      const object_bytes = objects.reduce((sum, object) => sum + object.size_bytes, 0);
      return [name, { exchanges: objects.length + 1, body_bytes: object_bytes + (document_bytes ?? 1000) }];
    }),
  );
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
    for (const page of pages) if (typeof page !== "string") pageSpec(page.synth);
    const ready = new Map<string, Recording>();
    for (const page of pages) {
      const name = pageName(page);
      const recording = typeof page === "string" ? recordings.get(page) : await ensureSynth(archive, page.synth);
      if (!recording) throw missing(name);
      ready.set(name, recording);
      const { digest, exchanges, body_bytes } = recording;
      tell({ event: "page-ready", page: name, recording_digest: digest, exchanges, body_bytes });
    }
    refuseSamePages(ready.values());
    return ready;
  });
}

interface FilePage {
  /** The recording's name. */
  readonly name: string;
  readonly imported: ImportedPage;
}

/** The page of a HAR file. */
async function filePage(file: string, credentials?: Credentials): Promise<FilePage> {
  const imported = await readPage(file, { credentials });
  const { url, notes } = imported;
  if (notes.documents.length === 0) {
    throw new UserError(
      `${inputName(file)}: has no response to ${url}: give the start URL with \`trilane import --url\``,
    );
  }
  return { name: recordingName(file, url), imported };
}

/** Whether there is a recording of the page, whose place it takes. UserError where its name is another page's. */
async function isThere(
  archive: Archive,
  file: string,
  { name, imported: { url, source } }: FilePage,
): Promise<boolean> {
  const before = (await archive.list()).find((recording) => recording.name === name);
  if (before && (before.url !== url || before.source !== source)) {
    throw new UserError(
      `${inputName(file)}: recording ${name} is of another page: bring this one in with \`trilane import --name\``,
    );
  }
  return before !== undefined;
}

/** Imports a HAR file and returns the recording's name. Raced again, the file takes the place of what it gave before. */
async function importFile(home: string, file: string, credentials?: Credentials): Promise<string> {
  const page = await filePage(file, credentials);
  const { name, imported } = page;
  return await withArchive(home, async (archive) => {
    await lookAgainWhereTaken(async () => storePage(archive, name, imported, await isThere(archive, file, page)));
    return name;
  });
}

/** No recording's name has a slash, and none ends like a file but by intent. */
const isFile = (word: string): boolean => word.includes("/") || /\.(har|har\.gz|json|gz)$/i.test(word);

/** As pageFor, but a HAR file is only read: the page and, of a file, the size that its recording would have. */
export async function pageUnstored(home: string, word: string): Promise<{ page: PlanPage; size: PageSize | null }> {
  if (!isFile(word)) return { page: await pageFor(home, word), size: null };
  const page = await filePage(word);
  const { name, imported } = page;
  await withArchive(home, (archive) => isThere(archive, word, page));
  let exchanges = 0;
  let body_bytes = 0;
  for (const { body } of imported.exchanges) {
    exchanges++;
    body_bytes += body?.byteLength ?? 0;
  }
  return { page: name, size: { exchanges, body_bytes } };
}

/** A page as a user names it: a HAR file, a recording, or a page of `trilane synth`. `credentials`: a file's; default redacted. */
export async function pageFor(home: string, word: string, credentials?: Credentials): Promise<PlanPage> {
  if (isFile(word)) return await importFile(home, word, credentials);
  const recordings = await withArchive(home, recordingsByName);
  if (recordings.has(word) && recordings.get(word)?.source !== `synth: ${word}`) return word;
  if (synthSpec(word)) return { synth: word };
  throw new UserError(
    `no page ${word}: name a recording (\`trilane list\`), a page of \`trilane synth --list\`, or a HAR file`,
  );
}
