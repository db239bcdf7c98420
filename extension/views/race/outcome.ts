// A race's result: the verdict, medians with intervals, the lanes' waterfalls on one time axis, and what the page looked like
// at the same instants. Result in, markup out; the sentences are the command line's.
import {
  count,
  formatPercents,
  formatSize,
  formatTime,
  limitSign,
  percentRange,
  withMinus,
} from "../../../cli/base/numbers.ts";
import { mean, standardDeviation } from "../../../cli/base/quantile.ts";
import { distributionFigure, type PlottedLane } from "../../figures/distribution.ts";
import { type FilmedLane, filmstripFigure } from "../../figures/filmstrip.ts";
import { html, type Markup } from "../../figures/markup.ts";
import { phaseLegend } from "../../figures/phase_shapes.ts";
import { type DrawnRequests, marksOf, waterfallSvg } from "../../figures/waterfall.ts";
import type { RaceResult } from "../../history/records.ts";

type RaceLane = RaceResult["lanes"][number];

/** The answer; why, how sure and further pairs are set smaller. */
const headlines = 1;

function verdictMarkup({ verdict, excluded, runs, link, lanes }: RaceResult): Markup {
  const sentences = verdict.sentences.map((text, index) =>
    index < headlines ? html`<p>${withMinus(text)}</p>` : html`<p class="more">${withMinus(text)}</p>`,
  );
  const left = excluded.map((each) => `${count(each.count, "load")}: ${each.reason}`).join("; ");
  const out = lanes.reduce((sum, { timed_out = 0 }) => sum + timed_out, 0);
  const slow = `${count(out, "load")} timed out and ${out === 1 ? "counts" : "count"} as slower than all others.`;
  return html`<div class="verdict">${sentences.length > 0 ? sentences : html`<p>No verdict: nothing to compare.</p>`}</div><p class="soft">${link.label}; ${count(runs, "valid load")} per lane requested.</p><p class="note">${left ? `Not counted: ${left}.` : "Every load counts."}${out > 0 && ` ${slow}`}</p>`;
}

function plotted(lane: RaceLane): PlottedLane {
  const { plts_ms, median_ms, low_ms, high_ms, at_least = false, timed_out = 0 } = lane;
  return {
    lane: lane.lane,
    median: median_ms,
    isAtLeast: at_least,
    interval: low_ms === null || high_ms === null ? null : { low: low_ms, high: high_ms },
    valid: plts_ms.length,
    timed_out,
    variation: plts_ms.length > 1 ? standardDeviation(plts_ms) / mean(plts_ms) : null,
    loads: plts_ms.map((plt_ms, index) => ({
      value: plt_ms,
      valid: true,
      story: `${lane.lane}, valid load ${index + 1}: ${formatTime(plt_ms)}`,
    })),
  };
}

/** An interval within it says that lanes are equally fast; as cli/results/verdict/verdict.ts has it. */
export const equivalence_percent = 3;

/** Of a difference that is not shown: whether the sentences call it probable, because 0 is outside its interval. */
function isProbable({ low, high, limit, decision }: RaceResult["comparisons"][number]): boolean {
  if (decision !== undefined || limit === "at most" || (low === null && high === null)) return false;
  const [from, to] = [low ?? Number.NEGATIVE_INFINITY, high ?? Number.POSITIVE_INFINITY];
  const isEquivalent = from > -equivalence_percent && to < equivalence_percent;
  return (from > 0 || to < 0) && !isEquivalent;
}

