// `trilane race PAGE`: one page, all lanes, one link. A sweep of one page and one link: same runner, same tables.

import { credentialsInWords } from "../../extension/har/secrets.ts";
import type { PlanPage } from "../../schemas/generated/sweep_plan.ts";
import { homeFolder } from "../base/home.ts";
import { minimumUnits, usualRuns } from "../base/interval.ts";
import { allLanes, laneFacts, plainLanes } from "../base/lanes.ts";
import { flag, number } from "../base/option.ts";
import { say } from "../base/terminal_text.ts";
import { defineLabs, labsOf } from "../engine/labs.ts";
import { executePages } from "../instruments/page/run/instrument.ts";
import { refuseGivenWithoutDelay } from "../link/profile_file.ts";
import { defineServing, servingChoiceOf } from "../load/serving/options.ts";
import { deviceOptionNames } from "../recording/record/device_options.ts";
import {
  defineLive,
  type LiveChoice,
  liveChoiceOf,
  liveOptionNames,
  refuseLiveOptions,
} from "../recording/record/options.ts";
import { readBudgets } from "../results/gate/budget.ts";
import { defineBudget } from "../results/gate/budget_outcome.ts";
import { lanePairs } from "../results/verdict/sample.ts";
import { runsToBeSure } from "../results/verdict/verdict.ts";
import { defineAs } from "../sweep/plan/as_option.ts";
import { browsersOf, canFilm, defineBrowser, lackedLanes, refuseBrowsers } from "../sweep/plan/browser_option.ts";
import { commandPlan } from "../sweep/plan/command_plan.ts";
import { connectedChoice, defineLiveServers, liveLanes } from "../sweep/plan/live_option.ts";
import { pageName } from "../sweep/plan/page_patterns.ts";
import { isUrl } from "../sweep/plan/page_source.ts";
import type { Plan } from "../sweep/plan/plan_document.ts";
import { planChoiceOf, plansOptions } from "../sweep/plan/plan_options.ts";
import { planRange } from "../sweep/plan/plan_range.ts";
import { readLanes } from "../sweep/plan/read_lanes.ts";
import { defineServers, type ServedLanes, servedLanes } from "../sweep/plan/servers_option.ts";
import { mostRuns } from "../sweep/plan/until.ts";
import { type Command, essentials, type OptionsOf, type Table } from "./command.ts";
import { dryRunOption, evidenceOption, newOption, printPlanned } from "./run_options.ts";

const define = (table: Table) =>
  table
    .with(defineServing)
    .with(defineServers)
    .with(defineLiveServers)
    .with(plansOptions("decide", "precise", "time-limit", "metric", "films", "tolerance", "retry-for"))
    .with(plansOptions("cross-traffic", "page-start", "strict", "seed", "retries", "timeout", "settle"))
    .with(defineLabs)
    .with(defineLive)
    .with(defineBrowser)
    .with(defineAs)
    .with(defineBudget)
    .positional("page", {
      demandOption: true,
      describe: "a recording, a URL (recorded first), a file that `trilane import` reads, or a page of `trilane synth`",
    })
    .option("link", {
      default: "10mbit/50ms",
      describe: "the bottleneck: RATE/RTT or a name, then settings (3g,loss=1%); see `trilane links`",
    })
    .option(
      "runs",
      number(planRange("repetitions"), {
        describe: `valid loads of each lane (default: ${usualRuns}, more for more than four lanes; at most ${mostRuns} with --decide or --precise)`,
      }),
    )
    .option("lanes", { default: plainLanes.join(","), describe: 'lanes, separated by commas, or "all"; listed below' })
    .option(
      "warm-cache",
      flag("repeat visits (h2-0rtt, h3-0rtt) keep the first visit's cache and cookies, not only its tickets", {
        rare: true,
      }),
    )
    .option("new", newOption)
    .option("dry-run", dryRunOption("lanes, loads and expected time"))
    .option("evidence", evidenceOption())
    .option("filmstrip", {
      type: "boolean",
      default: true,
      describe: "film one extra load of each lane, to show what the page looked like; --no-filmstrip: do not",
    })
    .option(
      "keep-credentials",
      flag(`for a URL or file: keep the values of ${credentialsInWords}, which are otherwise masked`, { rare: true }),
    )
    .option("record-again", flag("record the URL again and replace its recording"))
    .group(["link", "runs", "lanes", "decide", "dry-run"], essentials)
    .group([...liveOptionNames, "record-again"], "If the page is a URL:")
    .group([...deviceOptionNames], "If the page is a URL or a file:")
    .example("trilane race https://shop.example/", "record a live page, then race it; the same again resumes the race")
    .example("trilane race carlucci-small --link 3mbit/50ms", "a page of `trilane synth`")
    .example("trilane race page.har.gz --link 10mbit/100ms,loss=1%", "a HAR, with loss on the link")
    .example("trilane race my-page --decide 3", "as many loads as it takes to decide between the lanes")
    .example("trilane race my-page --lanes h2,h3 --json", "two lanes, events as JSON lines")
    .example("trilane race my-page --lanes h2-0rtt,h3-0rtt", "repeat visits with requests in the first flight")
    .example("trilane race my-page --cross-traffic 2*tcp:bbr", "during two bulk flows over the same link")
    .example("trilane race page.har --as model --compute busy", "a page of the same shape whose scripts work")
    .example("trilane race my-page --link slow-4g --budget budget.json", "in CI: LCP, say, at most 2.5 s")
    .example("trilane race my-page --servers replay,nginx --lanes h1,h2", "nginx in front of the recording, too")
    .example("trilane race https://shop.example/ --outside", "the live servers themselves, through the link")
    .example("trilane race my-page --think recorded --transport tuned", "recorded think times, tuned transports")
    .epilogue(`Lanes:\n${allLanes.map((lane) => `  ${lane.padEnd(14)} ${laneFacts[lane].title}`).join("\n")}`);

