// A legend in rows above a plot: of each line or kind of dots a sample and its name. Draws given names.
import { html, type Markup } from "../../../extension/figures/markup.ts";

interface LegendEntry {
  /** Its colour. */
  readonly className: string;
  readonly name: string;
  /** A line of this class, or a dot. */
  readonly sample: "dot" | { readonly line: string };
}

/** Of a name's letter, rather too wide: the font is not known. */
const letterWidth = 7;
const sampleWidth = 50;
const rowHeight = 17;
/** Under the figure's title. */
const firstRow = 34;

function columnsFor(
  entries: readonly LegendEntry[],
  width: number,
): { readonly number: number; readonly width: number } {
  const longest = Math.max(0, ...entries.map(({ name }) => name.length));
  const number = Math.max(1, Math.floor(width / (sampleWidth + longest * letterWidth)));
  return { number, width: width / number };
}

/** Where the plot may begin. */
export function legendBottom(entries: readonly LegendEntry[], width: number): number {
  return firstRow + Math.ceil(entries.length / columnsFor(entries, width).number) * rowHeight;
}

/** From `left` on, so wide. */
export function legendAbove(entries: readonly LegendEntry[], left: number, width: number): Markup[] {
  const columns = columnsFor(entries, width);
  return entries.map(({ className, name, sample }, index) => {
    const x = left + (index % columns.number) * columns.width;
    const y = firstRow + Math.floor(index / columns.number) * rowHeight;
    const mark =
      sample === "dot"
        ? html`<circle class="dot" cx="${x + 22}" cy="${y}" r="4.5"/>`
        : html`<path class="${sample.line}" d="M${x} ${y}h28"/>`;
    return html`<g class="${className}">${mark}<text class="axis" x="${x + 34}" y="${y + 4}">${name}</text></g>`;
  });
}
