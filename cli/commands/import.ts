// `trilane import`: puts a page load from a HAR file into the archive and says what it is made of. The work is cli/import's.
import type { Argv } from "yargs";
import type { Recording } from "../archive/archive.ts";
import { withArchive } from "../archive/client.ts";
import { UserError } from "../errors.ts";
import { homeFolder } from "../home.ts";
import { readPage, storePage } from "../import/import_file.ts";
import type { ImportedPage } from "../import/import_har.ts";
import { importedDocument } from "../import/imported.ts";
import { noteLines } from "../import/notes.ts";
import { recordingName } from "../import/recording_name.ts";
import { count, formatSize } from "../stats/numbers.ts";
import type { Command, CommonOptions } from "./command.ts";

interface ImportOptions extends CommonOptions {
  file: string;
  name: string | undefined;
  page: number | undefined;
  url: string | undefined;
  document: number | undefined;
  replace: boolean;
}

function mustCount(value: number | undefined, option: string): void {
  if (value !== undefined && !(Number.isInteger(value) && value >= 1))
    throw new UserError(`${option} is a whole number from 1 (got "${value}")`);
}

function printRecording(recording: Recording, imported: ImportedPage): void {
  const { name, url, exchanges, hosts, addresses, body_bytes } = recording;
  const size = `${count(hosts, "host")}, ${count(addresses, "address", "addresses")}, ${formatSize(body_bytes)}`;
  const lines = [
    `${name}: ${count(exchanges, "exchange")}, ${size}, ${url}`,
    ...noteLines(imported.notes).map((line) => `  ${line}`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

function warn({ notes, url }: ImportedPage): void {
  if (notes.documents.length > 0) return;
  process.stderr.write(
    `trilane: warning: the start URL ${url} has no response in the HAR: a load of it will fail (see --url)\n`,
  );
}

export const command: Command<ImportOptions> = {
  usage: "import <file>",
  summary: "Put a page load from a HAR file into the archive",
  define: (yargs: Argv<CommonOptions>) =>
    yargs
      .positional("file", { type: "string", demandOption: true, describe: ".har or .har.gz; - for standard input" })
      .option("name", { type: "string", describe: "what to call the recording (default: the file's name)" })
      .option("page", { type: "number", describe: "which page of the file, from 1 (default: the first)" })
      .option("url", { type: "string", describe: "start URL, where the file names none or another" })
      .option("document", {
        type: "number",
        describe: "begin with the start URL's N-th response (default: the first that is a page)",
      })
      .option("replace", { type: "boolean", default: false, describe: "take the place of a recording of that name" })
      .example("trilane import shop.har.gz", "from Chrome, Firefox, WebPageTest, browsertime")
      .example("trilane import run.har --page 2 --name shop-repeat", "the second page of the file")
      .example("zcat shop.har.gz | trilane import - --name shop", "from standard input"),
  async run(given) {
    // yargs hands a lone dash on as an empty text.
    const options = given.file === "" ? { ...given, file: "-" } : given;
    const { file, page, url, document, replace } = options;
    mustCount(page, "--page");
    mustCount(document, "--document");
    const imported = await readPage(file, { page, url, document });
    const name = options.name ?? recordingName(file, imported.url);
    const recording = await withArchive(homeFolder(options.home), (archive) =>
      storePage(archive, name, imported, replace),
    );
    warn(imported);
    if (options.json) process.stdout.write(`${JSON.stringify(importedDocument([recording]))}\n`);
    else printRecording(recording, imported);
  },
};
