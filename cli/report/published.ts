// The report's section that sets a study's published figures beside ours. Takes comparisons, computes none.
import { html, type Markup } from "../../extension/figures/markup.ts";
import { agreementSentence, type ComparedFigure } from "../results/studies/agreement.ts";
import type { Study } from "../results/studies/study.ts";
import { equivalence_percent } from "../results/verdict/verdict.ts";
import { improvementText } from "./figures/whisker.ts";

function publishedText({ published: { percent, sign } }: ComparedFigure): string {
  if (percent !== null) return `${percent < 0 ? "−" : ""}${Math.abs(percent)} %`;
  return sign > 0 ? "faster" : sign < 0 ? "slower" : "equal";
}

/** Null where the plan is no study's, or the study gives no figures. */
export function publishedSection(study: Study | null, figures: readonly ComparedFigure[]): Markup | null {
  if (!study) return null;
  const terms = html`<p class="soft">${study.reference}. ${study.differs}</p>`;
  const head = html``;
  const sentence = agreementSentence(figures);
  if (sentence === null) return html`${head}<p>The study gives no figures to set ours beside.</p>${terms}`;
  const rows = figures.map(
    (figure) =>
      html`<tr data-link="${figure.published.link}"><th scope="row">${figure.published.pair.lane} over ${figure.published.pair.over}</th><td class="link">${figure.published.link}</td><td class="num" data-sort="${String(figure.published.percent ?? figure.published.sign)}">${publishedText(figure)}</td><td class="num" data-sort="${String(figure.ours.percent ?? "")}">${improvementText(figure.ours)}</td><td>${figure.agreement}</td></tr>`,
  );
  return html`${head}<p>${sentence}</p>${terms}<details><summary>All ${String(figures.length)} figures</summary><div class="scroll"><table class="sortable"><caption>Improvement in %: published, and ours with its 95 % interval; positive: faster. Undecided: our interval holds 0, or there is none. With a published 0 ours agrees within ${String(equivalence_percent)} % of 0.</caption><thead><tr><th scope="col">Lanes</th><th scope="col">Link</th><th scope="col" class="num">Published</th><th scope="col" class="num">Ours</th><th scope="col">Sign</th></tr></thead><tbody>${rows}</tbody></table></div></details>`;
}
