// The report's section on whether several browsers say the same of the lanes: their answers over all pages and links, and their signs page by
// page; the medians have a row for each. Takes the comparisons, computes none.

import { html, type Markup } from "../../extension/figures/markup.ts";
import { endsOf } from "../base/interval.ts";
import { withMinus } from "../base/numbers.ts";
import { browserNames, browsersOf } from "../results/verdict/browsers.ts";
import type { Improvement } from "../results/verdict/comparison.ts";
import {
  agreementsOf,
  apartText,
  type PairAgreement,
  type PlaceSigns,
  sidesOf,
} from "../results/verdict/sides_agree.ts";
import type { ReportData } from "./data.ts";
import { savedFigure } from "./figures/figure_file.ts";
import { linkCell } from "./figures/parts.ts";
import { improvementText } from "./figures/whisker.ts";

const maxPlaces = 400;

const signOf = ({ percent }: Improvement): string => ((percent ?? 0) > 0 ? "+" : (percent ?? 0) < 0 ? "−" : "?");

/** `+ + same`: one sign for each side, in the order of the columns above. */
function signsCell(place: PlaceSigns | undefined): Markup {
  if (!place) return html`<td></td>`;
  const story = place.isSame === null ? "" : place.isSame ? " same" : " differ";
  return html`<td class="num">${place.answers.map(signOf).join(" ")}${story}</td>`;
}

const heads = (first: readonly string[], others: readonly string[]): Markup =>
  html`<thead><tr>${first.map((name) => html`<th scope="col">${name}</th>`)}${others.map((name) => html`<th scope="col" class="num">${name}</th>`)}</tr></thead>`;

const pairName = ({ pair }: PairAgreement): string => `${pair.lane} over ${pair.over}`;

/** Null where the sweep has one browser. */
export function agreementSection({ loads, sweep }: Pick<ReportData, "loads" | "sweep">): Markup | null {
  const sides = sidesOf(loads);
  const agreements = agreementsOf(sides, sweep.seed);
  const [first] = agreements;
  if (!first) return null;
  const names = sides.map(({ name, loads: own }) => {
    const versions = browserNames(browsersOf(own)).join(", ");
    return versions.startsWith(`${name} `) ? versions : `${name} (${versions || "version not noted"})`;
  });
  const answers = agreements.map(
    (agreement) =>
      html`<tr><th scope="row">${pairName(agreement)}</th>${agreement.answers.map((answer) => html`<td class="num">${improvementText(answer)}</td>`)}<td>${agreement.verdict}${withMinus(apartText(agreement, sides[1]?.name ?? ""))}</td></tr>`,
  );
  const signs = first.places
    .slice(0, maxPlaces)
    .map(
      ({ page, link }, at) =>
        html`<tr data-page="${page}" data-link="${link}"><th scope="row">${page}</th>${linkCell(link)}${agreements.map(({ places }) => signsCell(places[at]))}</tr>`,
    );
  const figure = html`<figure><figcaption>What each lane gains over another, in %, with its 95 % interval, and whether that is shown alike.</figcaption><div class="scroll"><table class="agreement"><thead><tr><th scope="col">Lanes</th>${names.map((name) => html`<th scope="col" class="num">${name}</th>`)}<th scope="col">Together</th></tr></thead><tbody>${answers}</tbody></table></div><div class="scroll"><table class="agreement sortable"><caption>Signs of the medians: + faster, − slower; ${sides.map(({ name }) => name).join(", then ")}.</caption>${heads(["Page", "Link"], agreements.map(pairName))}<tbody>${signs}</tbody></table></div></figure>`;
  return savedFigure(figure, {
    name: ["agreement", sweep.name],
    columns: ["page", "link", "in", "lane", "over", "percent", "low", "high"],
    rows: agreements.flatMap(({ pair, places }) =>
      places.flatMap(({ page, link, answers: own }) =>
        own.map(({ percent, interval }, index) => [
          ...[page, link, sides[index]?.name ?? "", pair.lane, pair.over, percent],
          ...endsOf(interval),
        ]),
      ),
    ),
  });
}
