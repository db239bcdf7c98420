// A link in a table, which may be broken after its commas.
import { html, type Markup } from "../../../extension/figures/markup.ts";

/** `before`: what is said ahead of it. */
export function linkCell(link: string, before = ""): Markup {
  const parts = link.split(",").map((part, index) => (index === 0 ? part : html`,<wbr>${part}`));
  return html`<td class="link">${before}${parts}</td>`;
}