type RaceOptions = OptionsOf<typeof define>;

/** Pairs of lanes that the answer corrects for together. */
const comparisonsOf = (lanes: readonly string[]): number => lanePairs(lanes).length;

/** Said before so few runs are made; null: they may come to a verdict whatever their noise. */
function tooFewWords(runs: number | undefined, { lanes }: Plan): string | null {
  const comparisons = comparisonsOf(lanes);
  const needed = runsToBeSure(comparisons);
  if (runs === undefined || comparisons === 0 || runs >= needed) return null;
  if (runs < minimumUnits)
    return `--runs ${runs}: no verdict takes fewer than ${minimumUnits}, and ${needed} make it sure`;
  return `--runs ${runs}: may not be enough for a verdict; ${needed} are`;
}

async function raceLanes(options: RaceOptions, live: LiveChoice): Promise<ServedLanes> {
  const lanes = readLanes(options.lanes) as ServedLanes["lanes"];
  const outside = await liveLanes(options, lanes, live);
  return outside ?? (await servedLanes(options, lanes, (line) => options.json || say(line))) ?? { lanes };
}

function racePlan(options: RaceOptions, served: ServedLanes, page: PlanPage, isFilmed: boolean): Plan {
  const browsers = browsersOf(options);
  const films = options.films ?? (isFilmed && canFilm(browsers) ? 1 : undefined);
  const choice = planChoiceOf({ ...options, films });
  const named = (repetitions: number) => ({
    name: `race-${pageName(page)}`,
    pages: [page],
    ...served,
    links: [options.link],
    repetitions,
    ...choice,
    ...(options["warm-cache"] ? { warm_cache: true } : {}),
    ...browsers,
    ...(options.as === undefined ? {} : { as: options.as }),
    serving: servingChoiceOf(options),
  });
  const { runs } = options;
  if (runs !== undefined || choice.until) return commandPlan(named(runs ?? mostRuns), "race");
  // How many lanes there are to compare is the plan's to say: each browser has them all.
  return commandPlan(named(runsToBeSure(comparisonsOf(commandPlan(named(1), "race").lanes))), "race");
}

export const command: Command<RaceOptions> = {
  usage: "race <page>",
  summary: "Race one page over one link: a table, a verdict and a report",
  define,
  run: async (options, { pageSource, report, plannedPages }) => {
    const home = homeFolder(options.home);
    // What can be wrong with the words is found before a page is recorded or imported.
    const live = connectedChoice(options, liveChoiceOf(options));
    const served = await raceLanes(options, live);
    const terms = racePlan(options, served, "page", options.filmstrip);
    refuseBrowsers(terms);
    if (!options.json) for (const line of lackedLanes(terms)) say(line);
    refuseGivenWithoutDelay(options.link);
    const few = terms.until || options.json ? null : tooFewWords(options.runs, terms);
    if (few !== null) say(few);
    const labs = labsOf(options, home);
    if (options.budget !== undefined) readBudgets(options.budget);
    if (!isUrl(options.page)) refuseLiveOptions(options, ["record-again"], options.page);
    const source = await pageSource();
    // Films of whole videos are none that a report could show.
    const filmedPlan = async (page: PlanPage): Promise<Plan> =>
      racePlan(options, served, page, options.filmstrip && !(await source.playsVideo(home, page)));
    if (options["dry-run"]) {
      const { page, size } = await source.pageUnstored(home, options.page);
      const plan = await filmedPlan(page);
      const { document, lines } = await plannedPages(home, plan, source, new Map(size ? [[pageName(page), size]] : []));
      return printPlanned(options.json, document, lines);
    }
    const page = await source.pageFor(home, options.page, {
      credentials: options["keep-credentials"] ? "kept" : "redacted",
      live,
      pinTime: options["pin-time"] ?? false,
      recordAgain: options["record-again"],
      timeout_ms: options.timeout * 1000,
    });
    const [chosen = page] = options.outside
      ? [page]
      : await source.chosenPages([page], { home, options, terms, trials: "made", say });
    const plan = await filmedPlan(chosen);
    const { json, evidence, budget } = options;
    await executePages({ home, plan, source, report, fresh: options.new, json, evidence, labs, budget });
  },
};
