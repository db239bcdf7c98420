// A sweep's report: one HTML file that needs nothing else, not even a network. `buildReport` is data in, text out.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { coloursCss } from "../../extension/figures/colours.ts";
import { html, Markup } from "../../extension/figures/markup.ts";
import { hatchPatterns } from "../../extension/figures/phase_shapes.ts";
import type { LinkProfile } from "../../schemas/generated/link_profile.ts";
import type { ServingChoice } from "../../schemas/generated/serving.ts";
import type { SweepPlan } from "../../schemas/generated/sweep_plan.ts";
import { atomicWrite } from "../base/atomic_write.ts";
import { count } from "../base/numbers.ts";
import { version } from "../base/version.ts";
import { describeLinks } from "../link/link.ts";
import { traitsByLink } from "../link/traits.ts";
import { dilationSentence } from "../load/metrics/dilation.ts";
import { settleServing } from "../load/serving/serving.ts";
import { servingLine } from "../load/serving/terms.ts";
import { resultsOf } from "../results/export/choose.ts";
import { csvLines } from "../results/export/csv.ts";
import { modelledPages } from "../results/store/modelled_pages.ts";
import type { Results } from "../results/store/results.ts";
import { comparedFigures } from "../results/studies/agreement.ts";
import { studyOfPlan } from "../results/studies/all.ts";
import { compare } from "../results/verdict/comparison.ts";
import { isValid, lanePairs, sortLanes } from "../results/verdict/sample.ts";
import { type StoppingSummary, stoppingSentence, stoppingSummary } from "../results/verdict/stopping_summary.ts";
import { summarize } from "../results/verdict/summary.ts";
import { type SweepVerdict, sweepVerdict, winsLine } from "../results/verdict/sweep_verdict.ts";
import { cdfsOf } from "./cdfs_of.ts";
import { coverageSection } from "./coverage.ts";
import { gatherReport, groupsOf, type ReportData } from "./data.ts";
import { decisionSection } from "./decisions.ts";
import { disturbanceSection, invalidBanner } from "./disturbance.ts";
import { cdfFigure } from "./figures/cdf.ts";
import { heatLegend, heatMapFigure, scaleEnd } from "./figures/heat_map.ts";
import { linkGrid } from "./figures/link_axes.ts";
import { splitFigure } from "./figures/split.ts";
import { mapSets } from "./heat_maps_of.ts";
import { helpedSection } from "./helped_section.ts";
import { hostsSection } from "./hosts.ts";
import { linkTestSection } from "./link_tests.ts";
import { citation, excludedSection, methodSection } from "./method.ts";
import { maxSections, pageSections } from "./page_sections.ts";
import { publishedSection } from "./published.ts";
import { splitsOf } from "./splits_of.ts";
import { steadinessSection } from "./steadiness.ts";
import { type GroupResult, medianTable } from "./tables.ts";
import { matchSection } from "./unmatched.ts";

const csvPlainLimit_bytes = 500_000;

const partOf = (name: string): string => readFileSync(join(import.meta.dirname, "page", name), "utf8");
const look = readFileSync(join(import.meta.dirname, "../../extension/figures/look.css"), "utf8");
const css = look + partOf("report.css") + partOf("print.css") + coloursCss();
const script = partOf("later.js") + partOf("report.js") + partOf("figure_files.js");
const sha256 = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
// Nothing may be loaded or run but what stands here, whatever a recorded page's URLs contain.
const policy = `default-src 'none'; img-src data:; style-src ${sha256(css)}; script-src ${sha256(script)}; base-uri 'none'; form-action 'none'`;

function profilesOf(data: ReportData): Map<string, LinkProfile> {
  const profiles = new Map(data.cells.map((cell) => [cell.link, cell.link_profile]));
  describeLinks([...profiles.values()]); // all at once; each is then known
  return profiles;
}

