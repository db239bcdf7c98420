// What it cost each lane that the link moved while one page loaded (rebind, switch): loads that survived, the first byte on the new
// path, connections opened anew. Nothing for a link that did not move. Takes what is stored; computes medians.
import { html, type Markup } from "../../extension/figures/markup.ts";
import { formatTime } from "../base/numbers.ts";
import { median } from "../base/quantile.ts";
import { figures } from "../registry/units.ts";
import type { Load } from "../results/store/results.ts";
import { isValid, timedOut } from "../results/verdict/sample.ts";

interface MovedLane {
  readonly lane: string;
  readonly loads: readonly Load[];
}

const valuesOf = (loads: readonly Load[], name: "path_moves" | "moved_first_byte_ms" | "reconnections"): number[] =>
  loads.flatMap((load) => load[name] ?? []);

const cell = (values: readonly number[], text: (value: number) => string): Markup =>
  html`<td class="num">${values.length === 0 ? "–" : text(median(values))}</td>`;

/** Of loads that ended whole and of those that did not for the moves' sake; what the machine disturbed says nothing of moves. */
function row({ lane, loads }: MovedLane): Markup | null {
  const moved = loads.filter((load) => load.path_moves !== null && (isValid(load) || timedOut(load)));
  if (moved.length === 0) return null;
  const survived = moved.filter(isValid).length;
  return html`<tr><th scope="row">${lane}</th><td class="num">${String(survived)} of ${String(moved.length)}</td>${cell(valuesOf(moved, "path_moves"), figures)}${cell(valuesOf(moved, "moved_first_byte_ms"), formatTime)}${cell(valuesOf(moved, "reconnections"), figures)}</tr>`;
}

export function movesTable(lanes: readonly MovedLane[]): Markup | null {
  const rows = lanes.flatMap((lane) => row(lane) ?? []);
  if (rows.length === 0) return null;
  return html`<h4>While the link moved</h4><table class="facts"><thead><tr><th scope="col">lane</th><th scope="col" class="num">loads that survived</th><th scope="col" class="num">moves</th><th scope="col" class="num">first byte after a move</th><th scope="col" class="num">connections after moves</th></tr></thead><tbody>${rows}</tbody></table><p class="soft">Medians of loads. A load survives if its page is complete. Browsers do not repeat a request that a lost connection had begun to answer, so such a page is never complete and counts as timed out. QUIC continues on the same connection. TCP opens new ones; those that the page would have needed anyway count too.</p>`;
}