function comparisonsMarkup({ comparisons }: RaceResult): Markup {
  const rows = comparisons.map((comparison) => {
    const { lane, against, improvement_percent, low, high, decided, decision, limit = null, reason } = comparison;
    if (improvement_percent === null)
      return html`<tr><th scope="row">${lane} over ${against}</th><td class="num">–</td><td class="num">–</td><td>${reason ?? "a lane has no valid load"}</td></tr>`;
    const interval =
      low === null && high === null
        ? null
        : { low: low ?? Number.NEGATIVE_INFINITY, high: high ?? Number.POSITIVE_INFINITY };
    const text = formatPercents(improvement_percent, interval);
    const minus = (number: string): string => number.replace("-", "−");
    const words =
      decision === "equivalent"
        ? "equal, as closely as was asked"
        : !interval
          ? "too few loads for an interval"
          : decided || isProbable(comparison)
            ? `${decided ? "" : "probably "}${improvement_percent > 0 ? "faster" : "slower"}`
            : "no difference shown";
    return html`<tr><th scope="row">${lane} over ${against}</th><td class="num">${limitSign(improvement_percent, limit)}${minus(text.percent)} %</td><td class="num">${interval ? percentRange({ low: minus(text.low), high: minus(text.high) }, " %") : "–"}</td><td>${words}</td></tr>`;
  });
  return html`<div class="scroll"><table><caption>Improvement of the median page load time: positive is faster. 95 % interval.</caption><thead><tr><th scope="col">pair</th><th scope="col" class="num">improvement</th><th scope="col" class="num">interval</th><th scope="col">verdict</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function drawnLane({ lane, load }: RaceLane): DrawnRequests[] {
  if (!load) return [];
  const { metrics, counts, link } = load.log._trilane;
  const plt = metrics.plt_ms === null ? "no PLT" : `PLT ${formatTime(metrics.plt_ms)}`;
  const aside = `${plt}, ${count(load.log.entries.length, "request")} on ${count(counts.connections, "connection")}, ${formatSize(counts.bytes)}`;
  const rate_bps = link.down.rate_bps ?? undefined;
  return [{ label: lane, aside, entries: load.log.entries, plt_ms: metrics.plt_ms, rate_bps, marks: marksOf(metrics) }];
}

function waterfallsMarkup(result: RaceResult): Markup {
  const drawn = result.lanes.flatMap(drawnLane);
  if (drawn.length === 0) return html`<p class="soft">No waterfall: no valid load.</p>`;
  const attributes = html`role="img" tabindex="0" aria-label="Waterfalls of ${result.page}: use the arrow keys to read request by request"`;
  return html`<figure class="waterfall"><div class="scroll">${waterfallSvg(drawn, attributes)}</div><p class="readout" aria-live="polite"></p>${phaseLegend()}<figcaption>The load nearest each lane's median, on one time axis. Lines: first byte, paints, DOMContentLoaded; strong: load event. Receiving is strong while bytes came. “h2 · 1” is protocol and connection, numbered by first use.</figcaption></figure>`;
}

function filmMarkup({ lanes }: RaceResult): Markup | null {
  const filmed = lanes.flatMap(({ lane, filmstrip, filmed_plt_ms }): FilmedLane[] =>
    filmstrip ? [{ lane, frames: filmstrip, plt_ms: filmed_plt_ms }] : [],
  );
  if (filmed.length === 0) return null;
  return html`<section aria-labelledby="film-title"><h2 id="film-title">What the page looked like</h2>${filmstripFigure(filmed, "film")}</section>`;
}

export function outcomeMarkup(result: RaceResult): Markup {
  const left = result.lanes.reduce((sum, { invalid }) => sum + invalid, 0);
  return html`${verdictMarkup(result)}
<div class="row buttons">${result.report_path !== null && html`<button type="button" class="main" id="report">Open the full report</button>`}<span class="soft">trilane's race ${String(result.sweep)}: <code>trilane export ${String(result.sweep)}</code> gives its data</span></div>
<section aria-labelledby="medians-title"><h2 id="medians-title">Page load times</h2>${distributionFigure(result.lanes.map(plotted), { left })}${comparisonsMarkup(result)}</section>
${filmMarkup(result)}
<section aria-labelledby="falls-title"><h2 id="falls-title">Where the time went</h2>${waterfallsMarkup(result)}</section>`;
}