function groupResults(data: ReportData): GroupResult[] {
  const pairs = lanePairs(data.cells.map((cell) => cell.lane));
  return groupsOf(data.cells, data.loads).map((group, index) => {
    const summaries = summarize(group.loads, data.sweep.seed);
    return {
      group,
      lanes: sortLanes(group.cells.map((cell) => cell.lane)).map(
        (lane) => summaries.find((summary) => summary.lane === lane) ?? noLoads(lane),
      ),
      improvements: pairs.map((pair) => compare(group.loads, pair, data.sweep.seed)),
      id: `g${index + 1}`,
      hasSection: index < maxSections,
    };
  });
}

function noLoads(lane: string): GroupResult["lanes"][number] {
  const nothing = {
    timed_out: 0,
    isAtLeast: false,
    median_ms: null,
    interval_ms: null,
    min_ms: null,
    max_ms: null,
    variation: null,
    against: null,
  };
  return { lane, loads: 0, valid: 0, invalid: 0, failed: 0, ...nothing };
}

/** A hyphen that means minus, as print has it. */
function signed(sentence: string): string {
  return sentence.replaceAll(/(?<= )-(?=\d)/g, "−");
}

/** Sentences that are read in five seconds; those of further pairs are set smaller. */
const headlines = 3;

/** What is not as by default is said beside the verdict: it decides it as much as the link does. */
function servedMarkup(serving: ServingChoice | undefined): Markup | null {
  const line = servingLine(settleServing(serving));
  return line === "" ? null : html`<p class="scope">Served with ${line}.</p>`;
}

function dilatedMarkup(plan: SweepPlan): Markup | null {
  const sentence = dilationSentence(plan);
  return sentence === null ? null : html`<p class="scope">${sentence}</p>`;
}

function stoppingSummaryOf({ sweep, cells, loads }: ReportData): StoppingSummary | null {
  const { until, repetitions } = sweep.plan;
  return until ? stoppingSummary(cells, loads, until, repetitions) : null;
}

/** Cells that are asked for and have no valid load: said beside the verdict, which is without them. */
function emptyCellsMarkup({ cells, loads }: ReportData): Markup | null {
  const tried = new Set(loads.map((load) => load.cell));
  const valid = new Set(loads.filter(isValid).map((load) => load.cell));
  const empty = cells.filter(({ id }) => tried.has(id) && !valid.has(id)).length;
  if (empty === 0) return null;
  return html`<p class="excluded warning">${empty === cells.length ? "No" : `${count(empty, "cell")} (page, link and lane) of ${String(cells.length)} ${empty === 1 ? "has no" : "have no"}`} valid load${empty === cells.length && " in any cell"}: <a href="#excluded">which, and why</a>.</p>`;
}

interface VerdictTerms {
  readonly plan: SweepPlan;
  /** What is said of modelled pages. */
  readonly modelled: readonly string[];
  readonly links: number;
  readonly settled: StoppingSummary | null;
}

function verdictMarkup(verdict: SweepVerdict, { plan, modelled, links, settled }: VerdictTerms): Markup {
  const sentences = verdict.pairs.map(
    (pair, index) =>
      html`${index < headlines ? html`<p>${signed(pair.sentence)}</p>` : html`<p class="more">${signed(pair.sentence)}</p>`}${links > 1 && winsLine(pair) !== null && html`<p class="wins">${winsLine(pair)}</p>`}`,
  );
  const nothing =
    verdict.pairs.length === 0 && verdict.notes.length === 0 && html`<p>No verdict: nothing to compare.</p>`;
  return html`<div class="verdict" id="verdict">${sentences}${verdict.notes.map((note) => html`<p>${note}</p>`)}${nothing}</div><p class="scope">${verdict.scope}.</p>${settled && html`<p class="scope">${stoppingSentence(settled)}</p>`}${servedMarkup(plan.serving)}${dilatedMarkup(plan)}${modelled.map((sentence) => html`<p class="scope">${sentence}</p>`)}<p class="excluded">${verdict.excluded ?? "Nothing was left out."}</p>`;
}

