// The names of flows beside their colours and numbers, above figures that label lines by number. Breaks into lines where names are long.
import { html, type Markup } from "../../../extension/figures/markup.ts";
import { middleCut } from "../../base/middle_cut.ts";

interface FlowName {
  /** Its colour, 1 to 8. */
  readonly number: number;
  /** Class of its colour, if it is no flow's. */
  readonly style?: string;
  readonly words: string;
  /** A number behind its name; empty: none. */
  readonly aside: string;
}

const width = 760;
const lineHeight = 18;
const swatch = 30;
const between = 22;
/** Longer names are cut in their middle; they are whole in the table. */
const longest = 60;
/** A letter at 12 px, rather too wide. */
const letter = 6.9;

export function flowLegend(names: readonly FlowName[]): Markup {
  let [x, y] = [0, 0];
  const items = names.map(({ number, style = `flow-${number}`, words, aside }) => {
    const text = `${number} ${middleCut(words, longest)}${aside === "" ? "" : `, ${aside}`}`;
    const wide = swatch + text.length * letter;
    if (x > 0 && x + wide > width) [x, y] = [0, y + lineHeight];
    const at = [x, y];
    x += wide + between;
    return html`<g class="${style}" transform="translate(${at[0]} ${at[1]})"><path class="flowline" d="M0 9h24"/><text x="${swatch}" y="13">${text}</text></g>`;
  });
  const height = y + lineHeight;
  return html`<svg class="legend flow-names" role="img" aria-label="Colours: ${names.map(({ number, words, aside }) => `${number} ${words} ${aside}`).join(", ")}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${items}</svg>`;
}
