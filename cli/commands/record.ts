// `trilane record`: loads pages from their live servers and puts them into the archive. The work is cli/recording/record's.

import { existsSync } from "node:fs";
import { basename } from "node:path";
import { credentialsInWords } from "../../extension/har/secrets.ts";
import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { flag, number } from "../base/option.ts";
import { browserProgram } from "../base/programs.ts";
import { printJson, printLines, say } from "../base/terminal_text.ts";
import { readGivenLink } from "../link/profile_file.ts";
import type { Recording } from "../recording/archive/archive.ts";
import { withArchive } from "../recording/archive/client.ts";
import { importedDocument } from "../recording/import/imported.ts";
import { type RecordedLane, recordedLanes } from "../recording/record/chromium_arguments.ts";
import { defineLive, liveChoiceOf } from "../recording/record/options.ts";
import { recordUrl, usualQuiet_ms, usualTimeout_s } from "../recording/record/record_url.ts";
import { recordedLines } from "../recording/record/store.ts";
import { nameForUrl, pageUrl } from "../recording/record/words.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .with(defineLive)
    .positional("urls", { array: true, demandOption: true, describe: "URLs of the pages; without a scheme, https" })
    .option("name", { describe: "what to call the recording (default: host and path)" })
    .option("browser", { describe: "chromium or a program's path (default: Chromium, or what TRILANE_BROWSER names)" })
    .option("lane", {
      choices: recordedLanes,
      default: "any" as RecordedLane,
      describe: "h1, h2 or h3 to force it; any: what browser and site agree on",
    })
    .option("link", { describe: "load it through this link, as 10mbit/50ms (needs pasta)" })
    .option("pin-time", flag("the page's clock and random numbers as in every load with --pin-time"))
    .option(
      "idle",
      number(
        { least: 0, most: 86_400_000, unit: "ms" },
        { default: usualQuiet_ms, formerly: "quiet", describe: "ms without a request, after which the page is done" },
      ),
    )
    .option(
      "timeout",
      number(
        { least: 0, most: 86_400, unit: "seconds" },
        { default: usualTimeout_s, describe: "seconds after which it is done anyway" },
      ),
    )
    .option(
      "keep-credentials",
      flag(`keep the values of ${credentialsInWords}, which are otherwise masked; URLs and bodies always stay`),
    )
    .option("replace", flag("take the place of a recording of that name"))
    .example("trilane record https://shop.example/ --scroll", "to the end of the page, lazy images and all")
    .example("trilane record shop.example --lane h3 --name shop-h3", "over HTTP/3")
    .example("trilane record shop.example --visits 5", "for a page that asks for something else each time")
    .example("trilane record shop.example --resolve shop.example=192.0.2.7 --trust ca.pem", "from a staging server");

type RecordCommandOptions = OptionsOf<typeof define>;

interface Wanted {
  readonly url: string;
  readonly name: string;
}

/** Undefined: the usual one. UserError for Firefox, and where no program is there. */
function recorderOf(named: string | undefined): string | undefined {
  if (named !== undefined && /firefox/i.test(basename(named)))
    throw new UserError(
      `--browser ${named}: Chromium records, because Firefox changes the bytes of some bodies that it gives (cli/recording/README.md): ` +
        "record without --browser, then race NAME --browser firefox",
    );
  return named === undefined ? undefined : browserProgram(named);
}

/** What is to be recorded under which name, each of which must be free. */
async function wantedPages(home: string, { urls, name, replace }: RecordCommandOptions): Promise<Wanted[]> {
  if (name !== undefined && urls.length > 1) throw new UserError("--name names one recording: give one URL with it");
  const wanted = urls.map((text) => {
    const url = pageUrl(text);
    return { url, name: name ?? nameForUrl(url) };
  });
  const twice = wanted.find((each, index) => wanted.findIndex((other) => other.name === each.name) !== index);
  if (twice) throw new UserError(`two URLs would be called ${twice.name}: record them one by one, with --name`);
  // Before the page is loaded in vain.
  if (!replace && existsSync(home)) {
    const taken = new Set((await withArchive(home, (archive) => archive.list())).map((recording) => recording.name));
    const first = wanted.find((each) => taken.has(each.name));
    if (first) throw new UserError(`recording "${first.name}" exists: choose another --name, or --replace it`);
  }
  return wanted;
}

export const command: Command<RecordCommandOptions> = {
  usage: "record <urls...>",
  summary: "Record live pages into the archive",
  define,
  async run(options) {
    const home = homeFolder(options.home);
    const { lane } = options;
    const quiet_ms = options.idle;
    const timeout_ms = options.timeout * 1000;
    const link = options.link === undefined ? null : readGivenLink(options.link, process.cwd());
    const choice = liveChoiceOf(options);
    const browser = recorderOf(options.browser);
    const pages = await wantedPages(home, options);
    const stored: Recording[] = [];
    for (const page of pages) {
      const recorded = await recordUrl(home, {
        ...{ ...page, ...choice, browser, lane, link, quiet_ms, timeout_ms },
        replace: options.replace,
        pinTime: options["pin-time"],
        credentials: options["keep-credentials"] ? "kept" : "redacted",
        onlyPages: false,
        // A single visit is over in seconds.
        say: (line) => void (choice.visits > 1 && say(line)),
      });
      stored.push(recorded.stored.recording);
      if (!options.json) printLines(recordedLines(recorded, lane));
    }
    if (options.json) printJson(importedDocument(stored));
  },
};
