// The page that was loaded during flows as a row under them, on their time axis: its requests as bars, in the colours of the phases.
// Draws what was stored; a waterfall with names is extension/figures/waterfall.ts's.
import { phases } from "../../../../extension/figures/colours.ts";
import { coordinate, fitted, html, type Markup } from "../../../../extension/figures/markup.ts";
import { hatched } from "../../../../extension/figures/phase_shapes.ts";
import { phasesOf } from "../../../../extension/figures/request.ts";
import type { Scale } from "../../../../extension/figures/scale.ts";
import type { HarEntry } from "../../../../schemas/generated/page_load.ts";
import { count, formatTime } from "../../../base/numbers.ts";
import { axisLeft, axisRight, titleHeight } from "../../../report/figures/axis.ts";

export interface PageDuringFlows {
  readonly page: string;
  readonly lane: string;
  readonly entries: readonly HarEntry[];
  /** When its navigation began, on the flows' clock. */
  readonly start_ms: number;
  readonly plt_ms: number | null;
}

/** A page of many requests has thinner bars. */
const mostHeight = 150;
const rowHeight = { most: 7, least: 1 } as const;

/** `time`: of ms since the run began. */
export function pageRow(
  { page, lane, entries, start_ms, plt_ms }: PageDuringFlows,
  time: Scale,
  y0: number,
): { readonly markup: Markup; readonly height: number } {
  const sorted = entries.toSorted((a, b) => a._trilane.startOffset_ms - b._trilane.startOffset_ms);
  const row = Math.max(rowHeight.least, Math.min(rowHeight.most, mostHeight / Math.max(1, sorted.length)));
  const top = y0 + titleHeight;
  const x = (time_ms: number): number => Math.max(axisLeft, Math.min(axisRight, time.at(start_ms + time_ms)));
  const drawn = new Map<string, string>();
  sorted.forEach((entry, index) => {
    for (const { key, start_ms: from_ms, duration_ms } of phasesOf(entry)) {
      const from = x(from_ms);
      const length = Math.max(0.4, x(from_ms + duration_ms) - from);
      const bar = row * 0.8;
      const box = `M${coordinate(from)} ${coordinate(top + index * row)}h${coordinate(length)}v${coordinate(bar)}h-${coordinate(length)}z`;
      drawn.set(key, (drawn.get(key) ?? "") + box);
    }
  });
  const height = titleHeight + Math.max(10, sorted.length * row);
  const bars = phases.flatMap(({ key }) => {
    const path = drawn.get(key);
    if (path === undefined) return [];
    const base = html`<path class="ph-${key}" d="${path}"/>`;
    return hatched.has(key) ? [base, html`<path fill="url(#hatch-${key})" d="${path}"/>`] : [base];
  });
  const end =
    plt_ms !== null && html`<path class="loadevent" d="M${coordinate(x(plt_ms))} ${top}V${coordinate(y0 + height)}"/>`;
  const load = plt_ms === null ? "no load event" : `PLT ${formatTime(plt_ms)} (line)`;
  const from = `${count(entries.length, "request")} from ${formatTime(start_ms)}; `;
  const name = fitted(page.replace(/^https?:\/\//, "").replace(/\/$/, ""), 190, 12);
  return {
    markup: html`<g class="page" data-row="page"><text class="lane" x="0" y="${y0 + 12}">${name}, ${lane}</text><text class="axis end aside" x="${axisRight}" y="${y0 + 12}"><tspan class="more">${from}</tspan>${load}</text><g class="plotted">${bars}${end}</g></g>`,
    height,
  };
}
