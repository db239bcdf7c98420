// What a figure's caption leaves out, folded: how its marks are made. A caption has fewer than forty words.
import { html, type Markup } from "../../../extension/figures/markup.ts";

export function readingKey(text: string | Markup | readonly (string | Markup)[]): Markup {
  return html`<details class="key"><summary>How to read this</summary><p>${text}</p></details>`;
}
