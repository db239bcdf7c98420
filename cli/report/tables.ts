// The table of medians: a row for each page on each link, in each of several browsers, the most helped first. Takes comparisons, computes none.

import { html, type Markup } from "../../extension/figures/markup.ts";
import { factorsApart } from "../base/factors.ts";
import { endsOf } from "../base/interval.ts";
import { factorsOf, type LaneLabel, withoutFactors } from "../base/lanes.ts";
import { middleCut } from "../base/middle_cut.ts";
import { formatMedian } from "../base/numbers.ts";
import type { Improvement } from "../results/verdict/comparison.ts";
import { counted, type LanePair, sortLanes } from "../results/verdict/sample.ts";
import { sidesOf } from "../results/verdict/sides_agree.ts";
import type { LaneSummary } from "../results/verdict/summary.ts";
import { reasonKind } from "../results/verdict/verdict.ts";
import type { Group } from "./data.ts";
import { savedFigure } from "./figures/figure_file.ts";
import { builtLater, linkCell, readingKey } from "./figures/parts.ts";
import { improvementText, marksEnd, whiskerMarkup } from "./figures/whisker.ts";

export interface GroupResult {
  readonly group: Group;
  readonly lanes: readonly LaneSummary[];
  /** In the report's order of pairs: h2 over h1, h3 over h1, h3 over h2. */
  readonly improvements: readonly Improvement[];
  /** Fragment of its section. */
  readonly id: string;
  readonly hasSection: boolean;
}

const maxTableRows = 1500;
/** As many fill a screen or two. */
const rowsAtOnce = 50;
/** As many are built in one pause. */
const rowsInPause = 100;

/** The rows' table; further rows stand behind it until they are built into it. */
function rowsMarkup(rows: readonly Markup[], head: Markup): Markup {
  const table = (of: readonly Markup[], heading: Markup | null): Markup =>
    html`<table class="sortable medians">${heading}<tbody>${of}</tbody></table>`;
  const parts: Markup[] = [];
  for (let from = rowsAtOnce; from < rows.length; from += rowsInPause)
    parts.push(builtLater(table(rows.slice(from, from + rowsInPause), null)));
  return html`${table(rows.slice(0, rowsAtOnce), head)}${parts}`;
}

/** The end of the whiskers' axis: round, and the same for the whole table. */
function whiskerEnd(results: readonly GroupResult[]): number {
  const ends = results
    .flatMap(({ improvements }) => improvements)
    .flatMap(({ percent, interval }) => (percent === null ? [] : [percent, interval?.low ?? 0, interval?.high ?? 0]))
    .map(Math.abs)
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  return marksEnd([ends[Math.ceil(ends.length * 0.95) - 1] ?? 10]);
}

function byLastImprovement(a: GroupResult, b: GroupResult): number {
  const percent = (result: GroupResult): number => result.improvements.at(-1)?.percent ?? Number.NEGATIVE_INFINITY;
  return percent(b) - percent(a);
}

/** Of the last load of a lane that was left out: what all of them most likely have in common. */
function whyLeftOut(loads: Group["loads"], lane: string): string | null {
  const [reason] = loads.findLast((load) => load.lane === lane && counted(load) === null)?.reasons ?? [];
  return reason === undefined ? null : reasonKind(reason);
}

function laneCell(lane: LaneSummary | undefined, loads: Group["loads"]): Markup {
  if (!lane || lane.median_ms === null) {
    if (!lane || lane.loads === 0) return html`<td class="num none" data-sort="">not run</td>`;
    const counts = [lane.invalid > 0 && `${lane.invalid} invalid`, lane.failed > 0 && `${lane.failed} failed`];
    const why = whyLeftOut(loads, lane.lane);
    return html`<td class="num none" data-sort="" title="${why ?? ""}">none valid<small>${counts.filter(Boolean).join(", ")}${why !== null && `: ${middleCut(why, 60)}`}</small></td>`;
  }
  const out = lane.timed_out > 0 && `, ${lane.timed_out} timed out`;
  return html`<td class="num" data-sort="${String(lane.median_ms)}">${formatMedian(lane.median_ms, lane.isAtLeast)}<small>n ${String(lane.valid)}${out}</small></td>`;
}

/** What the table's columns are, of whichever browser or server. */
interface Columns {
  readonly lanes: readonly string[];
  readonly pairs: readonly LanePair[];
  readonly isSided: boolean;
}

/** Undefined: the row's browser or server has not both lanes. */
const improvementIn = ({ improvements }: SideResult, { lane, over }: LanePair): Improvement | undefined =>
  improvements.find(({ pair }) => pair.lane === lane && pair.over === over);

function improvementCell(improvement: Improvement | undefined, end: number): Markup {
  if (!improvement) return html`<td class="imp none" data-sort="">–</td>`;
  const { percent, reason } = improvement;
  return html`<td class="imp" data-sort="${percent === null ? "" : String(percent)}" title="${reason ?? ""}"><span>${improvementText(improvement)}</span>${whiskerMarkup(improvement, end)}</td>`;
}

