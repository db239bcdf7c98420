// From a HAR file to a recording in the archive, with progress where it takes long. What the file becomes is
// import_har.ts's, how it is stored is cli/recording/archive's.

import { UserError } from "../../base/errors.ts";
import { shellWord } from "../../base/shell_word.ts";
import { say } from "../../base/terminal_text.ts";
import type { Archive, JsonObject, Recording } from "../archive/archive.ts";
import { type ImportedPage, type ImportOptions, importHar } from "./import_har.ts";
import { inputName, readHar } from "./read.ts";
import { NoPageError } from "./select.ts";

const progressEvery_ms = 2000;

/** A line now and then, from when it has taken long enough for someone to wonder. */
export function progress(of = "responses", what = "import"): (done: number, total: number) => void {
  let next = performance.now() + progressEvery_ms;
  return (done, total) => {
    if (performance.now() < next || done === total) return;
    next = performance.now() + progressEvery_ms;
    say(`${what}: ${done} of ${total} ${of}`);
  };
}

/** What to do with a file that holds no page. */
function remedyOf(error: UserError, file: string): string {
  if (!(error instanceof NoPageError)) return "";
  return error.canBeFetched
    ? `: \`trilane fetch ${shellWord(file)}\` measures them, or give a page's start URL with --url`
    : ": record the page itself, in a browser";
}

/** The page of a `.har` or `.har.gz` file, `-` for standard input. UserError names the file and what is wrong in it. */
export async function readPage(
  file: string,
  choice: Omit<ImportOptions, "onExchange" | "remarks"> = {},
): Promise<ImportedPage> {
  const remarks: string[] = [];
  const json = await readHar(file, undefined, (line) => remarks.push(line));
  try {
    return importHar(json, { ...choice, remarks, onExchange: progress() });
  } catch (error) {
    // What is wrong is said of the entry; the file is known only here.
    if (error instanceof UserError) throw new UserError(`${inputName(file)}: ${error.message}${remedyOf(error, file)}`);
    throw error;
  }
}

/** Stores the page whole or not at all. UserError where the name is taken and `replace` is not given. */
export async function storePage(
  archive: Archive,
  name: string,
  { url, source, recorded_at, notes, exchanges }: ImportedPage,
  replace: boolean,
  moreNotes: JsonObject = {},
): Promise<Recording> {
  return await archive.write(
    { name, url, source, recorded_at, notes: { ...notes, ...moreNotes }, replace },
    async (writer) => {
      for (const exchange of exchanges) await writer.add(exchange);
    },
  );
}
