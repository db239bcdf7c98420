// How often browsers went back from QUIC to TCP on links that treat UDP in their own way, and how long that took: a sentence for each
// lane on which they are free to, and a row for each page and link. Takes what is stored; tests nothing.
import { html, type Markup } from "../../extension/figures/markup.ts";
import { choosesQuic, labelParts, laneName } from "../base/lanes.ts";
import { middleCut } from "../base/middle_cut.ts";
import { count, formatTime } from "../base/numbers.ts";
import { median } from "../base/quantile.ts";
import { udpText } from "../link/label.ts";
import type { Cell, Load } from "../results/store/results.ts";
import { isValid, sortLanes } from "../results/verdict/sample.ts";
import { linkCell } from "./figures/parts.ts";

const maxRows = 200;

interface Fallbacks {
  readonly lane: string;
  /** Of valid loads, those that fell back. */
  readonly times_ms: readonly number[];
  readonly loads: number;
}

const isFree = (label: string): boolean => {
  const lane = labelParts(label)?.lane;
  return lane !== undefined && choosesQuic(lane);
};

export function fallbacksOf(lane: string, loads: readonly Pick<Load, "lane" | "status" | "fallback_ms">[]): Fallbacks {
  const valid = loads.filter((load) => load.lane === lane && load.status === "valid");
  return {
    lane,
    times_ms: valid.flatMap(({ fallback_ms }) => (fallback_ms === null ? [] : [fallback_ms])),
    loads: valid.length,
  };
}

/** `62 ms (58 to 66 ms)`; of one load its time alone. */
function timeText(times_ms: readonly number[]): string {
  if (times_ms.length === 0) return "–";
  const middle = formatTime(median(times_ms));
  if (times_ms.length === 1) return middle;
  return `${middle} (${formatTime(Math.min(...times_ms))} to ${formatTime(Math.max(...times_ms))})`;
}

/** `h3-discovered fell back to HTTP/2 in 5 of 5 loads, after 62 ms in the median (58 ms to 66 ms).` */
export function fallbackSentence({ lane, times_ms, loads }: Fallbacks): string {
  const fell = `${lane} fell back to HTTP/2 in ${times_ms.length} of ${count(loads, "load")}`;
  return times_ms.length === 0 ? `${fell}.` : `${fell}, after ${timeText(times_ms)}.`;
}

/** Null where no link treats UDP in its own way, or no lane leaves the browser a choice. */
export function fallbackSection(cells: readonly Cell[], loads: readonly Load[]): Markup | null {
  const free = cells.filter(({ lane, link_profile }) => link_profile.udp && isFree(lane));
  if (free.length === 0) return null;
  const keys = new Set(free.map(({ page, link, lane }) => JSON.stringify([page, link, lane])));
  const theirs = loads.filter(({ page, link, lane }) => keys.has(JSON.stringify([page, link, lane])));
  const lanes = sortLanes([...new Set(free.map(({ lane }) => lane))]);
  const rows = free.slice(0, maxRows).map((cell) => {
    const own = theirs.filter(({ page, link }) => page === cell.page && link === cell.link);
    const { times_ms, loads: valid } = fallbacksOf(cell.lane, own);
    const plt_ms = own.flatMap((load) =>
      load.lane === cell.lane && isValid(load) && load.plt_ms !== null ? [load.plt_ms] : [],
    );
    return html`<tr><td>${middleCut(cell.page, 60)}</td>${linkCell(cell.link)}<td>${udpText(cell.link_profile)}</td><th scope="row">${cell.lane}</th><td class="num">${times_ms.length} of ${valid}</td><td class="num">${timeText(times_ms)}</td><td class="num">${plt_ms.length === 0 ? "–" : formatTime(median(plt_ms))}</td></tr>`;
  });
  const heads = ["page", "link", "UDP", "lane"];
  const numbers = ["fell back", "after", "page load time"];
  const more =
    free.length > maxRows &&
    html`<p class="soft">The first ${maxRows} of ${count(free.length, "cell")}; the CSV has all.</p>`;
  return html`<p>${lanes.map((lane) => fallbackSentence(fallbacksOf(lane, theirs))).join(" ")}</p><p class="soft">On ${lanes.map((lane) => `${lane} (${laneName(lane)})`).join(", ")} the browser may try QUIC and use TCP instead, which is a valid result on a link that blocks, limits or delays UDP. “After” is from the first QUIC packet until the next byte over TCP reached the same server; medians of the valid loads that fell back, with their ranges. A browser that has opened TCP beside QUIC loses little.</p><div class="scroll"><table class="facts"><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}${numbers.map((head) => html`<th scope="col" class="num">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>${more}`;
}
