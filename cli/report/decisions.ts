// The report's section on what was settled, of a sweep that ran until its loads were enough. Takes a settlement, computes none.
import { html, type Markup } from "../../extension/figures/markup.ts";
import { middleCut } from "../base/middle_cut.ts";
import { firstLook, futilityThreshold, lastLook } from "../results/stats/sequential.ts";
import { decisionWords, type StoppingSummary, stoppingSentence } from "../results/verdict/stopping_summary.ts";
import { linkCell } from "./figures/link_cell.ts";

const maxRows = 1500;

const rule = `Lanes are compared pair by pair after each block from the ${firstLook}th to the ${lastLook}th: by a test of their medians that holds for lanes of unequal noise, equivalence by two one-sided ones, at levels that keep the chance of a wrong decision over all looks below 5 % for each pair. A pair that the last look would decide with a chance below ${futilityThreshold * 100} % is given up. The figure is of the medians when the loads stopped, which leans away from 0; its interval holds for all looks together. Intervals of medians, maps and what is pooled count one look; where they differ, these decisions hold.`;

/** Null for a plan with a fixed number of repetitions. */
export function decisionSection(settlement: StoppingSummary | null): Markup | null {
  if (!settlement) return null;
  const { until, decisions } = settlement;
  const sentence = html`<p>${stoppingSentence(settlement)}</p>`;
  if (!("decided_percent" in until)) return html`${sentence}`;
  const rows = decisions
    .slice(0, maxRows)
    .map(
      (each) =>
        html`<tr data-page="${each.page}" data-link="${each.link}"><th scope="row">${middleCut(each.page, 48)}</th>${linkCell(each.link)}<td>${decisionWords(each, until.decided_percent).replaceAll(/(?<=[ (])-(?=\d)/g, "−")}</td><td class="num">${String(each.blocks)}</td></tr>`,
    );
  return html`${sentence}<p class="soft">${rule}</p><div class="scroll"><table class="sortable"><thead><tr><th scope="col">Page</th><th scope="col">Link</th><th scope="col">Decision</th><th scope="col" class="num">Blocks</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}
