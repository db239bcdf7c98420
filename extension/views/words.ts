// What all three views say alike: failures, shares of protocols, lanes under way, dates. Data in, markup out.
import { count, formatTime } from "../../cli/base/numbers.ts";
import type { Failure, Lane, RaceState } from "../actions.ts";
import { html, type Markup } from "../figures/markup.ts";
import { protocolShades, shadeClass } from "../figures/share_colours.ts";

export interface Share {
  readonly protocol: string;
  readonly requests: number;
}

const rank = (protocol: string): number => {
  const index = protocolShades.findIndex(({ key }) => key === protocol);
  return index < 0 ? protocolShades.length : index;
};

/** Protocols in the order of their versions, as everywhere. */
export function inOrder<S extends Share>(shares: readonly S[]): S[] {
  return shares.toSorted((a, b) => rank(a.protocol) - rank(b.protocol));
}

/** Requests by protocol: one bar, and its words. */
export function sharesBar(shares: readonly Share[]): Markup {
  const ordered = inOrder(shares);
  const all = ordered.reduce((sum, { requests }) => sum + requests, 0);
  if (all === 0) return html`<p class="soft">No requests.</p>`;
  const bars = ordered.map(
    ({ protocol, requests }) =>
      html`<i class="${shadeClass(protocol)}" style="flex:${String(requests)}" title="${protocol}: ${count(requests, "request")}"></i>`,
  );
  const words = ordered.map(
    ({ protocol, requests }) =>
      html`<li><i class="${shadeClass(protocol)}"></i>${protocol} <b class="number">${String(requests)}</b></li>`,
  );
  return html`<div class="shares" aria-hidden="true">${bars}</div><ul class="key" aria-label="Requests by protocol">${words}</ul>`;
}

/** `message`, and what to do. */
export function failureNote({ message, remedy }: Failure): Markup {
  return html`<div class="note bad" role="alert"><p>${asSentence(message)}</p><p class="soft">What to do: ${remedy.replace(/\.?$/, ".")}</p></div>`;
}

/** The helper's messages begin small and end without a full stop, as terminals have it. */
function asSentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1) + (/[.!?]$/.test(message) ? "" : ".");
}

/** `about 2 min left`. */
export function timeLeft(left_s: number | null): string {
  if (left_s === null) return "";
  if (left_s < 1) return "almost done";
  if (left_s < 90) return `about ${Math.ceil(left_s)} s left`;
  return `about ${Math.ceil(left_s / 60)} min left`;
}

const phaseWords: Readonly<Record<RaceState["phase"], string>> = {
  "handing-over": "Passing the page to trilane-host",
  importing: "Making a recording",
  racing: "Racing",
  paused: "Paused",
  filming: "Filming each lane",
  reporting: "Writing the report",
  finished: "Finished",
  failed: "Failed",
  canceled: "Canceled",
};

export const isUnderWay = ({ phase }: RaceState): boolean =>
  phase !== "finished" && phase !== "failed" && phase !== "canceled";

/** `Racing over 3g: 7 of 15 loads, about 40 s left`. */
export function raceLine(race: RaceState): string {
  const loads = race.loads > 0 ? `: ${race.done} of ${count(race.loads, "load")}` : "";
  const left =
    race.phase === "paused"
      ? "the disk is full: free some space to continue"
      : race.phase === "racing"
        ? timeLeft(race.left_s)
        : "";
  return `${phaseWords[race.phase]} over ${race.link}${loads}${left && `, ${left}`}`;
}

/** A track for each lane, filled by its loads. */
export function laneTracks(race: RaceState): Markup {
  const each = race.lanes.length > 0 ? race.loads / race.lanes.length : 0;
  const tracks = race.lanes.map((lane: Lane) => {
    const done = race.lanesDone[lane] ?? 0;
    const plts = race.plts[lane] ?? [];
    const share = each > 0 ? Math.min(1, done / each) : 0;
    const last = plts.at(-1);
    const text = last === undefined ? (done > 0 ? count(done, "load") : "") : formatTime(last);
    return html`<div class="track lane-${lane}"><span class="name">${lane}</span><span class="bar" role="progressbar" aria-label="Loads of ${lane}" aria-valuemin="0" aria-valuemax="${String(Math.max(1, Math.round(each)))}" aria-valuenow="${String(done)}"><i style="width:${(share * 100).toFixed(1)}%"></i></span><span class="number soft" title="page load time of the last load">${text}</span></div>`;
  });
  return html`<div class="lanes">${tracks}</div>`;
}

/** In the reader's own time zone and language. */
export function dateTime(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime())
    ? iso
    : date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** The page's title, or its host and path where it has none. */
export function pageName({ title, url }: { readonly title: string; readonly url: string }): string {
  if (title.trim() !== "") return title.trim();
  const parsed = URL.parse(url);
  return parsed?.host ? parsed.host + (parsed.pathname === "/" ? "" : parsed.pathname) : url;
}

/** The three lanes, as in the icon. */
export const logo = html`<svg width="18" height="18" viewBox="0 0 16 16" aria-hidden="true"><g class="lane-h1"><rect class="swatch" x="1" y="1.5" width="14" height="3.5" rx="1"/></g><g class="lane-h2"><rect class="swatch" x="1" y="6.25" width="11" height="3.5" rx="1"/></g><g class="lane-h3"><rect class="swatch" x="1" y="11" width="8" height="3.5" rx="1"/></g></svg>`;
