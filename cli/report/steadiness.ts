// How steady loads were: a section on all cells with those that drifted over the sweep's
// time or have loads far from the others. Takes cli/results/verdict/steadiness.ts's findings, tests nothing.
import { html, type Markup } from "../../extension/figures/markup.ts";
import { middleCut } from "../base/middle_cut.ts";
import { count, formatProbability } from "../base/numbers.ts";
import { quantile } from "../base/quantile.ts";
import type { Load } from "../results/store/results.ts";
import { byLane } from "../results/verdict/sample.ts";
import { type CellSteadiness, drifts, steadinessOf } from "../results/verdict/steadiness.ts";
import { linkCell } from "./figures/parts.ts";

type Cell = CellSteadiness<Load>;

const maxRows = 200;

const digits = (share: number): string => String(Number((share * 100).toPrecision(2)));
const percent = (share: number): string => `${digits(share)} %`;

function driftText({ drift }: Cell): string {
  if (!drift) return "too few loads to tell";
  const way = drift.percent < 0 ? "faster" : "slower";
  return `${Math.abs(drift.percent).toFixed(1)} % ${way}, p ${formatProbability(drift.probability)}`;
}

/** Null where no cell has two valid loads. */
function lanesLine(cells: readonly Cell[]): Markup | null {
  const lines = byLane(cells).flatMap(({ lane, loads: own }) => {
    const variations = own.flatMap(({ variation }) => variation ?? []);
    if (variations.length === 0) return [];
    const [low, middle, high] = [0, 0.5, 1].map((part) => digits(quantile(variations, part)));
    return [`${lane} ${middle} % (${low} to ${high})`];
  });
  if (lines.length === 0) return null;
  return html`<p>Coefficient of variation of a cell's loads, median over cells and range: ${lines.join("; ")}.</p>`;
}

/** Null where there are too few loads to say anything. */
export function steadinessSection(loads: readonly Load[]): Markup | null {
  const cells = steadinessOf(loads);
  const variation = lanesLine(cells);
  if (variation === null) return null;
  const tested = cells.filter(({ drift }) => drift !== null).length;
  const odd = cells
    .filter((cell) => drifts(cell) || cell.farAway.length > 0)
    .sort((a, b) => Number(drifts(b)) - Number(drifts(a)) || b.farAway.length - a.farAway.length);
  const drifting = odd.filter(drifts).length;
  const far = odd.reduce((sum, cell) => sum + cell.farAway.length, 0);
  const finding =
    tested === 0
      ? html`<p class="soft">Cells with fewer than eight loads are not checked for drift and outliers.</p>`
      : html`<p>Of ${count(tested, "cell")} with eight loads or more ${drifting === 0 ? "none drifts" : `${drifting} ${drifting === 1 ? "drifts" : "drift"}`} over the sweep's time; ${far === 0 ? "no load lies" : `${count(far, "load")} ${far === 1 ? "lies" : "lie"}`} far from the others of its cell. They still count.</p>`;
  if (odd.length === 0) return html`${variation}${finding}`;
  const rows = odd
    .slice(0, maxRows)
    .map(
      (cell) =>
        html`<tr data-page="${cell.page}" data-link="${cell.link}"><th scope="row">${middleCut(cell.page, 48)}</th>${linkCell(cell.link)}<td>${cell.lane}</td><td class="num">${cell.n}</td><td class="num">${cell.variation === null ? "" : percent(cell.variation)}</td><td>${driftText(cell)}</td><td>${cell.farAway.map(({ id }) => id).join(", ")}</td></tr>`,
    );
  const more =
    odd.length > rows.length && html`<p class="soft">And ${count(odd.length - rows.length, "further cell")}.</p>`;
  return html`${variation}${finding}<div class="scroll"><table class="sortable"><thead><tr><th scope="col">Page</th><th scope="col">Link</th><th scope="col">Lane</th><th scope="col" class="num">Loads</th><th scope="col" class="num">Variation</th><th scope="col">From first to last</th><th scope="col">Loads far away</th></tr></thead><tbody>${rows}</tbody></table></div>${more}<p class="soft">Drift: Theil and Sen's slope, by Mann and Kendall's test, corrected for the number of cells (Holm). Far away: more than five deviations from the median, by the median absolute deviation.</p>`;
}