/** Pages whose loads had their clock set though the plan does not say so. */
function pinnedByTrial({ sweep, facts }: ReportData): string[] {
  if (settleServing(sweep.plan.serving).pin_time) return [];
  const pages = [...facts.values()].flatMap(({ page, serving }) => (serving?.pin_time ? [page] : []));
  return [...new Set(pages)].sort();
}

/** The loads as a link that saves a file: a data URL needs neither script nor network. */
function csvLink(data: ReportData): Markup {
  const csv = Buffer.from([...csvLines(data.sweep.plan, data.cells, data.loads, data.filmedLoads)].join(""));
  const plain = csv.length <= csvPlainLimit_bytes;
  const body = plain ? csv : gzipSync(csv, { level: 9 });
  const name = `trilane-sweep-${data.sweep.id}.csv${plain ? "" : ".gz"}`;
  const type = plain ? "text/csv;charset=utf-8" : "application/gzip";
  return html`<p><a download="${name}" href="data:${type};base64,${body.toString("base64")}">${name}</a>: ${count(data.loads.length, "load")}${data.filmedLoads.length > 0 && ` and ${count(data.filmedLoads.length, "filmed load")}`}, one row each; <code>trilane export --help</code> explains the columns. HAR and JSON: <code>trilane export ${String(data.sweep.id)} --format har</code>.</p>`;
}

