// The section of one page on one link: distributions, waterfalls, the link. Assembles figures.
import { html, type Markup } from "../../extension/figures/markup.ts";
import { type DrawnLoad, timeAxisOf } from "../../extension/figures/waterfall.ts";
import type { LinkProfile } from "../../schemas/generated/link_profile.ts";
import { middleCut } from "../base/middle_cut.ts";
import { count, formatMedian } from "../base/numbers.ts";
import { modelledPages } from "../results/store/modelled_pages.ts";
import { comparedMetric } from "../results/verdict/compared_metric.ts";
import { isValid } from "../results/verdict/sample.ts";
import { excludedLine } from "../results/verdict/verdict.ts";
import { type ReportData, typicalLoad } from "./data.ts";
import { distributionOf } from "./figures/distribution.ts";
import { linkFacts, type ShapedLoad } from "./figures/link_facts.ts";
import { linkOverTime } from "./figures/link_over_time.ts";
import { builtLater } from "./figures/parts.ts";
import { waterfallFigure } from "./figures/waterfall.ts";
import { filmsOf, whyUnfilmed } from "./group_films.ts";
import { metricsTable } from "./metrics_table.ts";
import { movesTable } from "./moves_table.ts";
import type { GroupResult } from "./tables.ts";
import { videoOverTime } from "./video/video_over_time.ts";

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
  const byLane = lanes.map(({ lane }) => {
    const cells = new Set(group.cells.filter((cell) => cell.lane === lane).map(({ id }) => id));
    const loads = stored.filter((load) => cells.has(load.cell));
    return { lane, loads, films: filmedLoads.filter(({ cell }) => cells.has(cell)) };
  });
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
${above.isFilmed ? null : (filmsOf(data, result) ?? whyUnfilmed(data, result.group))}
${linkFacts(profile, shaped, options.isExplained)}`;
  const markup = html`<details class="group" id="${result.id}" data-page="${page}" data-link="${link}"${options.open && html` open`}><summary><b>${middleCut(page, 90)}</b>${modelledPages(data.sweep).has(page) && html` <small>modelled page</small>`} over <b>${link}</b> <small>${medians.join(" · ")}</small></summary>${options.open ? body : builtLater(body)}
</details>`;
  return { markup, drawn: shown.drawn };
}
