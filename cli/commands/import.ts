// `trilane import`: puts a page load that another program recorded into the archive and says what it is made of. The work is
// cli/recording/import's.

import { credentialsInWords } from "../../extension/har/secrets.ts";
import { RunError, UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { count, formatSize } from "../base/numbers.ts";
import { flag, number } from "../base/option.ts";
import { printJson, printLines, say } from "../base/terminal_text.ts";
import { chosenPage, recordedRefusal } from "../pages/choose_model.ts";
import { withArchive } from "../recording/archive/client.ts";
import { type Format, formats, importFormats } from "../recording/import/formats.ts";
import { type ImportResult, importAny } from "../recording/import/import_any.ts";
import { progress } from "../recording/import/import_file.ts";
import { importMany, manyFiles, manyTable } from "../recording/import/import_many.ts";
import { importedDocument } from "../recording/import/imported.ts";
import { chosenDevice, defineDevice } from "../recording/record/device_options.ts";
import { defineAs } from "../sweep/plan/as_option.ts";
import { pageName } from "../sweep/plan/page_patterns.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .with(defineDevice)
    .with(defineAs)
    .positional("file", {
      array: true,
      demandOption: true,
      describe: `${formats.map((each) => importFormats[each].words).join(", ")}; a folder of HARs; - for standard input`,
    })
    .option("format", { describe: `${formats.join(", ")} (default: found out)` })
    .option("name", { describe: "what to call the recording (default: the file's name)" })
    .option("page", number(fromOne, { describe: "which page of a HAR, from 1 (default: the first)" }))
    .option("url", { describe: "start URL, where the file names none or another" })
    .option(
      "document",
      number(fromOne, { describe: "begin with the start URL's N-th response (default: the first that is a page)" }),
    )
    .option(
      "keep-credentials",
      flag(`keep the values of ${credentialsInWords}, which are otherwise masked; URLs and bodies always stay`),
    )
    .option("replace", flag("take the place of a recording of that name"))
    .example("trilane import shop.har.gz", "from Chrome, Firefox, WebPageTest, browsertime")
    .example("trilane import shop.har --as model", "and whatever loads it loads a page of the same shape in its place")
    .example("trilane import hars/", "each HAR in a folder, with a table of what was made of each")
    .example("trilane import shop/", "a folder that mm-webrecord wrote")
    .example("trilane import shop.wprgo --url https://shop.example/", "a Web Page Replay archive")
    .example("trilane import run.har --page 2 --name shop-repeat", "the second page of the file")
    .example("zcat shop.har.gz | trilane import - --name shop", "from standard input");

type ImportOptions = OptionsOf<typeof define>;

function mustCount(value: number | undefined, option: string): void {
  if (value !== undefined && !(Number.isInteger(value) && value >= 1))
    throw new UserError(`${option} is a whole number from 1 (got "${value}")`);
}

function readFormat(named: string | undefined): Format | undefined {
  const format = formats.find((known) => known === named);
  if (named === undefined || format) return format;
  throw new UserError(`--format must be one of ${formats.join(", ")} (got ${JSON.stringify(named)})`);
}

function printRecording({ recording, lines: notes }: ImportResult): void {
  const { name, url, exchanges, hosts, addresses, body_bytes } = recording;
  const size = `${count(hosts, "host")}, ${count(addresses, "address", "addresses")}, ${formatSize(body_bytes)}`;
  const lines = [`${name}: ${count(exchanges, "exchange")}, ${size}, ${url}`, ...notes.map((line) => `  ${line}`)];
  printLines(lines);
}

function warn({ recording, hasDocument }: ImportResult): void {
  if (hasDocument) return;
  say(
    `trilane: warning: the start URL ${recording.url} has no response in the recording: a load of it will fail (see --url)`,
  );
}

/** It stays imported: another `--as` of whatever loads it has the last word. */
async function warnRefused(home: string, name: string): Promise<void> {
  const refusal = recordedRefusal(await withArchive(home, (archive) => archive.show(name)));
  if (refusal !== null) say(`trilane: warning: ${refusal}`);
}

/** What only one file can have. */
const ofOneFile = ["name", "page", "url", "document", "format", "as"] as const;

async function importAll(home: string, files: readonly string[], options: ImportOptions): Promise<void> {
  const wrong = ofOneFile.find((name) => options[name] !== undefined);
  if (wrong !== undefined)
    throw new UserError(`--${wrong} is for one file, and these are ${files.length}: leave it out`);
  const credentials = options["keep-credentials"] ? "kept" : "redacted";
  const choice = { replace: options.replace, credentials, device: chosenDevice(options) } as const;
  const results = await withArchive(home, (archive) => importMany(archive, files, choice, progress("files")));
  const recordings = results.flatMap(({ recording }) => recording ?? []);
  const refused = results.filter(({ recording }) => recording === null);
  if (!options.json) printLines(manyTable(results));
  const [first] = refused;
  if (recordings.length === 0)
    throw new UserError(`none of ${count(files.length, "file")} was imported: ${first?.file}: ${first?.words}`);
  if (options.json) printJson(importedDocument(recordings, refused));
  if (refused.length > 0) throw new RunError(`${refused.length} of ${count(files.length, "file")} not imported`);
}

const fromOne = { least: 1, whole: true } as const;

export const command: Command<ImportOptions> = {
  usage: "import <file..>",
  summary: "Import page loads from HARs, Mahimahi or Web Page Replay",
  define,
  async run(options) {
    const { page, url, document, replace, as, compute } = options;
    mustCount(page, "--page");
    mustCount(document, "--document");
    const home = homeFolder(options.home);
    const files = await manyFiles(options.file);
    if (files !== null) return await importAll(home, files, options);
    const [file = "-"] = options.file;
    const imported = await withArchive(home, (archive) =>
      importAny(archive, {
        file,
        format: readFormat(options.format),
        name: options.name,
        page,
        url,
        document,
        replace,
        as,
        device: chosenDevice(options),
        credentials: options["keep-credentials"] ? "kept" : "redacted",
      }),
    );
    warn(imported);
    if (options.json) printJson(importedDocument([imported.recording]));
    else printRecording(imported);
    const { name } = imported.recording;
    if (as === "model") {
      const model = await chosenPage(home, name, { as, compute, say: () => {} });
      say(`${name}: will be raced as a modelled page, ${pageName(model)}`);
    }
    if (as === "recorded") await warnRefused(home, name);
  },
};
