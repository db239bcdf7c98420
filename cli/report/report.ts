// The report of a sweep of pages: one HTML file that needs nothing else, not even a network. `buildReport` is data in, text out.
// Instruments have reports of their own (cli/instruments).
import { gzipSync } from "node:zlib";
import { html, type Markup } from "../../extension/figures/markup.ts";
import type { LinkProfile } from "../../schemas/generated/link_profile.ts";
import { middleCut } from "../base/middle_cut.ts";
import { count, withMinus } from "../base/numbers.ts";
import { version } from "../base/version.ts";
import { describeLinks, traitsByLink } from "../link/link.ts";
import { settleServing } from "../load/serving/serving.ts";
import { csvLines } from "../results/export/csv.ts";
import { firstLook, futilityThreshold, lastLook } from "../results/stats/sequential.ts";
import { modelledPages } from "../results/store/modelled_pages.ts";
import type { Results } from "../results/store/results.ts";
import { comparedFigures } from "../results/studies/agreement.ts";
import { studies } from "../results/studies/all.ts";
import { comparedSpreads } from "../results/studies/spread.ts";
import { studyOfPlan } from "../results/studies/study.ts";
import { comparedMetric, type MetricChoice } from "../results/verdict/compared_metric.ts";
import { compare } from "../results/verdict/comparison.ts";
import {
  decisionWords,
  type StoppingSummary,
  stoppingSentence,
  stoppingSummary,
} from "../results/verdict/load_stopping_outcome.ts";
import { type LanePair, lanePairs, sortLanes } from "../results/verdict/sample.ts";
import { sidesOf } from "../results/verdict/sides_agree.ts";
import { summarize } from "../results/verdict/summary.ts";
import { verdictBy } from "../results/verdict/sweep_verdict.ts";
import { agreementSection } from "./agreement_section.ts";
import { answerMarkup, comparisonsMarkup, stampLine } from "./answer_section.ts";
import { beyondSection } from "./beyond_section.ts";
import { cdfsOf } from "./cdfs_of.ts";
import { coverageSection } from "./coverage.ts";
import { gatherReport, groupsOf, type ReportData } from "./data.ts";
import { disturbanceSection } from "./disturbance.ts";
import { fallbackSection } from "./fallback_section.ts";
import { cdfFigure } from "./figures/cdf.ts";
import { heatKey, heatLegend, heatMapFigure, scaleEnd } from "./figures/heat_map.ts";
import { type LinkGrid, linkGrid } from "./figures/link_axes.ts";
import { linkCell } from "./figures/parts.ts";
import { splitFigure } from "./figures/split.ts";
import { whyFigure } from "./figures/why_bars.ts";
import { type FirstFilms, firstFigure, firstFilms } from "./first_figure.ts";
import { mapSets } from "./heat_maps_of.ts";
import { helpedSection } from "./helped_section.ts";
import { hostsSection } from "./hosts.ts";
import { linkTestSection } from "./link_tests.ts";
import { citation, excludedSection, methodSection } from "./method.ts";
import { forEachMetric, metricSwitch } from "./metric_switch.ts";
import { pageFrame, type Section } from "./page_frame.ts";
import { maxSections, pageSections } from "./page_sections.ts";
import { publishedSection } from "./published.ts";
import { splitsOf } from "./splits_of.ts";
import { steadinessSection } from "./steadiness.ts";
import { type GroupResult, medianTable } from "./tables.ts";
import { matchSection } from "./unmatched.ts";

/** Of the decisions of a sweep that ran until its loads were enough. */
const maxRows = 1500;

const rule = `Lanes are compared pair by pair after each block from the ${firstLook}th to the ${lastLook}th: by a test of their medians that holds for lanes of unequal noise, equivalence by two one-sided ones, at levels that keep the chance of a wrong decision over all looks below 5 % for each pair. A pair that the last look would decide with a chance below ${futilityThreshold * 100} % is given up. The figure is of the medians when the loads stopped, which leans away from 0; its interval holds for all looks together. Intervals of medians, maps and what is pooled count one look; where they differ, these decisions hold.`;

