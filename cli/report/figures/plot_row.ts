// A row of a figure over time: lines in the colours of flows or lanes over a grid, bands behind them, what the link has dashed, and the
// lines' numbers at their ends. Draws given numbers in the row's own unit.
import { acrossGrid, uprightGrid } from "../../../extension/figures/axes.ts";
import { html, type Markup } from "../../../extension/figures/markup.ts";
import { type Scale, scaleFromZero } from "../../../extension/figures/scale.ts";
import { axisLeft, axisRight, tagHeight, titleHeight } from "./axis.ts";
import { areaPath, type Band, bandPath, type Curve, curvePath, greatestOf, lastOf } from "./curve.ts";
import { labelPlaces } from "./label_places.ts";

/** From each time on a value. */
export type Steps = readonly (readonly [at_ms: number, value: number])[];

export interface PlottedLine {
  readonly number: number;
  /** Class of its colour; absent: the flow's of that number. */
  readonly style?: string;
  readonly curve: Curve;
  readonly band: Band | null;
  /** Dashed in its colour: what the link has for it, where others have another. */
  readonly limit?: Steps;
}

export interface Row {
  /** Class of the row's group, and what its numbers are in the CSV. */
  readonly name: string;
  readonly title: string;
  /** Beside the title, at the right end. */
  readonly aside: string;
  readonly height: number;
  readonly lines: readonly PlottedLine[];
  /** Behind the lines, in no flow's colour; in the row's unit. */
  readonly areas: readonly Curve[];
  readonly outlines: readonly Curve[];
  /** Dashed: what the link has. */
  readonly limits: readonly Steps[];
}

/** The class that gives a line of that number its colour. */
const styleOf = ({ number, style }: PlottedLine): string => style ?? `flow-${number}`;

/** A line in steps, as far as the axis goes. */
function limitPath(steps: Steps, time: Scale, y: (value: number) => number): string {
  return steps
    .map(([at_ms, value], index) => {
      const [from, to] = [Math.max(0, at_ms), steps[index + 1]?.[0] ?? time.high];
      return to <= 0 || from >= time.high
        ? ""
        : `M${time.at(from).toFixed(1)} ${y(value).toFixed(1)}H${time.at(Math.min(to, time.high)).toFixed(1)}`;
    })
    .join("");
}

/** The numbers of the flows at the ends of their lines. */
function tags(
  lines: readonly PlottedLine[],
  time: Scale,
  y: (value: number) => number,
  top: number,
  bottom: number,
): Markup[] {
  const ends = lines.flatMap((line) => {
    const last = lastOf(line.curve);
    return last ? [{ number: line.number, style: styleOf(line), x: time.at(last.time_ms), y: y(last.value) }] : [];
  });
  const places = labelPlaces(
    ends.map((end) => end.y),
    tagHeight,
    top + 4,
    bottom - 2,
  );
  return ends.map(({ number, style, x, y: from }, index) => {
    const at = places[index] as number;
    const leader = html`<path class="leader" d="M${x} ${from}L${axisRight + 4} ${at}h6"/>`;
    return html`<g class="${style}">${leader}<text class="tag" x="${axisRight + 14}" y="${at + 4}">${String(number)}</text></g>`;
  });
}

export function rowMarkup(row: Row, time: Scale, y0: number): Markup {
  const top = y0 + titleHeight;
  const bottom = top + row.height;
  const values = [
    ...row.lines.flatMap(({ curve, band }) => [greatestOf(curve.value), band ? greatestOf(band.high) : 0]),
    ...[...row.areas, ...row.outlines].map(({ value }) => greatestOf(value)),
    ...[...row.limits, ...row.lines.flatMap(({ limit }) => (limit ? [limit] : []))].flatMap((steps) =>
      steps.map(([, value]) => value),
    ),
  ];
  const scale = scaleFromZero(Math.max(...values, 0), bottom, top, 4);
  const x = (time_ms: number): number => Math.max(axisLeft, Math.min(axisRight, time.at(time_ms)));
  const y = scale.at;
  const grid = acrossGrid(scale, axisLeft, axisRight);
  const upright = uprightGrid(time, top, bottom, { numbers: null });
  const path = (className: string, d: string): Markup | false =>
    d !== "" && html`<path class="${className}" d="${d}"/>`;
  const bands = row.lines.map(
    (line) => line.band && html`<g class="${styleOf(line)}">${path("flowband", bandPath(line.band, x, y))}</g>`,
  );
  const lines = row.lines.map(
    (line) =>
      html`<g class="${styleOf(line)}">${line.limit && path("capacity", limitPath(line.limit, time, y))}${path("flowline", curvePath(line.curve, x, y))}</g>`,
  );
  const plotted = html`<g class="plotted">${upright}${row.areas.map((curve) => path("queued", areaPath(curve, x, y)))}${row.outlines.map((curve) => path("plainline", curvePath(curve, x, y)))}${bands}${row.limits.map((steps) => path("capacity", limitPath(steps, time, y)))}${lines}</g>`;
  return html`<g class="${row.name}" data-row="${row.name}"><text class="lane" x="0" y="${y0 + 12}">${row.title}</text><text class="axis end aside" x="${axisRight}" y="${y0 + 12}">${row.aside}</text>${grid}${plotted}${tags(row.lines, time, y, top, bottom)}</g>`;
}
