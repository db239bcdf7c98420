// What the machine added to loads, at most, and how many loads of each lane do not count. Judges nothing: each load was judged when
// it was measured.
import { html, type Markup } from "../../extension/figures/markup.ts";
import type { SweepPlan } from "../../schemas/generated/sweep_plan.ts";
import { median, quantile } from "../base/quantile.ts";
import { usualTolerance } from "../load/disturbance.ts";
import type { Load } from "../results/store/sweep_rows.ts";
import { type BusyPlace, busyPlaces } from "../results/verdict/busy_machine.ts";
import { byLane, counted } from "../results/verdict/sample.ts";

type Disturbed = Load & { readonly disturbance_ms: number };

const isMeasured = (load: Load): load is Disturbed => load.disturbance_ms !== null;
const isLeft = (load: Load): boolean => counted(load) === null;
const percent = (part: number, whole: number): string => `${Math.round((100 * part) / whole)} %`;
/** In ms, as the head of its column says. */
const ms = (time_ms: number): string => time_ms.toFixed(1);

function estimateCell(loads: readonly Disturbed[]): string {
  const known_ms = loads.flatMap(({ disturbance_estimate_ms }) => disturbance_estimate_ms ?? []);
  return known_ms.length === 0 ? "unknown" : ms(median(known_ms));
}

const shareWords = (value: number): string => (Number.isFinite(value) ? value.toFixed(2) : "unknown");

/** How much of its estimate a load had, on each page and link whose loads waited. Nothing on a calm machine. */
function slopesTable(places: readonly BusyPlace[]): Markup | null {
  if (places.length === 0) return null;
  const rows = places.map(({ page, link, busy, all, estimate_ms, slope, off_ms }) => {
    const ends = slope && [slope.interval.low, slope.interval.high].map(shareWords);
    const cells = [
      `${busy} of ${all}`,
      estimate_ms === null ? "unknown" : ms(estimate_ms),
      slope?.estimate === null || !slope ? "unknown" : shareWords(slope.estimate),
      !ends || ends.includes("unknown") ? "unknown" : ends.join(" to "),
      ms(off_ms),
    ];
    return html`<tr><th scope="row">${page}</th><td>${link}</td>${cells.map((cell) => html`<td class="num">${cell}</td>`)}</tr>`;
  });
  const heads = ["loads that waited", "estimate, ms", "slope", "95 %", "medians off by up to, ms"];
  return html`<h3>On a busy machine</h3><p>Slope: how much longer a load was for each ms of its estimate (Theil and Sen's, with the interval of Kendall's test). What loads leave open of it is taken to be from 0 to 1: half was subtracted, and intervals are wider by the other half of both lanes.</p><div class="scroll"><table><thead><tr><th scope="col">page</th><th scope="col">link</th>${heads.map((head) => html`<th scope="col" class="num">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

const stripWidth = 220;
const stripHeight = 20;
/** Where what is tolerated ends; beyond it there is room for as much again. */
const toleratedEnd = stripWidth / 2;

/** How long each load's link was held up, against what is tolerated. */
function strip(lane: string, loads: readonly Disturbed[]): Markup | null {
  const shares = loads.flatMap(({ disturbance_link_ms, tolerated_ms }) =>
    disturbance_link_ms === null || !tolerated_ms ? [] : [disturbance_link_ms / tolerated_ms],
  );
  if (shares.length === 0) return null;
  // Many loads lie on one another: a path is small, however many there are.
  const places = new Set(shares.map((share) => Math.round(Math.min(share * toleratedEnd, stripWidth - 2)) + 1));
  const ticks = [...places].map((x) => `M${x} 3v${stripHeight - 6}`).join("");
  const label = `${lane}: links were held up for at most ${Math.round(100 * Math.max(...shares))} % of what is tolerated`;
  return html`<svg class="dw" width="${stripWidth}" height="${stripHeight}" viewBox="0 0 ${stripWidth} ${stripHeight}" role="img" aria-label="${label}"><rect class="tolerance" x="0" y="6" width="${toleratedEnd}" height="${stripHeight - 12}"/><line class="zero" x1="${toleratedEnd}" x2="${toleratedEnd}" y1="1" y2="${stripHeight - 1}"/><path class="tick" d="${ticks}"/></svg>`;
}

/** Null where no load has its disturbance stored. */
export function disturbanceSection(
  loads: readonly Load[],
  { tolerance = usualTolerance }: Pick<SweepPlan, "tolerance">,
): Markup | null {
  const rule = html`<p>Bound: the most that the machine added to a load. It is the time its packets were overdue at the link, its threads were ready but had no CPU, and a hypervisor stole. A load counts if its link was held up for no longer than the larger of ${String(Number((tolerance.share * 100).toPrecision(6)))} % of its page load time and ${String(tolerance.ms)} ms.</p>`;
  const measured = loads.filter(isMeasured);
  if (measured.length === 0) return null;
  const rows = byLane(loads).map(({ lane, loads: of }) => {
    const known = of.filter(isMeasured);
    const bounds_ms = known.map(({ disturbance_ms }) => disturbance_ms);
    const cells =
      known.length === 0
        ? ["unknown", "", "", ""]
        : [
            ms(median(bounds_ms)),
            ms(quantile(bounds_ms, 0.95)),
            ms(median(known.map(({ disturbance_cpu_ms }) => disturbance_cpu_ms ?? 0))),
            estimateCell(known),
          ];
    const left = of.filter(isLeft).length;
    return html`<tr><th scope="row">${lane}</th><td>${strip(lane, known)}</td>${cells.map((cell) => html`<td class="num">${cell}</td>`)}<td class="num">${String(left)} of ${String(of.length)} (${percent(left, of.length)})</td></tr>`;
  });
  const heads = ["bound, ms", "95 % below", "without a CPU", "estimate", "do not count"];
  return html`${rule}<div class="scroll"><table><thead><tr><th scope="col">lane</th><th scope="col">at the link, of what is tolerated</th>${heads.map((head) => html`<th scope="col" class="num">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div><p class="soft">All attempts: a tick each, right of the line if it does not count. Numbers are medians; estimate: about how much of the bound the page waited for.</p>${slopesTable(busyPlaces(loads))}`;
}
