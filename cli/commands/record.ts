// `trilane record`: loads pages from their live servers and puts them into the archive. The work is cli/record's.
import { existsSync } from "node:fs";
import type { Argv } from "yargs";
import type { Recording } from "../archive/archive.ts";
import { withArchive } from "../archive/client.ts";
import { RunError, UserError } from "../errors.ts";
import { homeFolder } from "../home.ts";
import { importedDocument } from "../import/imported.ts";
import { formatLink, type LinkProfile } from "../link/link.ts";
import { readLink } from "../link/profile_file.ts";
import { type RecordedLane, recordedLanes } from "../record/chromium_arguments.ts";
import { liveLabCommand } from "../record/live_lab.ts";
import { recordedLines } from "../record/notes.ts";
import { type RecordedPage, recordPage } from "../record/record_page.ts";
import { storeRecorded } from "../record/store.ts";
import { nameForUrl, pageUrl, readAddress, readTrustedKeys } from "../record/words.ts";
import type { Command, CommonOptions } from "./command.ts";

interface RecordCommandOptions extends CommonOptions {
  urls: string[];
  name: string | undefined;
  lane: string;
  link: string | undefined;
  scroll: boolean;
  "pin-time": boolean;
  quiet: number;
  timeout: number;
  resolve: string[];
  trust: string[];
  replace: boolean;
  "keep-credentials": boolean;
  "allow-local-network": boolean;
}

function readLane(text: string): RecordedLane {
  const lane = recordedLanes.find((known) => known === text);
  if (!lane) throw new UserError(`--lane ${JSON.stringify(text)}: is none of ${recordedLanes.join(", ")}`);
  return lane;
}

function mustBePositive(value: number, option: string): number {
  if (!Number.isFinite(value) || value < 0) throw new UserError(`${option} is a number from 0 (got "${value}")`);
  return value;
}

interface Wanted {
  readonly url: string;
  readonly name: string;
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

/** Ctrl-C ends the browser in order; nothing is stored then. */
async function untilInterrupted<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const interrupt = () => controller.abort(new RunError("interrupted: the page was not stored"));
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  try {
    return await work(controller.signal);
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}

export const command: Command<RecordCommandOptions> = {
  usage: "record <urls...>",
  summary: "Record live pages into the archive",
  define: (yargs: Argv<CommonOptions>) =>
    yargs
      .positional("urls", { type: "string", array: true, demandOption: true, describe: "the pages; https is assumed" })
      .option("name", { type: "string", describe: "what to call the recording (default: host and path)" })
      .option("lane", {
        type: "string",
        default: "any",
        describe: "h1, h2 or h3 to force it; any: what browser and site agree on",
      })
      .option("link", { type: "string", describe: "load it through this link, as 10mbit/50ms (needs pasta)" })
      .option("scroll", {
        type: "boolean",
        default: false,
        describe: "scroll to the end, for what loads when it is seen",
      })
      .option("pin-time", {
        type: "boolean",
        default: false,
        describe: "the page's clock and random numbers as in every load with --pin-time",
      })
      .option("quiet", {
        type: "number",
        default: 1000,
        describe: "ms without a request, after which the page is done",
      })
      .option("timeout", { type: "number", default: 60, describe: "seconds after which it is done anyway" })
      .option("resolve", {
        type: "string",
        array: true,
        nargs: 1,
        default: [],
        describe: "HOST=ADDRESS: where to find a host, which may be *.HOST",
      })
      .option("trust", {
        type: "string",
        array: true,
        nargs: 1,
        default: [],
        describe: "PEM file of certificates to trust, as of a staging server",
      })
      .option("keep-credentials", {
        type: "boolean",
        default: false,
        describe:
          "keep the values of cookies and authorization, which are crossed out otherwise; URLs and bodies always stay",
      })
      .option("allow-local-network", {
        type: "boolean",
        default: false,
        describe: "let a public page reach this machine and its networks, which is refused otherwise",
      })
      .option("replace", { type: "boolean", default: false, describe: "take the place of a recording of that name" })
      .example("trilane record https://shop.example/ --scroll", "to the end of the page, lazy images and all")
      .example("trilane record shop.example --lane h3 --name shop-h3", "over HTTP/3")
      .example("trilane record shop.example --resolve shop.example=192.0.2.7 --trust ca.pem", "from a staging server"),
  async run(options) {
    const home = homeFolder(options.home);
    const lane = readLane(options.lane);
    const quiet_ms = mustBePositive(options.quiet, "--quiet");
    const timeout_ms = mustBePositive(options.timeout, "--timeout") * 1000;
    const link: LinkProfile | null = options.link === undefined ? null : readLink(options.link, process.cwd());
    const credentials = options["keep-credentials"] ? "kept" : "redacted";
    const addresses = options.resolve.map(readAddress);
    const trustedKeys = options.trust.flatMap(readTrustedKeys);
    const within = liveLabCommand(link);
    const pages = await wantedPages(home, options);
    const stored: Recording[] = [];
    for (const { url, name } of pages) {
      const circumstances = { lane, link: link ? formatLink(link) : null, pin_time: options["pin-time"] };
      const wanted = {
        url,
        lane,
        scroll: options.scroll,
        pinTime: options["pin-time"],
        quiet_ms,
        timeout_ms,
        trustedKeys,
        addresses,
        allowLocalNetwork: options["allow-local-network"],
        within,
      };
      const store = async (page: RecordedPage): Promise<void> => {
        const each = await withArchive(home, (archive) =>
          storeRecorded(archive, page, {
            ...{ name, url, credentials, circumstances },
            replace: options.replace,
            behindLink: link !== null,
          }),
        );
        stored.push(each.recording);
        if (!options.json) process.stdout.write(`${recordedLines(each, page, lane).join("\n")}\n`);
      };
      await untilInterrupted((signal) => recordPage({ ...wanted, signal }, store));
    }
    if (options.json) process.stdout.write(`${JSON.stringify(importedDocument(stored))}\n`);
  },
};
