// Small parts of reports: what a caption leaves out, folded; what the page's script builds later (page/later.js); a link in a table.
import { html, type Markup } from "../../../extension/figures/markup.ts";

export function readingKey(text: string | Markup | readonly (string | Markup)[]): Markup {
  return html`<details class="key"><summary>How to read this</summary><p>${text}</p></details>`;
}

/** With scripts allowed a `noscript` is one run of text to the browser, as cheap as nothing; without, it is what it holds. */
export function builtLater(part: Markup): Markup {
  return html`<noscript class="later">${part}</noscript>`;
}

/** `before`: what is said ahead of it. */
export function linkCell(link: string, before = ""): Markup {
  const parts = link.split(",").map((part, index) => (index === 0 ? part : html`,<wbr>${part}`));
  return html`<td class="link">${before}${parts}</td>`;
}
