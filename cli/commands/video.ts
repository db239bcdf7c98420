// `trilane video [PAGE]`: a clip that is played over all lanes and links. A sweep of pages that play videos: same runner, same results,
// same report. What the words of a clip stand for is cli/sweep/plan/video_pages.ts's.

import type { PlanPage } from "../../schemas/generated/sweep_plan.ts";
import { homeFolder } from "../base/home.ts";
import { usualRuns } from "../base/interval.ts";
import { plainLanes } from "../base/lanes.ts";
import { flag, number, repeated } from "../base/option.ts";
import { describePlan, planLines } from "../instruments/page/plan/describe.ts";
import { executePages } from "../instruments/page/run/instrument.ts";
import { refuseGivenWithoutDelay } from "../link/profile_file.ts";
import { defineServing, servingChoiceOf } from "../load/serving/options.ts";
import { withArchive } from "../recording/archive/client.ts";
import { videoForm } from "../recording/synth/video/video_spec.ts";
import { metricHelp } from "../registry/metric_help.ts";
import { commandPlan } from "../sweep/plan/command_plan.ts";
import { pageName } from "../sweep/plan/page_patterns.ts";
import type { Plan } from "../sweep/plan/plan_document.ts";
import { planChoiceOf, plansOptions } from "../sweep/plan/plan_options.ts";
import { planRange } from "../sweep/plan/plan_range.ts";
import { readLanes } from "../sweep/plan/read_lanes.ts";
import { mostRuns } from "../sweep/plan/until.ts";
import { usualVideo, videoPages } from "../sweep/plan/video_pages.ts";
import { type Command, essentials, type OptionsOf, type Table } from "./command.ts";
import { printPlanned, runOptions, runTerms } from "./run_options.ts";

const define = (table: Table) =>
  table
    .with(defineServing)
    .with(
      plansOptions(
        "decide",
        "precise",
        "time-limit",
        "metric",
        "tolerance",
        "retry-for",
        "cross-traffic",
        "page-start",
      ),
    )
    .with(plansOptions("seed", "retries"))
    .with(runOptions("clips, links, loads and expected time"))
    .positional("page", {
      describe: `a video of \`trilane synth\` by its name, ${videoForm}, or a recording of one (default: what --clip and --rate say)`,
    })
    .option("clip", { placeholder: "TIME", describe: `how long the clip lasts (default: ${usualVideo.clip})` })
    .option("rate", {
      placeholder: "RATE",
      describe: `bitrate of its pictures, which stays (default: ${usualVideo.rate})`,
    })
    .option("rates", {
      placeholder: "RATES",
      describe: "several, separated by commas: a clip for each, or with --adapt one clip that has all",
    })
    .option("adapt", flag("dash.js chooses among --rates while it plays"))
    .option("segment", {
      placeholder: "TIME",
      describe: `how long each segment lasts (default: ${usualVideo.segment})`,
    })
    .option("audio", { placeholder: "RATE", rare: true, describe: "bitrate of its sound (default: 96kbit)" })
    .option(
      "link",
      repeated(
        `the bottleneck: RATE/RTT or a name, then settings (3g,loss=1%), see \`trilane links\`; again for others (default: ${usualLink})`,
      ),
    )
    .option("lanes", {
      default: plainLanes.join(","),
      describe: 'lanes, separated by commas, or "all"; see `trilane race --help`',
    })
    .option(
      "runs",
      number(planRange("repetitions"), {
        describe: `valid loads of each lane (default: ${usualRuns}; at most ${mostRuns} with --decide or --precise)`,
      }),
    )
    .option(
      "timeout",
      number(planRange("timeout_s", "seconds"), {
        default: 60,
        describe: "a video that takes so much longer than its clip has failed",
      }),
    )
    .exclude("rate", "rates")
    .group(["clip", "rate", "rates", "adapt", "link", "runs", "lanes", "dry-run"], essentials)
    .example("trilane video --clip 30s --rate 2mbit --link 1.5mbit/50ms", "a clip that the link is too slow for")
    .example(
      "trilane video --rates 0.5mbit,1mbit,2mbit --adapt --link 3mbit/50ms --link 3mbit/50ms,loss=1%",
      "dash.js chooses among three bitrates, over two links",
    )
    .example("trilane video --clip 60s --lanes h2,h3 --metric viewing", "which lane shows the clip sooner to its end")
    .example("trilane export --format p1203 --out p1203.json", "input for ITU-T P.1203's models, of the newest sweep")
    .epilogue(metricHelp("Metrics (in the report and in `trilane export`):", { video: "" }));

type VideoOptions = OptionsOf<typeof define>;

const usualLink = "10mbit/50ms";

async function pagesOf(home: string, { page, ...words }: VideoOptions): Promise<PlanPage[]> {
  const { clip, segment, rate, rates, audio, adapt } = words;
  const recordings = page === undefined ? [] : await withArchive(home, (archive) => archive.list());
  return videoPages({ clip, segment, rate, rates, audio, adapt }, page, recordings);
}

function videoPlan(options: VideoOptions, pages: readonly PlanPage[]): Plan {
  const links = options.link.length === 0 ? [usualLink] : options.link;
  for (const link of links) refuseGivenWithoutDelay(link);
  const choice = planChoiceOf(options);
  const [first = ""] = pages.map(pageName);
  const document = {
    name: pages.length === 1 ? first : `${first}-and-${pages.length - 1}-more`,
    pages,
    lanes: readLanes(options.lanes),
    links,
    repetitions: options.runs ?? (choice.until ? mostRuns : usualRuns),
    metric: "startup",
    ...choice,
    serving: servingChoiceOf(options),
  };
  return commandPlan(document, "video");
}

export const command: Command<VideoOptions> = {
  usage: "video [page]",
  summary: "Play a clip over all lanes and links: startup delay, stalls, rates",
  define,
  run: async (options, { pageSource, report }) => {
    const home = homeFolder(options.home);
    const terms = runTerms(home, options);
    const plan = videoPlan(options, await pagesOf(home, options));
    const source = await pageSource();
    if (options["dry-run"]) {
      const planned = await describePlan(home, plan, source);
      return printPlanned(options.json, planned, planLines(plan, planned));
    }
    await executePages({ ...terms, plan, source, report });
  },
};
