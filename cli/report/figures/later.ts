// Parts of a report that the page's script builds once they are wanted (page/later.js): of a large sweep most is far below the
// first view, and would be laid out before the first click is answered. A browser without script reads them where they stand.
import { html, type Markup } from "../../../extension/figures/markup.ts";

/** With scripts allowed a `noscript` is one run of text to the browser, as cheap as nothing; without, it is what it holds. */
export function builtLater(part: Markup): Markup {
  return html`<noscript class="later">${part}</noscript>`;
}
