// The section of a report of flows, or of fetches, that sets a study's figures beside ours. Takes comparisons, computes none.
import { html, type Markup } from "../../extension/figures/markup.ts";
import { agreementSentence } from "../results/studies/agreement.ts";
import { besideText, oursText } from "../results/studies/number_words.ts";
import type { ComparedNumber, StudyFacts } from "../results/studies/study.ts";
import { linkCell } from "./figures/parts.ts";

/** Null where the plan is no study's, or nothing of it was tried. */
export function publishedNumbers(study: StudyFacts | null, compared: readonly ComparedNumber[]): Markup | null {
  const sentence = agreementSentence(compared);
  if (!study || sentence === null) return null;
  const rows = compared.map(
    (each) =>
      html`<tr data-link="${each.figure.link}"><th scope="row">${each.figure.what}</th>${linkCell(each.figure.link)}<td>${each.figure.published}</td><td>${besideText(each)}</td><td class="num" data-sort="${String(each.value ?? "")}">${oursText(each)}</td><td class="num">${String(each.runs)}</td><td>${each.agreement}</td></tr>`,
  );
  return html`<p>${sentence}</p><p class="soft">${study.reference}. ${study.differs}</p><div class="scroll"><table class="sortable"><caption>Published, and ours: the median over runs with its 95 % interval. Ours agrees if its whole interval has the published sign. Undecided: the interval includes both signs, or there is none.</caption><thead><tr><th scope="col">What</th><th scope="col">Link</th><th scope="col">Published</th><th scope="col">Sign</th><th scope="col" class="num">Ours</th><th scope="col" class="num">Runs</th><th scope="col">Agreement</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}
