// The frame that all figures share: the drawing's element, lines of the grid at an axis' ticks, and the ticks' numbers. Knows no data.
import { type Content, html, type Markup } from "./markup.ts";
import type { Scale } from "./scale.ts";

/** Places that get a line or a number: a scale has them. */
type Ticked = Pick<Scale, "ticks" | "at">;

/** As people write it: without the noise of floating point, with a minus sign. */
export const tickText = (tick: number): string => String(Number(tick.toPrecision(6))).replace("-", "−");

interface GridLook {
  /** The number's distance from the end of its line; null: no number. */
  readonly numbers?: number | null;
  /** The line at 0 is stronger: values lie on both sides of it. */
  readonly hasZero?: boolean;
  readonly text?: (tick: number) => string;
}

const lineClass = (tick: number, hasZero: boolean): string => (hasZero && tick === 0 ? "zero" : "grid");

/** The ticks' numbers at this height, each in the middle of its place. */
export const numbersAt = ({ ticks, at }: Ticked, y: number, text = tickText): Markup[] =>
  ticks.map((tick) => html`<text class="axis mid" x="${at(tick)}" y="${y}">${text(tick)}</text>`);

/** A line from top to bottom at each tick, its number below. */
export function uprightGrid(axis: Ticked, top: number, bottom: number, look: GridLook = {}): Markup[] {
  const { numbers = 16, hasZero = false, text } = look;
  return axis.ticks.map((tick) => {
    const x = axis.at(tick);
    const line = html`<line class="${lineClass(tick, hasZero)}" x1="${x}" x2="${x}" y1="${top}" y2="${bottom}"/>`;
    return numbers === null ? line : html`${line}${numbersAt({ ticks: [tick], at: axis.at }, bottom + numbers, text)}`;
  });
}

/** A line from left to right at each tick, its number before it. */
export function acrossGrid(axis: Ticked, left: number, right: number, look: GridLook = {}): Markup[] {
  const { numbers = 6, hasZero = false, text = tickText } = look;
  return axis.ticks.map((tick) => {
    const y = axis.at(tick);
    const number =
      numbers !== null && html`<text class="axis end" x="${left - numbers}" y="${y + 4}">${text(tick)}</text>`;
    return html`<line class="${lineClass(tick, hasZero)}" x1="${left}" x2="${right}" y1="${y}" y2="${y}"/>${number}`;
  });
}

/** The ticks of an axis of shares. */
export const shareTicks = [0, 0.25, 0.5, 0.75, 1] as const;

interface Drawing {
  /** `plot`, or `wide`, which the page's script redraws on narrow screens. */
  readonly look: string;
  /** For who does not see it. */
  readonly label: string;
  readonly width: number;
  readonly height: number;
  readonly attributes?: Markup;
}

/** The drawing, which scrolls where it is wider than the page. */
export function drawing({ look, label, width, height, attributes }: Drawing, content: Content): Markup {
  return html`<div class="scroll"><svg class="${look}" role="img" aria-label="${label}"${attributes} viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${content}</svg></div>`;
}
