// The options of `trilane flows`, and the plan that they come to. Words to a plan; no rule of what may be in one.
import type { PlanPage } from "../../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../../base/errors.ts";
import { usualRuns } from "../../../base/interval.ts";
import { plainLanes } from "../../../base/lanes.ts";
import { flag, number, repeated } from "../../../base/option.ts";
import type { OptionsOf, OptionTable } from "../../../base/option_table.ts";
import { flowForm, readTime_ms } from "../../../link/flows/flow_words.ts";
import { mixWords, readMix } from "../../../link/flows/mix.ts";
import { kernelControllers } from "../../../link/flows/transports.ts";
import { refuseGivenWithoutDelay } from "../../../link/profile_file.ts";
import { pageName } from "../../../sweep/plan/page_patterns.ts";
import { planOfOptions } from "../../../sweep/plan/plan_document.ts";
import { planRange } from "../../../sweep/plan/plan_range.ts";
import { readLanes } from "../../../sweep/plan/read_lanes.ts";
import { toleranceOf, toleranceOption } from "../../../sweep/plan/tolerance.ts";
import { ruledRepetitions, stoppingChoiceOf, stoppingOptions } from "../../../sweep/plan/until.ts";
import { type FlowPlan, flowPlanOf, readFlowPlan } from "./plan.ts";

export type FlowOptions = OptionsOf<typeof defineFlowOptions> & { plan: string | undefined };

const usualLink = "10mbit/50ms";
const usualFor = "60s";
const ping_ms = 100;
/** Realtime response under load, as flent has it, but for its marks of priority: four flows each way, and a ping. */
const rrulFlows = ["4*tcp:cubic", "4*tcp:cubic,up"] as const;

const range = (setting: string, unit?: string) => planRange(setting, unit, "flow-plan");

export const defineFlowOptions = (table: OptionTable<unknown>) =>
  table
    .option("tolerance", toleranceOption("a run before it is invalid: a share of its length, with --page of the PLT"))
    .with(stoppingOptions("each flow's difference from the first"))
    .option("servers", { rare: true, placeholder: "NAMES", describe: "of `trilane fetch`: flows have none" })
    .option("flow", repeated(`a flow, or N alike, as ${flowForm}; repeat it for flows that run together`))
    .option(
      "link",
      repeated(
        `the bottleneck: RATE/RTT or a name, then settings (3g,loss=1%), see \`trilane links\`; repeat it for more (default: ${usualLink})`,
      ),
    )
    .option("for", {
      placeholder: "TIME",
      describe: `how long a run lasts, unless all of its flows end before (default: ${usualFor})`,
    })
    .option(
      "runs",
      number(range("repetitions"), { describe: `valid runs of each mix on a link (default: ${usualRuns})` }),
    )
    .option("ping", flag(`measure the round trip beside the flows, with a small packet each ${ping_ms} ms`))
    .option("rrul", flag("realtime response under load: four TCP flows down, four up, and --ping"))
    .option("page", {
      placeholder: "PAGE[@TIME]",
      describe:
        "load a page during the flows, from TIME on (default: 5s), as `trilane race` takes pages; a run ends with its load",
    })
    .option("lanes", { describe: `of --page: lanes, separated by commas, or "all" (default: ${plainLanes.join(",")})` })
    .option(
      "seed",
      number(range("seed"), { rare: true, describe: "decides the order of runs and the losses (default: 1)" }),
    )
    .option(
      "retries",
      number(range("retries"), { rare: true, describe: "how often an invalid run is repeated (default: 2)" }),
    );

function seconds(option: string, text: string): number {
  const time = readTime_ms(text);
  if ("fault" in time) throw new UserError(`--${option} ${JSON.stringify(text)} ${time.fault}`);
  if (time.value <= 0 || time.value > 86_400_000)
    throw new UserError(`--${option} ${JSON.stringify(text)} must be above 0s, up to 86400s`);
  return time.value / 1000;
}

/** What a plan says for itself. */
function refuseBesidePlan(options: FlowOptions): void {
  const { plan, link, flow, ping, rrul, page, lanes } = options;
  const mix = { link: link.length > 0, flow: flow.length > 0, for: options.for !== undefined, ping, rrul };
  const given = { ...mix, page: page !== undefined, lanes: lanes !== undefined };
  const [name] = Object.entries(given).find(([, isGiven]) => isGiven) ?? [];
  if (name !== undefined) throw new UserError(`--${name}: plan ${plan} says this itself: leave one of the two out`);
}

