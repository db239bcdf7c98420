// The section of one page on one link: distributions, waterfalls, the link. Assembles figures.

import { html, type Markup } from "../../extension/figures/markup.ts";
import { type DrawnLoad, timeAxisOf } from "../../extension/figures/waterfall.ts";
import type { LinkProfile } from "../../schemas/generated/link_profile.ts";
import { middleCut } from "../base/middle_cut.ts";
import { count, formatMedian, formatTime } from "../base/numbers.ts";
import { median } from "../base/quantile.ts";
import { figures } from "../registry/units.ts";
import { modelledPages } from "../results/store/modelled_pages.ts";
import type { Load } from "../results/store/results.ts";
import { comparedMetric } from "../results/verdict/compared_metric.ts";
import { isValid, timedOut } from "../results/verdict/sample.ts";
import { excludedLine } from "../results/verdict/verdict.ts";
import { type ReportData, typicalLoad } from "./data.ts";
import { distributionOf } from "./figures/distribution.ts";
import { linkFacts, type ShapedLoad } from "./figures/link_facts.ts";
import { linkOverTime } from "./figures/link_over_time.ts";
import { builtLater } from "./figures/parts.ts";
import { waterfallFigure } from "./figures/waterfall.ts";
import { filmsOf, whyUnfilmed } from "./group_films.ts";
import { metricsTable } from "./metrics_table.ts";
import type { GroupResult } from "./tables.ts";
import { videoOverTime } from "./video/video_over_time.ts";

// What it cost each lane that the link moved while one page loaded (rebind, switch): loads that survived, the first byte on the new path,
// connections opened anew. Nothing for a link that did not move. Takes what is stored; computes medians.

interface MovedLane {
  readonly lane: string;
  readonly loads: readonly Load[];
}

const valuesOf = (loads: readonly Load[], name: "path_moves" | "moved_first_byte_ms" | "reconnections"): number[] =>
  loads.flatMap((load) => load[name] ?? []);

const cell = (values: readonly number[], text: (value: number) => string): Markup =>
  html`<td class="num">${values.length === 0 ? "–" : text(median(values))}</td>`;

/** Of loads that ended whole and of those that did not for the moves' sake; what the machine disturbed says nothing of moves. */
function row({ lane, loads }: MovedLane): Markup | null {
  const moved = loads.filter((load) => load.path_moves !== null && (isValid(load) || timedOut(load)));
  if (moved.length === 0) return null;
  const survived = moved.filter(isValid).length;
  return html`<tr><th scope="row">${lane}</th><td class="num">${String(survived)} of ${String(moved.length)}</td>${cell(valuesOf(moved, "path_moves"), figures)}${cell(valuesOf(moved, "moved_first_byte_ms"), formatTime)}${cell(valuesOf(moved, "reconnections"), figures)}</tr>`;
}

export function movesTable(lanes: readonly MovedLane[]): Markup | null {
  const rows = lanes.flatMap((lane) => row(lane) ?? []);
  if (rows.length === 0) return null;
  return html`<h4>While the link moved</h4><table class="facts"><thead><tr><th scope="col">lane</th><th scope="col" class="num">loads that survived</th><th scope="col" class="num">moves</th><th scope="col" class="num">first byte after a move</th><th scope="col" class="num">connections after moves</th></tr></thead><tbody>${rows}</tbody></table><p class="soft">Medians of loads. A load survives if its page is complete. Browsers do not repeat a request that a lost connection had begun to answer, so such a page is never complete and counts as timed out. QUIC continues on the same connection. TCP opens new ones; those that the page would have needed anyway count too.</p>`;
}

interface Shown {
  readonly drawn: readonly DrawnLoad[];
  readonly shaped: readonly ShapedLoad[];
}

/** What is known in detail of this group's lanes: of each the load closest to its median. */
function shownLoads(data: ReportData, result: GroupResult): Shown {
  const drawn: DrawnLoad[] = [];
  const shaped: ShapedLoad[] = [];
  for (const { lane } of result.lanes) {
    const loads = result.group.loads.filter((load) => load.lane === lane);
    const shown = typicalLoad(loads) ?? loads.at(-1);
    if (!shown) continue;
    const facts = data.facts.get(shown.id);
    if (facts) shaped.push({ id: shown.id, lane, facts });
    const pageLoad = isValid(shown) ? data.details.get(shown.id) : undefined;
    if (pageLoad) drawn.push({ id: shown.id, lane, pageLoad });
  }
  return { drawn, shaped };
}