function rowMarkup(result: SideResult, { lanes, pairs, isSided }: Columns, end: number): Markup {
  const { page, link } = result.group;
  const name = html`<span title="${page}">${middleCut(page, 48)}</span>`;
  return html`<tr data-page="${page}" data-link="${link}"><th scope="row">${
    result.hasSection ? html`<a href="#${result.id}">${name}</a>` : name
  }</th>${linkCell(link)}${isSided && html`<td class="side">${result.side}</td>`}${lanes.map((lane) =>
    laneCell(
      result.lanes.find((summary) => summary.lane === lane),
      result.group.loads,
    ),
  )}${pairs.map((pair) => improvementCell(improvementIn(result, pair), end))}</tr>`;
}

function csvRow(result: SideResult, { lanes, pairs, isSided }: Columns): (string | number | null)[] {
  const { group, lanes: summaries, side } = result;
  const ofLanes = lanes.flatMap((lane) => {
    const summary = summaries.find((each) => each.lane === lane);
    return [
      summary?.median_ms ?? null,
      ...endsOf(summary?.interval_ms),
      summary?.valid ?? 0,
      summary?.timed_out ?? 0,
      (summary?.loads ?? 0) - (summary?.valid ?? 0) - (summary?.timed_out ?? 0),
      whyLeftOut(group.loads, lane),
    ];
  });
  const ofPairs = pairs.flatMap((pair) => {
    const { percent = null, interval = null } = improvementIn(result, pair) ?? {};
    return [percent, ...endsOf(interval)];
  });
  return [group.page, group.link, ...(isSided ? [side] : []), ...ofLanes, ...ofPairs];
}

/** A row's page and link in one of several browsers, with that one's lanes alone. */
interface SideResult extends GroupResult {
  /** Empty: there is one. */
  readonly side: string;
}

/** Rows of one browser each; what a lane gains in one over another is beside it in no row (agreement_section.ts). */
function bySide(results: readonly GroupResult[]): SideResult[] {
  return results.flatMap((result) => {
    const sides = sidesOf(result.lanes);
    const [only, other] = sides;
    if (only?.name === "" && !other) return { ...result, side: "" };
    return sides.map(({ name, values, loads: lanes }) => {
      const isOwn = (lane: string): boolean => factorsApart(factorsOf(lane), values).length === 0;
      return {
        ...result,
        side: name,
        lanes,
        group: {
          ...result.group,
          loads: result.group.loads
            .filter(({ lane }) => isOwn(lane))
            .map((load) => ({ ...load, lane: withoutFactors(load.lane) as LaneLabel })),
        },
        improvements: result.improvements
          .filter(({ pair }) => isOwn(pair.lane) && isOwn(pair.over))
          .map((each) => ({
            ...each,
            pair: { lane: withoutFactors(each.pair.lane), over: withoutFactors(each.pair.over) },
          })),
      };
    });
  });
}

/** `noun`: the metric's, as `page load time`. */
export function medianTable(all: readonly GroupResult[], noun: string): Markup {
  const end = whiskerEnd(all);
  const results = bySide(all);
  const lanes = sortLanes(results.flatMap((result) => result.lanes.map(({ lane }) => lane)));
  const isSided = results.some(({ side }) => side !== "");
  const shown = results.toSorted(byLastImprovement).slice(0, maxTableRows);
  const nameOf = ({ lane, over }: LanePair): string => `${lane} over ${over}`;
  const compared = results.flatMap(({ improvements }) => improvements.map(({ pair }) => pair));
  const pairs = [...new Map(compared.map((pair) => [nameOf(pair), pair])).values()];
  const columns = { lanes, pairs, isSided };
  const places = ["Page", "Link", ...(isSided ? ["In"] : [])];
  const heads = [...places, ...lanes, ...pairs.map(nameOf)];
  const head = html`<thead><tr>${heads.map((name, index) => html`<th scope="col" class="${index < places.length ? "" : index < places.length + lanes.length ? "num" : "imp"}">${name}</th>`)}</tr></thead>`;
  const figure = html`<figure><figcaption>Median ${noun} of each lane; improvement in % with its 95 % interval, positive: faster. n: valid loads. The most helped first${
    results.length > shown.length &&
    html`; the first ${String(shown.length)} of ${String(results.length)} rows, all are in its CSV`
  }.</figcaption>${readingKey(`Improvement of b over a: (a − b) / a × 100. Dot and whisker: the same, from −${end} to ${end} %; hollow: too few loads for an interval; triangle: beyond that. Coloured: this row’s own test shows a difference, so that of many rows without one 5 % are coloured by chance.`)}<div class="scroll">${rowsMarkup(
    shown.map((result) => rowMarkup(result, columns, end)),
    head,
  )}</div></figure>`;
  return savedFigure(figure, {
    name: ["medians"],
    columns: [
      ...["page", "link", ...(isSided ? ["in"] : [])],
      ...lanes.flatMap((lane) => [
        `${lane}_median_ms`,
        `${lane}_low_ms`,
        `${lane}_high_ms`,
        `${lane}_loads`,
        `${lane}_timed_out`,
        `${lane}_left_out`,
        `${lane}_left_out_for`,
      ]),
      ...pairs.flatMap(({ lane, over }) => ["percent", "low", "high"].map((value) => `${lane}_over_${over}_${value}`)),
    ],
    rows: results.map((result) => csvRow(result, columns)),
  });
}
