// What a sweep is to do: reads a plan, checks it against schemas/sweep-plan.schema.json, and expands it into links and
// cells. Pure but for reading files; the order of loads is load_order.ts's, the pages' recordings are pages.ts's.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { LinkProfile } from "../../../schemas/generated/link_profile.ts";
import type { Grid, PlanPage, SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import type { Lane } from "../../base/lanes.ts";
import { explainSchemaErrors, schemaValidator } from "../../base/schema_error.ts";
import { filesOf, settleFiles, withAbsoluteFiles } from "../../link/files.ts";
import { describeLinks, type Link, readForms } from "../../link/link.ts";
import { isProfileFile, readLinks } from "../../link/profile_file.ts";
import { shaperKey } from "../../link/same_link.ts";
import { hasRenoForCubic } from "../../load/metrics/dilation.ts";
import { isStockServing, type Serving, settleServing } from "../../load/serving/serving.ts";
import { usualMetric } from "../../results/verdict/compared_metric.ts";
import { refuseContradictions, refuseSame } from "./contradictions.ts";
import { expandPage } from "./page_patterns.ts";

/** A plan with every default filled in. */
export interface Plan extends SweepPlan {
  readonly seed: number;
  readonly retries: number;
  readonly timeout_s: number;
  readonly settle_ms: number;
  readonly serving: Serving;
}

export interface PlannedLink {
  /** Canonical short form, with files by their names: the link's label. */
  readonly link: string;
  readonly link_profile: LinkProfile;
}

/** A cell before its page's recording is known. */
export interface PlannedCell extends PlannedLink {
  readonly page: string;
  readonly lane: Lane;
}

const shippedFolder = join(import.meta.dirname, "..", "plans");
/** More than this is a mistake in a plan, not a plan. */
const maximumLoads = 10_000_000;

/** Forms that name no file, or files by absolute paths: a stored plan means the same from every folder. */
function absoluteForms(links: readonly string[], folder: string): string[] {
  const profiles = readLinks(links, folder).map((profile) => withAbsoluteFiles(profile, folder));
  return describeLinks(profiles).map(({ form, profile }, index) => {
    const written = links[index] ?? form;
    return filesOf(profile).length === 0 && !isProfileFile(written) ? written : form;
  });
}

/** A plan is three deep; what is nested without end is found here, before a validator loses itself in it. */
function copyOf(document: unknown, source: string): unknown {
  try {
    return structuredClone(document);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UserError(`plan ${source}: nested too deeply: see schemas/sweep-plan.schema.json`);
  }
}

/** What of a plan is shown to people: a terminal would take a control character for a command. */
function refuseControls(plan: SweepPlan, source: string): void {
  const forms = plan.links.filter((link) => typeof link === "string");
  const words = [plan.description ?? "", plan.reference ?? "", ...plan.pages.map(pageName), ...forms];
  const wrong = words.find((text) => /[^\P{Cc}\n\t]/u.test(text));
  if (wrong === undefined) return;
  throw new UserError(`plan ${source}: control characters in ${JSON.stringify(wrong.slice(0, 80))}: take them out`);
}

/** Counted without expanding a grid. */
export function countLinks({ links }: SweepPlan): number {
  const sizes = links.map((link) =>
    typeof link === "string"
      ? 1
      : link.grid.rates_mbit.length * link.grid.rtts_ms.length * (link.grid.loss ?? [0]).length,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function loadsOf(plan: SweepPlan): number {
  return plan.pages.length * plan.lanes.length * countLinks(plan) * plan.repetitions;
}

/**
 * The plan in a parsed document. UserError, naming `source` and the place in it, where it is not one. Files of links are
 * named relative to `folder`.
 */
export function planOf(document: unknown, source: string, folder = process.cwd()): Plan {
  const validate = schemaValidator<SweepPlan & Omit<Plan, "serving">>("sweep-plan", { useDefaults: true });
  const plan = copyOf(document, source);
  if (!validate(plan))
    throw new UserError(
      `plan ${source}: ${explainSchemaErrors(validate.errors ?? [], "schemas/sweep-plan.schema.json")}`,
    );
  refuseControls(plan, source);
  // Before anything is expanded.
  const loads = loadsOf(plan);
  if (loads > maximumLoads) throw new UserError(`plan ${source}: ${loads} loads: ask for at most ${maximumLoads}`);
  plan.pages = plan.pages.flatMap(expandPage) as Plan["pages"];
  refuseSame(
    plan.pages.map(pageName).map((name) => ({ name, key: name })),
    `plan ${source}: page`,
  );
  const written = plan.links.filter((link) => typeof link === "string");
  const forms = absoluteForms(written, folder).values();
  plan.links = plan.links.map((link) => (typeof link === "string" ? forms.next().value : link)) as Plan["links"];
  // A link that cannot be, or stands there twice.
  linksOf(plan);
  const serving = settleServing(plan.serving);
  refuseContradictions(plan, serving, source);
  return { ...plan, serving };
}

export function shippedPlans(): string[] {
  return readdirSync(shippedFolder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => basename(file, ".json"))
    .sort();
}

/** A plan from a file, or one of those shipped with Trilane by its name. */
export function readPlan(pathOrName: string): Plan {
  const shipped = shippedPlans();
  const path = shipped.includes(pathOrName) ? join(shippedFolder, `${pathOrName}.json`) : pathOrName;
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ENOENT" && code !== "EISDIR") throw error;
    throw new UserError(`no plan ${pathOrName}: name a file, or one of ${shipped.join(", ")}`);
  }
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new UserError(`plan ${pathOrName}: not JSON (${(error as Error).message.split("\n")[0]}): correct it`);
  }
  return planOf(document, pathOrName, dirname(path));
}

/** The name of a page's recording: a synthetic page's recording is called as the page. */
export function pageName(page: PlanPage): string {
  return typeof page === "string" ? page : page.synth;
}

function gridForms(grid: Grid): string[] {
  return grid.rates_mbit.flatMap((rate_mbit) =>
    grid.rtts_ms.flatMap((rtt_ms) =>
      (grid.loss ?? [0]).map((loss) => `${rate_mbit}mbit/${rtt_ms}ms${loss > 0 ? `,loss=${percent(loss)}%` : ""}`),
    ),
  );
}

/** 0.07 * 100 is 7.000000000000001. */
function percent(share: number): number {
  return Number((share * 100).toPrecision(12));
}

function expandLinks(plan: SweepPlan): Link[] {
  return readForms(plan.links.flatMap((link) => (typeof link === "string" ? [link] : gridForms(link.grid))));
}

/** The links of a plan with their grids expanded; files are read. UserError where two are one to the shaper. */
export function linksOf(plan: SweepPlan): PlannedLink[] {
  const links = expandLinks(plan);
  const forms = links.map(({ form }) => form);
  const profiles = settleFiles(
    links.map(({ profile }) => profile),
    process.cwd(),
  );
  refuseSame(
    profiles.map((profile, index) => ({ name: forms[index] ?? "", key: shaperKey(profile) })),
    `plan ${plan.name}: link`,
  );
  const labels = links.map(({ label }) => label);
  const times = new Map<string, number>();
  for (const label of labels) times.set(label, (times.get(label) ?? 0) + 1);
  // Two files of one name in two folders are two links.
  const labelOf = (label: string, index: number): string => (times.get(label) === 1 ? label : (forms[index] ?? label));
  return profiles.map((link_profile, index) => ({ link: labelOf(labels[index] ?? "", index), link_profile }));
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
 * count by their paths: that one has changed is told when the sweep goes on (refuseChangedFiles), not taken for another sweep.
 */
export function planDigest(plan: Plan): string {
  const { name, lanes, repetitions, seed, retries, timeout_s, settle_ms } = plan;
  const pages = plan.pages.map(pageName);
  const links = expandLinks(plan).map(({ form, profile }) => ({ link: form, link_profile: profile }));
  // What is not asked for leaves the digest of plans that never heard of it.
  const warm = plan.warm_cache ? { warm_cache: true } : {};
  // Sweeps from before there was a choice are those that make none.
  const serving = isStockServing(plan.serving) ? {} : { serving: plan.serving };
  // Dilated loads ran CUBIC once: a sweep of these is not gone on with.
  const tcp = hasRenoForCubic(plan) ? { tcp: "reno" } : {};
  const dilated = (plan.dilate ?? 1) > 1 ? { dilate: plan.dilate, ...tcp } : {};
  // Pages that are made here are always loaded so.
  const strict = plan.strict && plan.pages.some((page) => typeof page === "string") ? { strict: true } : {};
  const tolerance = plan.tolerance ? { tolerance: plan.tolerance } : {};
  const until = plan.until ? { until: plan.until } : {};
  const interleaved = plan.interleaved ? { interleaved: plan.interleaved } : {};
  const metric = plan.metric && plan.metric !== usualMetric ? { metric: plan.metric } : {};
  const choices = { ...interleaved, ...warm, ...strict, ...serving, ...dilated, ...tolerance, ...until, ...metric };
  const decisive = { name, pages, lanes, links, repetitions, seed, retries, timeout_s, settle_ms, ...choices };
  return createHash("sha256").update(JSON.stringify(decisive)).digest("hex");
}