function waterfalls(data: ReportData, result: GroupResult, { drawn, shaped }: Shown, isExplained: boolean): Markup {
  const { page, link } = result.group;
  const missing = result.lanes.filter((lane) => lane.valid === 0).map((lane) => lane.lane);
  const note = missing.length > 0 && html`<p class="soft">No waterfall of ${missing.join(", ")}: no valid load.</p>`;
  if (drawn.length > 0) {
    const name = `${page} over ${link}`;
    const shown = shaped.filter(({ id }) => drawn.some((load) => load.id === id));
    // Of videos the link has its place below the buffer.
    const video = videoOverTime(name, shown);
    const overTime = video === null && linkOverTime(name, shown, timeAxisOf(drawn), isExplained);
    return html`${video}${waterfallFigure(drawn, name, isExplained)}${overTime}${note}`;
  }
  const typical = result.lanes.flatMap(({ lane }) => {
    const load = typicalLoad(result.group.loads.filter((each) => each.lane === lane));
    return load ? [load.id] : [];
  });
  if (typical.length === 0) return html`<p class="nothing">No waterfall: no valid load.</p>`;
  return html`<p class="soft">Waterfalls are not drawn here, to keep this file small. <code>trilane export ${data.sweep.id} --format har --load ${String(typical[0])}</code> gives one as HAR (${count(typical.length, "typical load")}: ${typical.join(", ")}).</p>${note}`;
}

function metrics({ filmedLoads, stored }: ReportData, { group, lanes }: GroupResult, isExplained: boolean): Markup {
  const laneOfCell = new Map<number, string>(group.cells.map(({ id, lane }) => [id, lane]));
  const own = stored.filter(({ cell: id }) => laneOfCell.has(id));
  const byLane = lanes.map(({ lane }) => ({
    lane,
    loads: own.filter(({ cell: id }) => laneOfCell.get(id) === lane),
    films: filmedLoads.filter(({ cell: id }) => laneOfCell.get(id) === lane),
  }));
  return html`${metricsTable(byLane, isExplained)}${movesTable(byLane)}`;
}

/** What of a section the report's first screen shows already. */
interface ShownAbove {
  readonly isDrawn: boolean;
  readonly isFilmed: boolean;
}

export interface GroupSection {
  readonly markup: Markup;
  /** Whose waterfalls it has. */
  readonly drawn: readonly DrawnLoad[];
}

export function groupSection(
  data: ReportData,
  result: GroupResult,
  profile: LinkProfile,
  /** `isExplained`: how to read its figures stands there, once in a report. */
  options: { open: boolean; isExplained: boolean; waterfalls: boolean; above: ShownAbove },
): GroupSection {
  const { above } = options;
  const { page, link, loads } = result.group;
  const { drawn, shaped } = shownLoads(data, result);
  const shown = { drawn: options.waterfalls ? drawn : [], shaped };
  const medians = result.lanes.map(
    (lane) => `${lane.lane} ${lane.median_ms === null ? "none" : formatMedian(lane.median_ms, lane.isAtLeast)}`,
  );
  const excluded = excludedLine(loads);
  const name = page === middleCut(page, 90) ? null : html`<p class="soft">${page}</p>`;
  const body = html`${name}
${above.isDrawn ? null : distributionOf(`${page} over ${link}`, result.lanes, { loads, metric: comparedMetric(data.metric), isExplained: options.isExplained })}
${excluded && html`<p class="excluded">${excluded}</p>`}
${metrics(data, result, options.isExplained)}
${waterfalls(data, result, shown, options.isExplained)}
${above.isFilmed ? null : (filmsOf(data, result) ?? whyUnfilmed(result.group))}
${linkFacts(profile, shaped, options.isExplained)}`;
  const markup = html`<details class="group" id="${result.id}" data-page="${page}" data-link="${link}"${options.open && html` open`}><summary><b>${middleCut(page, 90)}</b>${modelledPages(data.sweep).has(page) && html` <small>modelled page</small>`} over <b>${link}</b> <small>${medians.join(" · ")}</small></summary>${options.open ? body : builtLater(body)}
</details>`;
  return { markup, drawn: shown.drawn };
}
