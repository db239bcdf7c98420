// What `trilane flows` is to run: reads a plan, checks it against schemas/flow-plan.schema.json and expands it into cells. Pure but
// for reading files; what of it cannot be is contradictions.ts's, the order of runs is run_order.ts's.
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Flow } from "../../../../schemas/generated/flow.ts";
import type { FlowPlanDocument } from "../../../../schemas/generated/flow_plan.ts";
import type { PlanPage } from "../../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../../base/errors.ts";
import { type Lane, plainLanes } from "../../../base/lanes.ts";
import { formatFlow } from "../../../link/flows/flow_words.ts";
import { mixWords, readMix } from "../../../link/flows/mix.ts";
import type { PlanShares } from "../../../sweep/cluster/shared_plan.ts";
import {
  checkedDocument,
  plansIn,
  readDocument,
  refuseControls,
  withinPlan,
} from "../../../sweep/plan/plan_document.ts";
import { absoluteLinks, countLinks, expandLinks, linksOf, type PlannedLink } from "../../../sweep/plan/plan_links.ts";
import { refuseContradictions } from "./contradictions.ts";

/** Flows that run together, by name. */
export interface Mix {
  readonly name: string;
  readonly flows: readonly Flow[];
}

/** A mix as a plan is stored with it: its flows' words in their one form. */
interface SettledMix {
  readonly name: string;
  readonly flows: readonly string[];
}

/** A page that is loaded during the flows. */
export interface PageDuringFlows {
  readonly page: PlanPage;
  /** When its navigation begins, on the run's clock. */
  readonly start_s: number;
  readonly lanes: readonly Lane[];
}

/** A plan with every default filled in. */
export interface FlowPlan extends Omit<FlowPlanDocument, "mixes"> {
  readonly mixes: readonly SettledMix[];
  readonly seed: number;
  readonly retries: number;
  readonly ping_ms: number | null;
  readonly sample_ms: number;
}

/** What is repeated: a mix on a link and, where a page is loaded during it, over a lane. */
export interface PlannedFlowCell extends PlannedLink {
  readonly mix: string;
  readonly flows: readonly Flow[];
  /** null: no page is loaded. */
  readonly lane: Lane | null;
}

const shippedFolder = join(import.meta.dirname, "..", "plans");
/** More than this is a mistake in a plan, not a plan. */
const maximumRuns = 1_000_000;
/** Where a plan with a page does not say. Flows have left slow start by then, but for the longest links. */
const usualPageStart_s = 5;
const longestName = 120;

type Checked = Omit<FlowPlan, "mixes"> & Pick<FlowPlanDocument, "mixes">;

function settledMix({ name, flows }: FlowPlanDocument["mixes"][number], kernel: readonly string[] | null): SettledMix {
  const read = readMix(flows, kernel);
  const words = mixWords(read);
  const short = words.length > longestName ? `${words.slice(0, longestName - 3)}...` : words;
  return { name: name ?? short, flows: read.map(formatFlow) };
}

/** The lanes and the start of a plan that has a page. */
function settledPage({ page, lanes, page_start_s }: Checked): Pick<FlowPlan, "lanes" | "page_start_s"> {
  if (page === undefined) return {};
  return { lanes: lanes ?? [...plainLanes], page_start_s: page_start_s ?? usualPageStart_s };
}

export interface Reading {
  /** From which the files of links are named. Default: the current one. */
  readonly folder?: string;
  /** The TCP congestion controls there are (kernelControllers). Default, null: any name is taken, as a plan may run elsewhere. */
  readonly kernel?: readonly string[] | null;
}