/** Null for a plan with a fixed number of repetitions. */
function decisionSection(settlement: StoppingSummary | null): Markup | null {
  if (!settlement) return null;
  const { until, decisions } = settlement;
  const sentence = html`<p>${stoppingSentence(settlement)}</p>`;
  if (!("decided_percent" in until)) return html`${sentence}`;
  const rows = decisions
    .slice(0, maxRows)
    .map(
      (each) =>
        html`<tr data-page="${each.page}" data-link="${each.link}"><th scope="row">${middleCut(each.page, 48)}</th>${linkCell(each.link)}<td>${withMinus(decisionWords(each, until.decided_percent))}</td><td class="num">${String(each.blocks)}</td></tr>`,
    );
  return html`${sentence}<p class="soft">${rule}</p><div class="scroll"><table class="sortable"><thead><tr><th scope="col">Page</th><th scope="col">Link</th><th scope="col">Decision</th><th scope="col" class="num">Blocks</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

const csvPlainLimit_bytes = 500_000;

function profilesOf(data: ReportData): Map<string, LinkProfile> {
  const profiles = new Map(data.cells.map((cell) => [cell.link, cell.link_profile]));
  describeLinks([...profiles.values()]); // all at once; each is then known
  return profiles;
}

function groupResults(data: ReportData): GroupResult[] {
  const pairs = lanePairs(data.cells.map((cell) => cell.lane));
  return groupsOf(data.cells, data.loads).map((group, index) => {
    const summaries = summarize(group.loads);
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
  };
  return { lane, loads: 0, valid: 0, invalid: 0, failed: 0, ...nothing };
}

function stoppingSummaryOf({ sweep, cells, loads, metric }: ReportData): StoppingSummary | null {
  const { until, repetitions } = sweep.plan;
  return until ? stoppingSummary(cells, loads, metric, until, repetitions) : null;
}

/** Pages whose loads had their clock set though the plan does not say so. */
function pinnedByTrial({ sweep, facts }: ReportData): string[] {
  if (settleServing(sweep.plan.serving).pin_time) return [];
  const pages = [...facts.values()].flatMap(({ page, serving }) => (serving?.pin_time ? [page] : []));
  return [...new Set(pages)].sort();
}

/** The loads as a link that saves a file: a data URL needs neither script nor network. */
function csvLink(data: ReportData): Markup {
  const csv = Buffer.from([...csvLines(data.sweep.plan, data.cells, data.stored, data.filmedLoads)].join(""));
  const plain = csv.length <= csvPlainLimit_bytes;
  const body = plain ? csv : gzipSync(csv, { level: 9 });
  const name = `trilane-sweep-${data.sweep.id}.csv${plain ? "" : ".gz"}`;
  const type = plain ? "text/csv;charset=utf-8" : "application/gzip";
  return html`<p><a download="${name}" href="data:${type};base64,${body.toString("base64")}">${name}</a>: ${count(data.loads.length, "load")}${data.filmedLoads.length > 0 && ` and ${count(data.filmedLoads.length, "filmed load")}`}, one row each; <code>trilane export --help</code> explains the columns. HAR and JSON: <code>trilane export ${String(data.sweep.id)} --format har</code>.</p>`;
}

/** Where a map's cell leads to: the first section of its link, or of its page on it. */
function targets(results: readonly GroupResult[]) {
  const first = new Map<string, string>();
  const ofPage = new Map<string, string>();
  for (const { group, id } of results) {
    first.set(JSON.stringify([group.link, group.page]), id);
    if (!first.has(group.link)) first.set(group.link, id);
    if (!ofPage.has(group.page)) ofPage.set(group.page, id);
  }
  return {
    ofCell: (link: string, page: string | null): string =>
      first.get(page === null ? link : JSON.stringify([link, page])) ?? "pages",
    ofPage: (page: string): string => ofPage.get(page) ?? "pages",
  };
}

/** The report's own metric first, then the others that a reader can choose. */
const viewsOf = (data: ReportData): readonly [ReportData, ...ReportData[]] => [
  data,
  ...data.otherMetrics.map((other) => ({ ...data, ...other })),
];

/** One colour means one improvement, by whichever metric. */
function mapsSection(
  views: readonly ReportData[],
  pairs: readonly LanePair[],
  grid: LinkGrid,
  ofCell: ReturnType<typeof targets>["ofCell"],
): Markup | null {
  const drawn = views.map((view) => ({ metric: view.metric, sets: mapSets(view, pairs, grid, ofCell) }));
  const end = scaleEnd(drawn.flatMap(({ sets }) => sets.flatMap(({ maps }) => maps)));
  const maps = forEachMetric(drawn, ({ sets }) =>
    sets.length === 0 ? null : html`${sets.map((set) => heatMapFigure(set, grid, end))}`,
  );
  return maps && html`<div class="scroll">${heatLegend(end)}</div>${heatKey}${maps}`;
}

interface Gathered {
  readonly views: readonly [ReportData, ...ReportData[]];
  readonly results: readonly GroupResult[];
  readonly films: FirstFilms | null;
  readonly profiles: ReadonlyMap<string, LinkProfile>;
  readonly settled: StoppingSummary | null;
}

/** All that follows the first screen, in its order. */
function sectionsOf({ views, results, films, profiles, settled }: Gathered): Section[] {
  const [data] = views;
  const { sweep } = data;
  const lanes = sortLanes(data.cells.map((cell) => cell.lane));
  const pairs = lanePairs(lanes);
  const grid = linkGrid(profiles);
  const { ofCell, ofPage } = targets(results);
  const study = studyOfPlan(studies, sweep.name);
  const sideBySide = (figures: readonly Markup[], links: number): Markup | null => {
    if (figures.length === 0) return null;
    const rest =
      links > figures.length &&
      html`<p class="soft">${String(figures.length)} of ${count(links, "link")}, spread over all of them; the <a href="#medians">medians</a> have every one.</p>`;
    return html`${rest}<div class="side-by-side">${figures}</div>`;
  };
  const section = (id: string, name: string, heading: string, body: Markup | null): Section => ({
    id,
    name,
    heading,
    body,
  });
  const evidence = (...of: Parameters<typeof section>): Section => ({ ...section(...of), isClosed: true });
  const modelled = modelledPages(sweep);
  const traits = traitsByLink(data.cells);
  const comparisons = (view: ReportData): Markup | null =>
    comparisonsMarkup(view, {
      verdict: verdictBy(view.metric, view.stored, traits, sweep.seed),
      modelled: [...modelled.values()],
      profiles,
      settled,
    });
  const cdfs = (view: ReportData): Markup | null => {
    const { shown, links } = cdfsOf(view);
    return sideBySide(shown.map(cdfFigure), links);
  };
  const splits = splitsOf({ cells: data.cells, loads: data.stored });
  const { pair, paths } = data.answer;
  return [
    section("why", "Why", "Where the difference is", pair && paths && whyFigure(pair, paths, sweep.name)),
    section("comparisons", "All comparisons", "All comparisons", forEachMetric(views, comparisons)),
    section("agreement", "Agreement", "Do they agree?", agreementSection(data)),
    section("heatmaps", "Maps", "Improvement across links", mapsSection(views, pairs, grid, ofCell)),
    section("cdfs", "Distributions", "Distributions over pages", forEachMetric(views, cdfs)),
    section(
      "split",
      "Network and off it",
      "Time on the network and off it",
      sideBySide(
        splits.shown.map((split, index) => splitFigure(split, index === 0)),
        splits.links,
      ),
    ),
    section("helped", "Helped and hurt", "Pages helped and hurt most", helpedSection(data, pairs, ofPage, study)),
    section("fallback", "Fallback", "Falling back to TCP", fallbackSection(data.cells, data.stored)),
    evidence("beyond", "Beyond the median", "Beyond the median", beyondSection(data)),
    section(
      "published",
      "Published",
      "Beside the published figures",
      study
        ? publishedSection(
            study,
            sidesOf(data.stored).map(({ name, loads }) => ({
              name,
              figures: comparedFigures(study, loads, sweep.seed),
              spreads: comparedSpreads(study, loads, sweep.seed),
            })),
          )
        : null,
    ),
    section("decisions", "Settled", "What was settled", decisionSection(settled)),
    section(
      "medians",
      "Medians",
      "Medians",
      forEachMetric(views, (view, isFirst) =>
        medianTable(isFirst ? results : groupResults(view), comparedMetric(view.metric).noun),
      ),
    ),
    section("pages", "Pages", "Page by page", pageSections(data, results, lanes, profiles, films?.id ?? null)),
    evidence("selftest", "Self-test", "The links’ self-test", linkTestSection(data.linkTests)),
    evidence("machines", "Machines", "The machines", hostsSection(data.cells, data.stored, data.references ?? [])),
    evidence("matching", "Request matching", "Request matching", matchSection(data)),
    evidence(
      "coverage",
      "Coverage",
      "Coverage",
      coverageSection(data.stored, sweep.plan.strict ?? false, modelled, pinnedByTrial(data)),
    ),
    evidence("disturbance", "Machine noise", "Machine noise", disturbanceSection(data.stored, sweep.plan)),
    evidence("steadiness", "Variability", "Variability", steadinessSection(data.loads)),
    evidence("excluded", "Invalid loads", "Invalid loads", excludedSection(data)),
    evidence("method", "Method", "Method", html`<p class="stamp">${stampLine(data)}</p>${methodSection(data)}`),
    evidence("data", "Data", "Data", html`${csvLink(data)}<p>To cite: ${citation(data)}</p>`),
  ];
}

/** The report as one HTML document: the answer in words, as a picture, as films; then all that it rests on. */
export function buildReport(data: ReportData): string {
  const { sweep } = data;
  const views = viewsOf(data);
  const results = groupResults(data);
  const films = firstFilms(data, results);
  const profiles = profilesOf(data);
  const picture = (view: ReportData, isFirst: boolean): Markup => {
    const shown = firstFigure(view, isFirst ? results : groupResults(view));
    return html`${answerMarkup(view)}${shown}`;
  };
  return pageFrame({
    title: `${sweep.name}: ${data.answer.sentence}`,
    version: data.version,
    header: html`<h1>Trilane · ${sweep.name}</h1>${sweep.plan.description && html`<p class="soft">${sweep.plan.description}</p>`}`,
    first: html`${forEachMetric(views, picture)}${metricSwitch(views)}${films?.markup}`,
    sections: sectionsOf({ views, results, films, profiles, settled: stoppingSummaryOf(data) }),
  });
}

/** The report of a stored sweep of pages. */
export const reportOf = (results: Results, sweepId: number, metric?: MetricChoice): string =>
  buildReport(gatherReport(results, sweepId, version, metric));
