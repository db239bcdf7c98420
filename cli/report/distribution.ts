// PLTs of one page on one link: every load a dot, lane by lane, with median and interval. Draws given numbers.

import { html, type Markup } from "../../extension/figures/markup.ts";
import { roundScale } from "../../extension/figures/scale.ts";
import type { Load } from "../results/results.ts";
import { count, formatTime, formatTimeRange } from "../stats/numbers.ts";
import { isValid } from "../stats/sample.ts";
import type { LaneSummary } from "../stats/summary.ts";

const width = 960;
const labelWidth = 104; // the longest lane name
const rightWidth = 250;
const rowHeight = 40;

/** A dot's height in its row: spread by its number, so that equal PLTs do not hide each other. */
function offset(index: number): number {
  return (((index * 7) % 5) - 2) * 4;
}

function story(load: Load): string {
  const outcome = load.status === "valid" ? "" : `, ${load.status}: ${load.reasons.join("; ")}`;
  const time = load.plt_ms === null ? "no PLT" : formatTime(load.plt_ms);
  return `load ${load.id}, ${load.lane}, block ${load.block + 1}: ${time}${outcome}`;
}

export function distributionFigure(lanes: readonly LaneSummary[], loads: readonly Load[]): Markup {
  const timed = loads.filter((load): load is Load & { plt_ms: number } => load.plt_ms !== null);
  if (timed.length === 0) return html`<p class="nothing">No load of this page on this link has a page load time.</p>`;
  const scale = roundScale(
    timed.map((load) => load.plt_ms),
    labelWidth + 10,
    width - rightWidth,
  );
  const bottom = lanes.length * rowHeight + 6;
  const grid = scale.ticks.map(
    (tick) =>
      html`<line class="grid" x1="${scale.at(tick)}" x2="${scale.at(tick)}" y1="4" y2="${bottom}"/><text class="axis mid" x="${scale.at(tick)}" y="${bottom + 15}">${String(tick)}</text>`,
  );
  const rows = lanes.map((summary, index) => {
    const middle = index * rowHeight + rowHeight / 2 + 4;
    const dots = timed
      .filter((load) => load.lane === summary.lane)
      .map((load, position) => {
        const [x, y] = [scale.at(load.plt_ms), middle + offset(position)];
        return isValid(load)
          ? html`<circle class="dot" cx="${x}" cy="${y}" r="3.5"><title>${story(load)}</title></circle>`
          : html`<path class="cross" d="M${x - 3} ${y - 3}l6 6m0 -6l-6 6"><title>${story(load)}</title></path>`;
      });
    const interval =
      summary.interval_ms &&
      html`<rect class="interval" x="${scale.at(summary.interval_ms.low)}" y="${middle - 13}" width="${Math.max(2, scale.at(summary.interval_ms.high) - scale.at(summary.interval_ms.low))}" height="26" rx="2"/>`;
    const middleLine =
      summary.median_ms !== null &&
      html`<line class="median" x1="${scale.at(summary.median_ms)}" x2="${scale.at(summary.median_ms)}" y1="${middle - 15}" y2="${middle + 15}"/>`;
    const told =
      summary.median_ms === null
        ? "no valid load"
        : `${formatTime(summary.median_ms)}${summary.interval_ms ? ` (${formatTimeRange(summary.interval_ms)})` : ""}`;
    return html`<g class="lane-${summary.lane}"><text class="lane" x="0" y="${middle + 4}">${summary.lane}</text>${interval}${dots}${middleLine}<text class="told" x="${width - rightWidth + 14}" y="${middle}">${told}</text><text class="axis" x="${width - rightWidth + 14}" y="${middle + 14}">n = ${String(summary.valid)}${summary.variation !== null && `, CV ${(summary.variation * 100).toFixed(1)} %`}</text></g>`;
  });
  const left = loads.filter((load) => !isValid(load)).length;
  const label = `PLT of every load by lane: ${lanes.map((lane) => `${lane.lane} median ${lane.median_ms === null ? "none" : formatTime(lane.median_ms)}`).join(", ")}`;
  return html`<figure><svg class="wide" role="img" aria-label="${label}" viewBox="0 0 ${width} ${bottom + 34}" width="${width}" height="${bottom + 34}">${grid}${rows}<text class="axis mid" x="${(labelWidth + 10 + width - rightWidth) / 2}" y="${bottom + 31}">page load time, ms</text></svg><figcaption>Page load time of every load: n = ${String(timed.filter(isValid).length)} valid${
    left > 0 && html`; ${count(left, "load")} left out, drawn as crosses where they have a PLT`
  }. Line: median; band: 95 % interval of the median; CV: standard deviation over mean. The axis does not begin at 0.</figcaption></figure>`;
}
