// The report's section on coverage: by page and lane, how much of the recording loads requested, and what beyond. Draws given
// rows; what counts is cli/load/metrics/coverage.ts's.
import { html, type Markup } from "../../extension/figures/markup.ts";
import { middleCut } from "../base/middle_cut.ts";
import { count, formatSize } from "../base/numbers.ts";
import { median } from "../base/quantile.ts";
import { coverageBounds, percentDown } from "../load/metrics/coverage.ts";
import { figures } from "../registry/units.ts";
import type { Load } from "../results/store/results.ts";
import { byLane, isValid } from "../results/verdict/sample.ts";

const maxPages = 200;

type CoveredLoad = Load & { readonly coverage_requests: number; readonly coverage_bytes: number };

const isCovered = (load: Load): load is CoveredLoad => load.coverage_requests !== null && load.coverage_bytes !== null;

interface LaneRow {
  readonly lane: string;
  readonly loads: readonly CoveredLoad[];
  /** Whether these are valid loads; where a lane has none, they are all that ended. */
  readonly valid: boolean;
}

function laneRows(loads: readonly CoveredLoad[]): LaneRow[] {
  return byLane(loads).map(({ lane, loads: ofLane }) => {
    const valid = ofLane.filter(isValid);
    return { lane, loads: valid.length > 0 ? valid : ofLane, valid: valid.length > 0 };
  });
}

function shareCell(shares: readonly number[], bound: number): Markup {
  const least = Math.min(...shares);
  const range = least < median(shares) && html`<small>least ${percentDown(least)}</small>`;
  return html`<td class="${median(shares) < bound ? "num warning" : "num"}">${percentDown(median(shares))}${range}</td>`;
}

function numberCell(values: readonly (number | null)[]): Markup {
  const known = values.filter((value) => value !== null);
  return html`<td class="num">${known.length === 0 ? "–" : figures(median(known))}</td>`;
}

function pageRows(page: string, loads: readonly CoveredLoad[], isModelled: boolean): Markup[] {
  const rows = laneRows(loads);
  const [first] = loads;
  const recorded = html`<small>${count(first?.recorded_requests ?? 0, "request")}, ${formatSize(first?.recorded_bytes ?? 0)}${isModelled && "; modelled page"}</small>`;
  return rows.map(
    ({ lane, loads: shown, valid }, index) =>
      html`<tr data-page="${page}">${index === 0 && html`<th scope="rowgroup" rowspan="${String(rows.length)}"><span title="${page}">${middleCut(page, 48)}</span> ${recorded}</th>`}<td>${lane}</td>${shareCell(
        shown.map((load) => load.coverage_requests),
        coverageBounds.requests,
      )}${shareCell(
        shown.map((load) => load.coverage_bytes),
        coverageBounds.bytes,
      )}${numberCell(shown.map((load) => load.beyond_reports))}${numberCell(shown.map((load) => load.beyond_other))}${numberCell(
        shown.map((load) => load.beyond_failed),
      )}<td class="num">${String(shown.length)}${!valid && html`<small>none valid</small>`}</td></tr>`,
  );
}

const whole = (share: number): string => `${Math.round(share * 100)} %`;

/** Pages whose clock trial loads decided to set: what the plan did not ask for. */
function pinnedNote(pages: readonly string[]): Markup | null {
  if (pages.length === 0) return null;
  const of = pages.length === 1 ? "its" : "their";
  return html`<p>Of ${pages.slice(0, 20).join(", ")}${pages.length > 20 && ", …"} the clock was set to the date of ${of} recording and random numbers were seeded, because trial loads covered more of it that way.</p>`;
}

/** Null where no load has its coverage stored. `strict`: as the plan asks. `modelled`: by the pages that are models. `pinned`: pages whose clock trial loads decided to set. */
export function coverageSection(
  loads: readonly Load[],
  strict: boolean,
  modelled: ReadonlyMap<string, string> = new Map(),
  pinned: readonly string[] = [],
): Markup | null {
  const { requests, bytes, unanswered, betweenLanes } = coverageBounds;
  const bounds = `A load is valid only if it asks for at least ${whole(requests)} of the recorded requests and ${whole(bytes)} of their bytes.`;
  const rule = strict
    ? html`${bounds} This sweep is strict: each request before the load event must also be in the recording.`
    : html`${bounds} At most ${whole(unanswered)} of its own requests may be missing from the recording, or one that is no document, script or stylesheet. Reports, preflights, icons and manifests do not count, nor does what failed when recorded and fails again.`;
  const note = pinnedNote(pinned);
  const text = html`<p>The share of its recording that a load requested before the load event. ${rule} Lanes whose medians differ by more than ${String(Math.round(betweenLanes * 100))} percentage points are not compared.</p>${note}`;
  const covered = loads.filter(isCovered);
  if (covered.length === 0) return null;
  const pages = [...Map.groupBy(covered, ({ page }) => page)];
  const shown = pages
    .slice(0, maxPages)
    .map(([page, ofPage]) => html`<tbody>${pageRows(page, ofPage, modelled.has(page))}</tbody>`);
  const heads = ["requests", "bytes", "reports", "other", "failed again", "loads"];
  return html`${text}<div class="scroll"><table><thead><tr><th scope="col">Page</th><th scope="col">lane</th>${heads.map((head) => html`<th scope="col" class="num">${head}</th>`)}</tr></thead>${shown}</table></div>${pages.length > shown.length && html`<p>and ${String(pages.length - shown.length)} more pages, which are in the CSV.</p>`}<p class="soft">Medians of the valid loads over all links. Reports, other and failed again are not in the recording; <a href="#matching">which ones</a>.</p>`;
}