function flowWords({ flow, rrul }: FlowOptions): readonly string[] {
  if (rrul && flow.length > 0) throw new UserError("--rrul is a mix of its own: leave --flow out, or --rrul");
  if (rrul) return rrulFlows;
  if (flow.length === 0)
    throw new UserError("flows: names no flow: give --flow, as --flow tcp:cubic, or --rrul, or a plan");
  return flow;
}

/** A page as the command line names it, and when it begins. */
export interface RequestedPage {
  readonly word: string;
  readonly start_s: number | null;
}

/** `PAGE@10s`. An @ that no time follows is the page's own. UserError for a time that cannot be. */
export function requestedPage({ page }: Pick<FlowOptions, "page">): RequestedPage | null {
  if (page === undefined) return null;
  const at = page.lastIndexOf("@");
  const time = at < 0 ? null : readTime_ms(page.slice(at + 1));
  const isTime = time !== null && /^-?[\d.]/.test(page.slice(at + 1));
  if (!isTime) return { word: page, start_s: null };
  if ("fault" in time) throw new UserError(`--page ${JSON.stringify(page)}: ${page.slice(at + 1)} ${time.fault}`);
  if (time.value < 1000)
    throw new UserError(
      `--page ${JSON.stringify(page)}: begins at 1s or later, as the browser needs a moment to start`,
    );
  return { word: page.slice(0, at), start_s: time.value / 1000 };
}

/** The page's part of a plan; `page`: as plans name it. */
function pageTerms(options: FlowOptions, page: PlanPage | undefined): object {
  const requested = requestedPage(options);
  const lanes = options.lanes === undefined ? {} : { lanes: readLanes(options.lanes) };
  if (requested === null) {
    if (options.lanes !== undefined)
      throw new UserError("--lanes: is of --page, and there is none: give both, or neither");
    return {};
  }
  return {
    page: page ?? requested.word,
    ...(requested.start_s === null ? {} : { page_start_s: requested.start_s }),
    ...lanes,
  };
}

/** Of letters that a plan's name may have. By its name, too, a plan is resumed: it stays as it is. */
function planName(words: string, page: PlanPage | undefined): string {
  const before = page === undefined ? "" : `${pageName(page)} amid `;
  return `${before}flows ${words}`
    .replaceAll(/[^A-Za-z0-9._ -]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 120);
}

/** What the options set in a plan's place. */
function termsOf(options: FlowOptions): Partial<FlowPlan> {
  const { runs, seed, retries, tolerance } = options;
  const stopping = stoppingChoiceOf(options);
  return {
    ...ruledRepetitions(stopping),
    ...stopping,
    ...(tolerance === undefined ? {} : { tolerance: toleranceOf(tolerance, "the run") }),
    ...(runs === undefined ? {} : { repetitions: runs }),
    ...(seed === undefined ? {} : { seed }),
    ...(retries === undefined ? {} : { retries }),
  };
}

/** `page`: as plans name that of --page, once it is imported or recorded. UserError in one line. */
export function flowPlanFrom(
  options: FlowOptions,
  page?: PlanPage,
  kernel: readonly string[] | null = kernelControllers(),
): FlowPlan {
  if (options.servers !== undefined)
    throw new UserError(
      "--servers: a flow is sent by trilane-flow, whose controller and samples no other server has: take `trilane fetch --page object-100MB --servers ... --link ...`",
    );
  if (options.plan !== undefined) {
    refuseBesidePlan(options);
    const plan = readFlowPlan(options.plan, kernel);
    return flowPlanOf({ ...plan, ...termsOf(options) }, options.plan, { kernel });
  }
  const flows = readMix(flowWords(options), kernel);
  const links = options.link.length === 0 ? [usualLink] : options.link;
  for (const link of links) refuseGivenWithoutDelay(link);
  const words = options.rrul ? "rrul" : mixWords(flows);
  const document = {
    name: planName(words, page ?? requestedPage(options)?.word),
    links,
    mixes: [{ ...(options.rrul ? { name: "rrul" } : {}), flows: flowWords(options) }],
    for_s: seconds("for", options.for ?? usualFor),
    repetitions: usualRuns,
    ping_ms: options.ping || options.rrul ? ping_ms : null,
    ...pageTerms(options, page),
    ...termsOf(options),
  };
  return planOfOptions("flows", () => flowPlanOf(document, "flows", { kernel }));
}
