// `trilane open PAGE`: a page in a browser with a window and the extension, over a lane and a link, for looking around.
// The work is cli/load/open's.
import { resolve } from "node:path";
import type { PageOpened } from "../../schemas/generated/page_opened.ts";
import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { allLanes, type Lane } from "../base/lanes.ts";
import { printJson, printLines, say } from "../base/terminal_text.ts";
import { formatLink } from "../link/link.ts";
import { readAskedLink } from "../link/profile_file.ts";
import { newControlPath } from "../link/socket_path.ts";
import { openPage } from "../load/open/open_page.ts";
import { servingWithAcks } from "../load/serving/client_acks.ts";
import { defineServing, type ServingOptions, servingChoiceOf } from "../load/serving/options.ts";
import { type AsOptions, defineAs } from "../sweep/plan/as_option.ts";
import { pageName } from "../sweep/plan/page_patterns.ts";
import type { Command, CommonOptions } from "./command.ts";

interface OpenCommandOptions extends CommonOptions, ServingOptions, AsOptions {
  page: string;
  lane: Lane;
  link: string;
  control: string | undefined;
  headless: boolean;
}

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

const trialTimeout_s = 60;

export const command: Command<OpenCommandOptions> = {
  usage: "open <page>",
  summary: "Open a page in a browser over a lane and a link, to look around",
  define: (table) =>
    defineAs(defineServing(table))
      .positional("page", {
        type: "string",
        demandOption: true,
        describe:
          "a recording, a URL (recorded first), a file that `trilane import` reads, or a page of `trilane synth`",
      })
      .option("lane", { choices: allLanes, default: "h3" as Lane, describe: "the lane" })
      .option("link", {
        type: "string",
        default: "10mbit/50ms",
        describe: "the bottleneck: RATE/RTT or a name, and settings; see `trilane links`",
      })
      .option("control", {
        type: "string",
        describe: "a control socket, for `trilane steer`: a name, or a path (with a slash)",
      })
      .option("headless", { type: "boolean", default: false, describe: "without a window" })
      .example("trilane open shop --lane h3 --link 3g", "a window with the extension in it; close it to end")
      .example("trilane open shop --link 1mbit/300ms --control lab", "and `trilane steer lab down=5mbit`")
      .epilogue(
        "Only what was recorded is there: nothing in a lab reaches the internet. The page is the one that `trilane race` would load.",
      ),
  run: async (options, { pageSource }) => {
    const { lane } = options;
    const choice = servingChoiceOf(options);
    if (choice.pin_time) throw new UserError("--pin-time: is for pages that are loaded and measured: leave it out");
    const link = readAskedLink(options.link, process.cwd());
    const home = homeFolder(options.home);
    const control = options.control === undefined ? null : resolve(newControlPath(options.control));
    const serving = servingWithAcks({ serving: choice });
    const terms = { serving, timeout_s: trialTimeout_s };
    const source = await pageSource();
    const given = await source.pageFor(home, options.page);
    const [page = given] = await source.chosenPages([given], { home, options, terms, trials: "made", say });
    const recording = (await source.preparePages(home, [page], () => {})).get(pageName(page));
    if (!recording) throw new UserError(`no page ${options.page}: see \`trilane list\``);
    await untilSignalled((signal) =>
      openPage(
        { home, recording, lane, link, serving, control, headless: options.headless, signal },
        ({ url, extension }) => {
          const told: PageOpened = {
            schema: "trilane/page-opened/1",
            page: recording.name,
            url,
            lane,
            link: formatLink(link),
            control,
            extension,
          };
          const line = `${url} over ${lane} and ${told.link}${control === null ? "" : `, steered by ${control}`}; close the browser or press Ctrl-C to end`;
          if (options.json) printJson(told);
          else printLines([line]);
        },
      ),
    );
  },
};
