// `trilane open PAGE`: a page in a browser with a window and the extension, over a lane and a link, or live behind a link, for looking around.
// The work is cli/load/open's.
import { resolve } from "node:path";
import type { PageOpened } from "../../schemas/generated/page_opened.ts";
import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { allLanes, type Lane } from "../base/lanes.ts";
import { flag } from "../base/option.ts";
import { printJson, printLines, say } from "../base/terminal_text.ts";
import { formatLink } from "../link/link.ts";
import { readGivenLink } from "../link/profile_file.ts";
import { newControlPath } from "../link/socket_path.ts";
import { type OpenedFar, openPage } from "../load/open/open_page.ts";
import { defineLive, reachChoiceOf, reachHere, refuseSilent, wantedOf } from "../load/reach/wanted.ts";
import { defineServing, servingChoiceOf } from "../load/serving/options.ts";
import { servingWithAcks } from "../load/serving/serving.ts";
import { defineAs } from "../sweep/plan/as_option.ts";
import { pageName } from "../sweep/plan/page_patterns.ts";
import type { PageSource } from "../sweep/plan/page_source.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .with(defineServing)
    .with(defineAs)
    .with(defineLive)
    .positional("page", {
      demandOption: true,
      describe:
        "a recording, a URL (recorded first, or live with --reach or --outside), a file that `trilane import` reads, or a page of `trilane synth`",
    })
    .option("lane", {
      choices: allLanes,
      describe: `of what is recorded: the lane (default: ${usualLane}); a live page's server and the browser choose`,
    })
    .option("link", {
      default: "10mbit/50ms",
      describe: "the bottleneck: RATE/RTT or a name, and settings; see `trilane links`",
    })
    .option("control", { describe: "a control socket, for `trilane steer`: a name, or a path (with a slash)" })
    .option("headless", flag("without a window"))
    .example("trilane open shop --lane h3 --link 3g", "a window with the extension in it; close it to end")
    .example("trilane open shop --link 1mbit/300ms --control lab", "and `trilane steer lab down=5mbit`")
    .example("trilane open http://localhost:3000/ --reach localhost:3000 --link slow-4g", "a development server, live")
    .epilogue(
      "Only what was recorded is there, or with --reach and --outside what these name; `trilane race` would load the same recorded page.",
    );

type OpenCommandOptions = OptionsOf<typeof define>;

/** Ctrl-C, a service manager's stop, and a terminal that was closed: each is a way to close the browser. */
async function untilSignalled(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const name of signals) process.on(name, stop);
  try {
    await work(controller.signal);
  } finally {
    for (const name of signals) process.off(name, stop);
  }
}

const usualLane: Lane = "h3";
const trialTimeout_s = 60;

export const command: Command<OpenCommandOptions> = {
  usage: "open <page>",
  summary: "Open a page in a browser over a lane and a link, to look around",
  define,
  run: async (options, { pageSource }) => {
    const choice = servingChoiceOf(options);
    if (choice.pin_time) throw new UserError("--pin-time: is for pages that are loaded and measured: leave it out");
    const link = readGivenLink(options.link, process.cwd());
    const home = homeFolder(options.home);
    const control = options.control === undefined ? null : resolve(newControlPath(options.control));
    const isLive = options.reach.length > 0 || options.outside;
    const far = isLive ? await liveFar(options) : await recordedFar(options, home, await pageSource());
    await untilSignalled((signal) =>
      openPage({ home, far, link, control, headless: options.headless, signal }, ({ url, extension }) => {
        const lane = far.kind === "live" ? null : far.lane;
        const page = far.kind === "live" ? null : far.recording.name;
        const shown = formatLink(link);
        const opened: PageOpened = {
          schema: "trilane/page-opened/1",
          ...{ page, url, lane, link: shown, control, extension },
        };
        const way = far.kind === "live" ? `live from ${far.reached.sentence}` : `over ${far.lane}`;
        const steered = control === null ? "" : `, steered by ${control}`;
        if (options.json) printJson(opened);
        else printLines([`${url} ${way}, behind ${shown}${steered}; close the browser or press Ctrl-C to end`]);
      }),
    );
  },
};

/** UserError if the page is no URL, and for options of what is recorded. */
async function liveFar(options: OpenCommandOptions): Promise<OpenedFar> {
  const choice = reachChoiceOf({ ...options, recording: undefined });
  const [served] = Object.keys(servingChoiceOf(options));
  const given = [options.lane && "lane", options.as && "as", served?.replaceAll("_", "-")].find((name) => name);
  if (given)
    throw new UserError(`--${given}: is of a recording, and with --reach or --outside the page is live: leave it out`);
  const url = URL.parse(options.page.includes("://") ? options.page : `http://${options.page}`);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UserError(`open ${options.page}: with --reach or --outside the page is a URL, as http://localhost:3000/`);
  const wanted = await wantedOf(choice, []);
  await refuseSilent(wanted);
  return { kind: "live", url: url.href, reached: reachHere(wanted) };
}

async function recordedFar(options: OpenCommandOptions, home: string, source: PageSource): Promise<OpenedFar> {
  const serving = servingWithAcks({ serving: servingChoiceOf(options) });
  const terms = { serving, timeout_s: trialTimeout_s };
  const given = await source.pageFor(home, options.page);
  const [page = given] = await source.chosenPages([given], { home, options, terms, trials: "made", say });
  const recording = (await source.preparePages(home, [page], () => {})).get(pageName(page));
  if (!recording) throw new UserError(`no page ${options.page}: see \`trilane list\``);
  return { kind: "recording", recording, lane: options.lane ?? usualLane, serving };
}
