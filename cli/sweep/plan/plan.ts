// What a sweep is to do: reads a plan, checks it against schemas/sweep-plan.schema.json, and expands it into links and
// cells. Pure but for reading files; the order of loads is load_order.ts's, the pages' recordings are cli/pages'.
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { PlanPage, SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import type { LaneLabel } from "../../base/lanes.ts";
import type { TraceSource } from "../../link/trace/trace_source.ts";
import { digestedServing, isStockServing, servingWithAcks } from "../../load/serving/serving.ts";
import { usualMetric } from "../../results/verdict/compared_metric.ts";
import { lanesInBrowsers } from "./browser_option.ts";
import { refuseContradictions } from "./contradictions.ts";
import { settledTraffic } from "./cross_traffic.ts";
import { expandPages, pageName } from "./page_patterns.ts";
import type { Plan } from "./plan_document.ts";
import { checkedDocument, plansIn, readDocument, refuseControls, withinPlan } from "./plan_document.ts";
import { absoluteLinks, countLinks, expandLinks, linksOf, type PlannedLink } from "./plan_links.ts";
import { refuseSame } from "./refuse_same.ts";

/** A cell before its page's recording is known. */
export interface PlannedCell extends PlannedLink {
  readonly page: string;
  readonly lane: LaneLabel;
}

const shippedFolder = join(import.meta.dirname, "..", "plans");
/** More than this is a mistake in a plan, not a plan. */
const most = { cells: 500_000, loads: 10_000_000 } as const;

/** What of a plan is shown to people. */
function shownWords({ description = "", reference = "", pages, links }: SweepPlan): string[] {
  return [description, reference, ...pages.map(pageName), ...links.filter((link) => typeof link === "string")];
}

/** The plan's pages by their names. @throws UserError, before anything is expanded, if there is too much to load. */
function expandedPages(plan: SweepPlan, source: string): PlanPage[] {
  const cellsOfPage = plan.lanes.length * countLinks(plan);
  if (cellsOfPage > most.cells)
    throw new UserError(`plan ${source}: ${cellsOfPage} lanes on links: ask for at most ${most.cells}`);
  const pages = withinPlan(source, () => expandPages(plan.pages, most.cells / cellsOfPage));
  const loads = pages.length * cellsOfPage * plan.repetitions;
  if (loads > most.loads) throw new UserError(`plan ${source}: ${loads} loads: ask for at most ${most.loads}`);
  return pages;
}

/**
 * The plan in a parsed document. UserError, naming `source` and the place in it, where it is not one. Files of links are
 * named relative to `folder`; `traces`: those of cellular links.
 */
export function planOf(document: unknown, source: string, folder = process.cwd(), traces?: TraceSource): Plan {
  const plan = checkedDocument<SweepPlan & Omit<Plan, "serving">>(document, source, "sweep-plan");
  refuseControls(shownWords(plan), source);
  plan.lanes = lanesInBrowsers(plan) as Plan["lanes"];
  plan.pages = expandedPages(plan, source) as Plan["pages"];
  refuseSame(
    plan.pages.map(pageName).map((name) => ({ name, key: name })),
    `plan ${source}: page`,
  );
  plan.links = absoluteLinks(plan.links, folder, traces);
  // A link that cannot be, or stands there twice.
  const links = linksOf(plan);
  const serving = servingWithAcks(plan);
  refuseContradictions(plan, serving, source);
  return { ...plan, ...withinPlan(source, () => settledTraffic(plan, links)), serving };
}

export function shippedPlans(): string[] {
  return plansIn(shippedFolder);
}

/** A plan from a file, or one of those shipped with Trilane by its name. `traces`: of its cellular links. */
export function readPlan(pathOrName: string, traces?: TraceSource): Plan {
  const { document, folder } = readDocument(pathOrName, shippedFolder);
  return planOf(document, pathOrName, folder, traces);
}

/** Pages x links x lanes, in the plan's order. */
export function cellsOf(plan: SweepPlan): PlannedCell[] {
  const links = linksOf(plan);
  return plan.pages.flatMap((page) =>
    links.flatMap((link) => plan.lanes.map((lane) => ({ page: pageName(page), lane, ...link }))),
  );
}

/**
 * SHA-256 over what decides the loads: not the words for people, and a grid is the same as its links written out. Files
 * count by their paths: a change is reported when the sweep is resumed (refuseChangedFiles), not taken for another sweep.
 */
export function planDigest(plan: Plan): string {
  const { name, lanes, repetitions, seed, retries, timeout_s, settle_ms } = plan;
  const pages = plan.pages.map(pageName);
  const links = expandLinks(plan).map(({ form, profile }) => ({ link: form, link_profile: profile }));
  // What is not set leaves the digest of plans that never heard of it. (`object`: the compiler would else work out each way in which
  // they may be there, and twice as many with one more.)
  const warm: object = plan.warm_cache ? { warm_cache: true } : {};
  const serving: object = isStockServing(plan.serving) ? {} : { serving: digestedServing(plan.serving) };
  const browser: object = plan.browsers ? { browsers: plan.browsers } : plan.browser ? { browser: plan.browser } : {};
  // Pages that are made here are always loaded so.
  const strict: object = plan.strict && plan.pages.some((page) => typeof page === "string") ? { strict: true } : {};
  const tolerance: object = plan.tolerance ? { tolerance: plan.tolerance } : {};
  const until: object = plan.until ? { until: plan.until } : {};
  const interleaved: object = plan.interleaved ? { interleaved: plan.interleaved } : {};
  const metric: object = plan.metric && plan.metric !== usualMetric ? { metric: plan.metric } : {};
  const settings: object = plan.settings ? { settings: plan.settings } : {};
  const servers: object = plan.servers ? { servers: plan.servers } : {};
  const traffic: object = plan.cross_traffic ? { cross_traffic: plan.cross_traffic } : {};
  const lead: object = plan.lead_blocks ? { lead_blocks: plan.lead_blocks } : {};
  const terms = { ...interleaved, ...warm, ...strict, ...serving, ...tolerance, ...until, ...metric };
  const choices = { ...terms, ...settings, ...servers, ...traffic, ...lead, ...browser };
  const decisive = { name, pages, lanes, links, repetitions, seed, retries, timeout_s, settle_ms, ...choices };
  return createHash("sha256").update(JSON.stringify(decisive)).digest("hex");
}
