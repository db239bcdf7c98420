// The report of a sweep of flows, in the same frame as one of pages: the answer first, then figures, tables and how it was done.
// Data in, text out.

import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { middleCut } from "../../../base/middle_cut.ts";
import { count, formatTime, formatTimeRange } from "../../../base/numbers.ts";
import { median } from "../../../base/quantile.ts";
import { version } from "../../../base/version.ts";
import { parseFlow } from "../../../link/flows/flow_words.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { linkCell } from "../../../report/figures/parts.ts";
import { machinesSection, runsOnLinks } from "../../../report/hosts.ts";
import { answerBlock, instrumentReport, unfinishedLine } from "../../../report/instrument_report.ts";
import { publishedNumbers } from "../../../report/published_numbers.ts";
import { stoppingSentences } from "../../../results/answer/rule_outcome.ts";
import { medianInterval } from "../../../results/stats/median_interval.ts";
import type { Results } from "../../../results/store/results.ts";
import { studyOfPlan } from "../../../results/studies/study.ts";
import { flowContrasts, flowStopping } from "../answer/contrasts.ts";
import { type AnsweredCell, flowAnswer } from "../answer/flow_answer.ts";
import { tcpBufferNotes } from "../answer/tcp_buffers.ts";
import { flowStudies } from "../studies/all.ts";
import { comparedFlowFigures } from "../studies/flow_agreement.ts";
import { barsOf, capacityOf, jainOf, sharesOf } from "./estimates.ts";
import { type FlowReportCell, type FlowReportData, gatherFlowReport } from "./flow_data.ts";
import { goodputBars } from "./goodput_bars.ts";
import { jainOverTime } from "./jain_over_time.ts";
import { cellSections, invalidSection, methodSection, sectionId } from "./sections.ts";
import { sharesByBuffer } from "./shares_by_buffer.ts";
import { cellsTable } from "./tables.ts";

// How long the page took that was loaded during flows: a row for each mix, link and lane, and a sentence where there is one mix on one
// link. Takes times, computes medians and intervals only.

interface PageTime {
  readonly cell: FlowReportCell["cell"];
  readonly n: number;
  readonly median_ms: number;
  readonly interval: ReturnType<typeof medianInterval>;
}

function pageTimes(cells: readonly FlowReportCell[]): PageTime[] {
  return cells.flatMap(({ cell, plts_ms }) =>
    plts_ms.length === 0
      ? []
      : [{ cell, n: plts_ms.length, median_ms: median(plts_ms), interval: medianInterval(plts_ms) }],
  );
}

/** `The page during the flows: median PLT 2060 ms over h1, 1930 ms (1900 to 1980 ms) over h3.`; null: no page, or several mixes or links. */
function pageSentence(cells: readonly FlowReportCell[]): string | null {
  const times = pageTimes(cells);
  if (times.length === 0 || new Set(cells.map(({ cell }) => JSON.stringify([cell.mix, cell.link]))).size > 1)
    return null;
  const words = times.map(
    ({ cell, median_ms, interval }) =>
      `${formatTime(median_ms)}${interval ? ` (${formatTimeRange(interval)})` : ""} over ${cell.lane}`,
  );
  return `The page during the flows: median PLT ${words.join(", ")}.`;
}

/** Null where no page was loaded. */
function pageTable(cells: readonly FlowReportCell[]): Markup | null {
  const times = pageTimes(cells);
  if (times.length === 0) return null;
  const rows = times.map(
    ({ cell, n, median_ms, interval }) =>
      html`<tr><th scope="row">${middleCut(cell.mix, 60)}</th>${linkCell(cell.link)}<td>${cell.lane}</td><td class="num" data-sort="${String(median_ms)}">${formatTime(median_ms)}<small>${interval && formatTimeRange(interval)}</small></td><td class="num">${String(n)}</td></tr>`,
  );
  const figure = html`<figure class="flow-cells"><figcaption>Page load time (PLT: loadEventEnd − navigationStart) during the flows: median over ${count(
    times.reduce((sum, { n }) => sum + n, 0),
    "valid run",
  )}, below it the 95 % interval.</figcaption><div class="scroll"><table class="sortable"><thead><tr><th scope="col">mix</th><th scope="col">link</th><th scope="col">page over</th><th scope="col" class="num">PLT</th><th scope="col" class="num">runs</th></tr></thead><tbody>${rows}</tbody></table></div></figure>`;
  return savedFigure(figure, {
    name: ["page-load-times"],
    columns: ["mix", "link", "lane", "runs", "plt_ms", "low_ms", "high_ms"],
    rows: times.map(({ cell, n, median_ms, interval }) => [
      ...[cell.mix, cell.link, cell.lane, n, median_ms, interval?.low ?? null, interval?.high ?? null],
    ]),
  });
}

const mostFairnessFigures = 12;

const answered = ({ cell, words, summary }: FlowReportCell): AnsweredCell => ({
  mix: cell.mix,
  link: cell.link,
  lane: cell.lane,
  parts: words,
  capacity_bps: { down: capacityOf(cell.link_profile, "down"), up: capacityOf(cell.link_profile, "up") },
  summary,
});

