// What a page showed over each lane at the same instants, one row a lane. Draws pictures that are given; which load was
// filmed is its caller's matter. All pictures stand in the figure, so that a report's script (cli/report/page/film.js) can draw other
// instants, and larger.

import { formatTime } from "../../cli/base/numbers.ts";
import { extremes } from "../../cli/base/quantile.ts";
import { drawing } from "./axes.ts";
import { laneClass } from "./colours.ts";
import { html, type Markup } from "./markup.ts";
import { roundStep } from "./scale.ts";
import { timeScale } from "./waterfall.ts";

export interface FilmFrame {
  /** Since navigationStart; shown from then on. */
  readonly time_ms: number;
  /** Base64. */
  readonly jpeg: string;
}

export interface FilmedLane {
  readonly lane: string;
  /** In the order of their times. */
  readonly frames: readonly FilmFrame[];
  /** The filmed load's own. */
  readonly plt_ms: number | null;
}

const width = 960;
const laneWidth = 96;
const gap = 6;
const top = 22;
/** Of what a page has of the browser's window: 1366 by 625. */
const aspect = 625 / 1366;
/** More would be too small to see what a picture shows. */
const mostColumns = 8;
/** Three lanes of larger ones would not be seen at once. */
const widest = 140;

/** Of round instants: `50 ms`, not `50.0 ms`. */
const instant = (time_ms: number): string => formatTime(time_ms).replace(/\.0+(?= )/, "");

/** Round instants from 0 to the first at which every lane shows its last picture. Empty: nothing was filmed. */
export function instantsOf(lanes: readonly FilmedLane[], most = mostColumns): number[] {
  const ends = lanes.flatMap(({ frames, plt_ms }) => {
    const last = frames.at(-1);
    return last ? [last.time_ms, plt_ms ?? 0] : [];
  });
  const end = extremes(ends)?.greatest;
  if (end === undefined) return [];
  const step = roundStep(Math.max(end, 1), most - 1);
  return Array.from({ length: Math.ceil(end / step - 1e-9) + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** What was shown at an instant: the last frame not after it; null: the film begins later. */
export function frameAt(frames: readonly FilmFrame[], time_ms: number): FilmFrame | null {
  return frames.findLast((frame) => frame.time_ms <= time_ms) ?? null;
}

const pictureId = (name: string, lane: string, index: number): string => `${name}-${lane}-${index}`;

/** A lane's pictures are put into the file once, and shown wherever they still stood. */
function pictures(name: string, { lane, frames }: FilmedLane, across: number, high: number): Markup[] {
  return frames.map(
    ({ jpeg }, index) =>
      html`<image id="${pictureId(name, lane, index)}" width="${across}" height="${high}" preserveAspectRatio="xMidYMin slice" href="data:image/jpeg;base64,${jpeg}"/>`,
  );
}

/** `name` distinguishes this figure's pictures from others' in the same document. */
export function filmstripFigure(lanes: readonly FilmedLane[], name: string): Markup {
  const instants = instantsOf(lanes);
  const across = Math.min(widest, (width - laneWidth) / Math.max(1, instants.length) - gap);
  const high = Math.round(across * aspect);
  const rowHeight = high + gap + 14;
  const height = top + lanes.length * rowHeight;
  const at = (column: number): number => laneWidth + column * (across + gap);
  const heads = instants.map(
    (time_ms, column) => html`<text class="axis" x="${at(column)}" y="14">${instant(time_ms)}</text>`,
  );
  const names = lanes.map(({ lane }) => lane);
  const rows = lanes.map(({ lane, frames, plt_ms }, row) => {
    const y = top + row * rowHeight;
    const loaded = plt_ms === null ? -1 : instants.findIndex((time_ms) => time_ms >= plt_ms);
    let shown: FilmFrame | null = null;
    const cells = instants.map((time_ms, column) => {
      const x = at(column);
      const frame = frameAt(frames, time_ms);
      const isNew = frame !== null && frame !== shown;
      const changed = isNew && shown !== null;
      shown = frame;
      if (frame === null) return null;
      // Of the last picture it would be cut.
      const isLast = column > 0 && column === instants.length - 1;
      const loadedMark = (time: string): Markup =>
        html`<text class="${isLast ? "axis end" : "axis"}" x="${isLast ? x + across : x}" y="${y + high + 12}">loaded ${time}</text>`;
      const id = pictureId(name, lane, frames.indexOf(frame));
      const story = `${lane} at ${formatTime(time_ms)}${isNew ? "" : ", as before"}`;
      return html`<g><use href="#${id}" x="${x}" y="${y}"/><rect class="${changed ? "film changed" : "film"}" x="${x}" y="${y}" width="${across}" height="${high}"/><title>${story}</title>${column === loaded && plt_ms !== null && loadedMark(formatTime(plt_ms))}</g>`;
    });
    const times = frames.map(({ time_ms }) => String(time_ms)).join(" ");
    return html`<g class="${laneClass(lane, names)}" data-times="${times}" data-plt="${String(plt_ms ?? "")}"><defs>${pictures(name, { lane, frames, plt_ms }, across, high)}</defs><text class="lane" x="0" y="${y + high / 2}">${lane}</text>${cells}</g>`;
  });
  const step_ms = (instants[1] ?? 1) - (instants[0] ?? 0);
  const scale = { at: (time_ms: number): number => laneWidth + (time_ms / step_ms) * (across + gap) };
  const label = `What the page showed over ${names.join(", ")} at the same instants${lanes.map(({ lane, plt_ms }) => (plt_ms === null ? "" : `; ${lane} had loaded at ${formatTime(plt_ms)}`)).join("")}`;
  return html`<figure class="filmstrip" data-group="${name}">${drawing({ look: "wide", label, width, height, attributes: timeScale(scale) }, html`${heads}${rows}`)}<figcaption>What the page showed at the same instants, of one further load of each lane: filming takes time, so these loads are in no average. A coloured frame: changed since the picture before.</figcaption></figure>`;
}