/** The report as one HTML document. */
export function buildReport(data: ReportData): string {
  const { sweep } = data;
  const modelled = modelledPages(sweep);
  const profiles = profilesOf(data);
  const results = groupResults(data);
  const lanes = sortLanes(data.cells.map((cell) => cell.lane));
  const grid = linkGrid(profiles);
  const traits = traitsByLink(data.cells);
  const verdict = sweepVerdict(data.loads, traits, sweep.seed);
  const firstSection = new Map<string, string>();
  const firstOfPage = new Map<string, string>();
  for (const { group, id } of results) {
    firstSection.set(JSON.stringify([group.link, group.page]), id);
    if (!firstSection.has(group.link)) firstSection.set(group.link, id);
    if (!firstOfPage.has(group.page)) firstOfPage.set(group.page, id);
  }
  const target = (link: string, page: string | null): string =>
    firstSection.get(page === null ? link : JSON.stringify([link, page])) ?? "pages";
  const sets = mapSets(data, lanePairs(lanes), grid, target);
  const end = scaleEnd(sets.flatMap((set) => set.maps));
  const figures = sets.map((set) => {
    const figure = heatMapFigure(set.title, set.caption, set.maps, grid, end);
    return set.page === null
      ? figure
      : new Markup(figure.text.replace("<figure", html`<figure data-page="${set.page}"`.text));
  });
  const settled = stoppingSummaryOf(data);
  const study = studyOfPlan(sweep.name);
  const published = publishedSection(study, study ? comparedFigures(study, data.loads, sweep.seed) : []);
  const cdfs = cdfsOf(data).map(cdfFigure);
  const splits = splitsOf(data).map(splitFigure);
  const helped = helpedSection(data, lanePairs(lanes), (page) => firstOfPage.get(page) ?? "pages");
  const hosts = hostsSection(data.cells, data.loads, data.references ?? []);
  const unfinished =
    sweep.finished_at === null &&
    html`<p class="excluded warning">This sweep is not finished: ${count(data.loads.filter(isValid).length, "valid load")} of ${sweep.plan.until ? "at most " : ""}${String(data.cells.length * sweep.plan.repetitions)} so far.</p>`;
  const body = html`<header><h1>Trilane · ${sweep.name}</h1>${sweep.plan.description && html`<p class="soft">${sweep.plan.description}</p>`}</header>
<main>
${invalidBanner(data.loads)}${verdictMarkup(verdict, { plan: sweep.plan, modelled: [...modelled.values()], links: profiles.size, settled })}
${emptyCellsMarkup(data)}${unfinished}
<nav class="contents" aria-label="Contents">${figures.length > 0 && html`<a href="#heatmaps">Heat maps</a>`}${cdfs.length > 0 && html`<a href="#cdfs">Distributions</a>`}${splits.length > 0 && html`<a href="#split">Network and computation</a>`}${helped && html`<a href="#helped">Helped and hurt</a>`}${published && html`<a href="#published">Published</a>`}${settled && html`<a href="#decisions">Settled</a>`}<a href="#medians">Medians</a><a href="#pages">Pages</a><a href="#selftest">Self-test</a>${hosts && html`<a href="#machines">Machines</a>`}<a href="#matching">Matched</a><a href="#coverage">Coverage</a><a href="#disturbance">Disturbance</a><a href="#steadiness">Steadiness</a><a href="#excluded">Left out</a><a href="#method">How it was done</a><a href="#data">Data</a></nav>
${figures.length > 0 && html`<section id="heatmaps"><h2>Improvement across links</h2><div class="scroll">${heatLegend(end)}</div>${figures}</section>`}
${cdfs.length > 0 && html`<section id="cdfs"><h2>Distributions over pages</h2><div class="side-by-side">${cdfs}</div></section>`}
${splits.length > 0 && html`<section id="split"><h2>Network and computation</h2><div class="side-by-side">${splits}</div></section>`}
${helped}
${published}
${decisionSection(settled)}
<section id="medians"><h2>Medians</h2>${medianTable(results, lanes)}</section>
<section id="pages"><h2>Page by page</h2>${pageSections(data, results, lanes, profiles)}</section>
<section id="selftest"><h2>The links' self-test</h2>${linkTestSection(data.linkTests)}</section>
${hosts && html`<section id="machines"><h2>The machines</h2>${hosts}</section>`}
<section id="matching"><h2>What was matched</h2>${matchSection(data)}</section>
<section id="coverage"><h2>Coverage</h2>${coverageSection(data.loads, sweep.plan.strict ?? false, modelled, pinnedByTrial(data))}</section>
<section id="disturbance"><h2>What the machine added</h2>${disturbanceSection(data.loads, sweep.plan)}</section>
<section id="steadiness"><h2>How steady loads were</h2>${steadinessSection(data.loads)}</section>
<section id="excluded"><h2>What was left out</h2>${excludedSection(data)}</section>
<section id="method"><h2>How it was done</h2>${methodSection(data)}</section>
<section id="data"><h2>Data</h2>${csvLink(data)}<p>To cite: ${citation(data)}</p></section>
</main>`;
  const title = verdict.pairs[0]?.sentence ?? sweep.name;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Trilane ${data.version}">
<title>${sweep.name}: ${title}</title>
<style>${new Markup(css)}</style>
</head>
<body>
${hatchPatterns()}
${body}
<script>${new Markup(script)}</script>
</body>
</html>
`.text;
}

/** Where a sweep's report is, unless it was asked for elsewhere. */
export function reportPath(home: string, sweep: { id: number; name: string }): string {
  const name = sweep.name.replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(0, 60);
  return join(home, "reports", `${sweep.id}-${name}.html`);
}

/** Writes the report of a sweep in a home's results; returns its path. */
export async function writeReport(home: string, sweepId: number, path?: string): Promise<string> {
  const results = resultsOf(home);
  try {
    const to = path ?? reportPath(home, results.sweep(sweepId));
    if (path === undefined) await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await writeReportOf(results, sweepId, to);
    return to;
  } finally {
    results.close();
  }
}

export async function writeReportOf(results: Results, sweepId: number, path: string): Promise<void> {
  await atomicWrite(path, buildReport(gatherReport(results, sweepId, version)));
}