function firstScreen(data: FlowReportData, sentences: readonly string[]): Markup {
  const { cells, sweep } = data;
  const [first = "No run is valid yet.", ...rest] = sentences;
  const all = cells.reduce((sum, { runs }) => sum + runs.length, 0);
  const valid = cells.reduce((sum, cell) => sum + cell.valid.length, 0);
  const empty = cells.filter((cell) => cell.valid.length === 0).length;
  const left = all - valid;
  const without =
    empty > 0 &&
    html`<p class="excluded warning">${empty === cells.length ? "No cell" : `${count(empty, "cell")} (mix and link) of ${cells.length}`} ${empty === 1 || empty === cells.length ? "has" : "have"} ${empty === cells.length ? "a" : "no"} valid run: <a href="#excluded">which, and why</a>.</p>`;
  return html`${answerBlock(first, rest)}
${left > 0 && html`<p class="excluded">Invalid: ${count(left, "run")} of ${String(all)}. <a href="#excluded">Which, and why</a>.</p>`}${without}${unfinishedLine(sweep, `${count(valid, "valid run")} of ${cells.length * sweep.plan.repetitions}`)}`;
}

function fairness(cells: readonly FlowReportCell[]): Markup | null {
  const figures = jainOf(cells);
  if (figures.length === 0) return null;
  const left = figures.length - mostFairnessFigures;
  return html`${figures.slice(0, mostFairnessFigures).map(({ link, lines }) => jainOverTime(link, lines))}${left > 0 && html`<p class="soft">${count(left, "more link")} are not drawn; Jain’s index of each is in the table.</p>`}`;
}

/** Where the plan is a study's. */
function published({ sweep, cells }: FlowReportData): Markup | null {
  const study = studyOfPlan(flowStudies, sweep.name);
  const runs = cells.flatMap(({ valid }) => valid);
  return study && publishedNumbers(study, comparedFlowFigures(study, runs, sweep.seed));
}

/** Who ran what, if several machines shared the plan. */
function machines({ hosts, cells }: FlowReportData): Markup | null {
  const all = cells.flatMap(({ runs }) => runs);
  return machinesSection(hosts, all, [], runsOnLinks);
}

/** Who got more, and what the plan's rule came to. */
function comparisons({ cells, sweep }: FlowReportData): string[] {
  const compared = cells.map(({ cell, words }) => ({ ...cell, parts: words }));
  const attempts = cells.flatMap(({ runs }) => runs).toSorted((a, b) => a.id - b.id);
  return [
    ...flowContrasts(compared, attempts, sweep.plan),
    ...stoppingSentences(flowStopping(sweep, compared, attempts)),
  ];
}

/** The report as one HTML document. */
export function buildFlowReport(data: FlowReportData): string {
  const { cells, sweep, linkTests } = data;
  const page = pageSentence(cells);
  const windowed = cells.map(({ cell, words }) => ({ ...cell, flows: words.map((word) => parseFlow(word, null)) }));
  const sentences = [
    ...flowAnswer(cells.map(answered)),
    ...comparisons(data),
    ...(page === null ? [] : [page]),
    ...tcpBufferNotes(windowed),
  ];
  const targets = new Map(cells.map((cell) => [cell.cell.id, sectionId(cell)]));
  const bars = barsOf(cells).map(goodputBars);
  const shares = sharesOf(cells).map(sharesByBuffer);
  const valid = cells.reduce((sum, cell) => sum + cell.valid.length, 0);
  const runs = cells.reduce((sum, cell) => sum + cell.runs.length, 0);
  return instrumentReport({
    ...{ sweep, version: data.version, answer: sentences[0] ?? "no valid run", linkTests },
    ...{ counted: count(valid, "valid run"), attempts: count(runs, "run"), attempt: "run" },
    first: firstScreen(data, sentences),
    sections: [
      { id: "published", name: "Published", heading: "Beside the published figures", body: published(data) },
      { id: "goodput", name: "Goodput", heading: "Goodput", body: bars.length === 0 ? null : html`${bars}` },
      { id: "shares", name: "Shares", heading: "Shares by buffer", body: shares.length === 0 ? null : html`${shares}` },
      { id: "cells", name: "Link usage", heading: "Link usage", body: cellsTable(cells, targets) },
      { id: "page", name: "The page", heading: "The page during the flows", body: pageTable(cells) },
      { id: "time", name: "Over time", heading: "Over time, cell by cell", body: cellSections(data) },
      { id: "fairness", name: "Fairness", heading: "Fairness second by second", body: fairness(cells) },
      { id: "excluded", name: "Invalid runs", heading: "Invalid runs", body: invalidSection(data) },
    ],
    machines: machines(data),
    method: methodSection(data),
  });
}

/** The report of a stored sweep. */
export const flowReport = (results: Results, sweep: number): string =>
  buildFlowReport(gatherFlowReport(results, sweep, version));