/** The plan in a parsed document. UserError, naming `source` and the place in it, where it is not one. */
export function flowPlanOf(
  document: unknown,
  source: string,
  { folder = process.cwd(), kernel = null }: Reading = {},
): FlowPlan {
  const checked = checkedDocument<Checked>(document, source, "flow-plan");
  const { description = "", reference = "" } = checked;
  const forms = checked.links.filter((link) => typeof link === "string");
  const names = checked.mixes.flatMap(({ name }) => name ?? []);
  refuseControls([description, reference, ...names, ...forms], source);
  return withinPlan(source, () => {
    const mixes = checked.mixes.map((mix) => settledMix(mix, kernel));
    const links = absoluteLinks(checked.links, folder);
    const plan: FlowPlan = { ...checked, links, mixes, ...settledPage(checked) };
    // Before anything is expanded.
    const runs = countRuns(plan);
    if (runs > maximumRuns) throw new UserError(`${runs} runs: ask for at most ${maximumRuns}`);
    // A link that cannot be, or stands there twice.
    const planned = linksOf(plan);
    refuseContradictions(plan, mixesOf(plan), { written: checked, links: planned });
    return plan;
  });
}

export const shippedFlowPlans = (): string[] => plansIn(shippedFolder);

/** A plan from a file, or one of those shipped with Trilane by its name. */
export function readFlowPlan(pathOrName: string, kernel: readonly string[] | null = null): FlowPlan {
  const { document, folder } = readDocument(pathOrName, shippedFolder);
  return flowPlanOf(document, pathOrName, { folder, kernel });
}

/** The plan's mixes with what their words mean. */
export function mixesOf({ mixes }: Pick<FlowPlan, "mixes">): Mix[] {
  return mixes.map(({ name, flows }) => ({ name, flows: readMix(flows, null) }));
}

/** The page of a plan that has one. */
export function pageOf({ page, page_start_s, lanes }: FlowPlan): PageDuringFlows | null {
  if (page === undefined) return null;
  return { page, start_s: page_start_s ?? usualPageStart_s, lanes: lanes ?? plainLanes };
}

/** Of one mix on one link. */
const lanesOf = (plan: FlowPlan): readonly (Lane | null)[] => pageOf(plan)?.lanes ?? [null];

/** Counted without expanding a grid. */
function countRuns(plan: FlowPlan): number {
  return plan.mixes.length * countLinks(plan) * lanesOf(plan).length * plan.repetitions;
}

/** Links x mixes x lanes, in the plan's order. Files of links are read. */
export function cellsOf(plan: FlowPlan): PlannedFlowCell[] {
  const mixes = mixesOf(plan);
  return linksOf(plan).flatMap((link) =>
    mixes.flatMap(({ name, flows }) => lanesOf(plan).map((lane) => ({ mix: name, flows, lane, ...link }))),
  );
}

/** SHA-256 over what decides the runs: not the words for people, and a grid is the same as its links written out. */
export function flowPlanDigest(plan: FlowPlan): string {
  const { name, mixes, for_s, repetitions, seed, retries, ping_ms, sample_ms } = plan;
  const links = expandLinks(plan).map(({ form, profile }) => ({ link: form, link_profile: profile }));
  const page = pageOf(plan);
  const ofPage = page === null ? {} : { ...page, page: typeof page.page === "string" ? page.page : page.page.synth };
  const tolerance = plan.tolerance ? { tolerance: plan.tolerance } : {};
  const until = plan.until ? { until: plan.until } : {};
  const terms = { for_s, repetitions, seed, retries, ping_ms, sample_ms, ...tolerance, ...until };
  const decisive = { name, links, mixes, ...terms, ...ofPage };
  return createHash("sha256").update(JSON.stringify(decisive)).digest("hex");
}

/**
 * The plan as several machines share it: a cell is a link with all its mixes and lanes, because these are compared block by block and so must
 * have run on one machine.
 */
export function sharedFlows(plan: FlowPlan): PlanShares {
  const page = pageOf(plan);
  return {
    ...{ name: plan.name, digest: flowPlanDigest(plan), cells: countLinks(plan), document: plan },
    ...{ pages: page ? [page.page] : [], programs: [] },
    listing: "each is a link, in the order in which `trilane plan` lists them",
  };
}
