// What each link alone shows, as a picture in a table: a row for each link, and for each pair of lanes the gain with its interval as a dot
// and a whisker, in the colour of the faster lane. Takes comparisons, computes none.

import { laneClass } from "../../extension/figures/colours.ts";
import { html, type Markup } from "../../extension/figures/markup.ts";
import type { LinkProfile } from "../../schemas/generated/link_profile.ts";
import { endsOf } from "../base/interval.ts";
import { laneName } from "../base/lanes.ts";
import { count } from "../base/numbers.ts";
import { plainLinkWords, shortLabel } from "../link/label.ts";
import { direction, type Improvement } from "../results/verdict/comparison.ts";
import type { PairVerdict } from "../results/verdict/sweep_verdict.ts";
import { savedFigure } from "./figures/figure_file.ts";
import { effectMark, improvementText, marksEnd } from "./figures/whisker.ts";

/** More are for the maps to show. */
const mostLinks = 24;

/** The lane that a link shows to be faster, whose colour its mark has; null: it shows no difference. */
function fasterLane(result: Improvement): string | null {
  const way = direction(result);
  return way === "faster" ? result.pair.lane : way === "slower" ? result.pair.over : null;
}

function effectCell(result: Improvement | undefined, end: number, lanes: readonly string[]): Markup {
  if (!result || result.percent === null) return html`<td class="imp none" data-sort="">–</td>`;
  const faster = fasterLane(result);
  const mark = effectMark({ ...result, percent: result.percent }, faster === null ? "unclear" : "of-lane", end);
  const colour = faster === null ? "" : laneClass(faster, lanes);
  return html`<td class="imp ${colour}" data-sort="${String(result.percent)}"><span>${improvementText(result)}</span>${mark}</td>`;
}

/** Null: one link, or more than a table is for. */
export function linkEffects(
  pairs: readonly PairVerdict[],
  profiles: ReadonlyMap<string, LinkProfile>,
  lanes: readonly string[],
): Markup | null {
  const compared = pairs.filter(({ byLink }) => [...byLink.values()].some(({ percent }) => percent !== null));
  const links = [...profiles].filter(([link]) => compared.some(({ byLink }) => byLink.has(link)));
  if (links.length < 2 || links.length > mostLinks) return null;
  const all = compared.flatMap(({ byLink }) => [...byLink.values()]);
  const end = marksEnd(all.flatMap(({ percent }) => percent ?? []));
  const heads = compared.map(
    ({ pair }) => html`<th scope="col" class="imp">${laneName(pair.lane)} over ${laneName(pair.over)}</th>`,
  );
  const rows = links.map(([link, profile]) => {
    const cells = compared.map(({ byLink }) => effectCell(byLink.get(link), end, lanes));
    return html`<tr><th scope="row">${plainLinkWords(profile) ?? shortLabel(link)}</th>${cells}</tr>`;
  });
  const short = compared[0]?.tooFewRuns ?? null;
  const needs =
    short &&
    html` To show one among ${count(short.comparisons, "comparison")} takes ${count(short.needed, "run")} per lane.`;
  const figure = html`<figure class="link-effects"><h3>Link by link</h3><div class="scroll"><table class="sortable"><thead><tr><th scope="col">Link</th>${heads}</tr></thead><tbody>${rows}</tbody></table></div><figcaption>Time saved, with its 95 % interval, in the faster lane’s colour; grey: no difference shown.${needs}</figcaption></figure>`;
  return savedFigure(figure, {
    name: ["link-by-link"],
    columns: ["link", "lane", "over", "improvement_percent", "low_percent", "high_percent", "shown"],
    rows: links.flatMap(([link]) =>
      compared.flatMap(({ pair, byLink }) => {
        const result = byLink.get(link);
        if (!result) return [];
        const { percent, interval } = result;
        return [[link, pair.lane, pair.over, percent, ...endsOf(interval), direction(result)]];
      }),
    ),
  });
}
