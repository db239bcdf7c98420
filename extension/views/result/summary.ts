// The top of the result page: the answer in a sentence, the metrics, and requests, bytes and time shared out. Data in,
// markup out.
import { count, formatSize, formatTime } from "../../../cli/base/numbers.ts";
import { metricFacts, type PageMetric, pageMetrics } from "../../capture/metric_facts.ts";
import { html, type Markup } from "../../figures/markup.ts";
import { shadeClass } from "../../figures/share_colours.ts";
import type { Profile } from "../../history/records.ts";
import { dateTime, inOrder } from "../words.ts";
import type { ShareBy, ShareRow } from "./shares.ts";

type Facts = Profile["log"]["_trilane"];

export function metricText(name: PageMetric, value: number | null): string {
  if (value === null) return "–";
  return metricFacts[name].kind === "score" ? String(Number(value.toFixed(3))) : formatTime(value);
}

/** `Loaded in 743 ms: 72 requests, 1.9 MB, 63 % of the requests over h3.` */
export function sentence(profile: Profile): string {
  const { metrics: measured, protocols } = profile.log._trilane;
  const requests = protocols.reduce((sum, share) => sum + share.requests, 0);
  const bytes = protocols.reduce((sum, share) => sum + share.bytes, 0);
  const most = protocols[0];
  const share = most && requests > 0 ? (most.requests / requests) * 100 : 0;
  const over = most ? `, ${share === 100 ? "all" : `${share.toFixed(0)} %`} ${overWords(most.protocol)}` : "";
  const loaded = measured.plt_ms === null ? "No load event" : `Loaded in ${formatTime(measured.plt_ms)}`;
  return `${loaded}: ${count(requests, "request")}, ${formatSize(bytes)}${over}.`;
}

function overWords(protocol: string): string {
  if (protocol === "cache") return "from the cache";
  if (protocol === "service worker") return "through a service worker";
  if (protocol === "none") return "without an answer";
  return protocol === "unknown" ? "over an unknown protocol" : `over ${protocol}`;
}

const kinds: Readonly<Record<Facts["kind"], string>> = {
  reload: "profiled",
  observed: "read without reloading",
  imported: "from a HAR file",
};

/** When and how the profile came about. */
export function originLine({ kind, cache, started, source }: Facts): string {
  const parts = [`${dateTime(started)}, ${kinds[kind]}`, cache ? `cache ${cache}` : ""];
  if (source) parts.push(`${source.file}, written by ${source.producer || "an unknown program"}`);
  return parts.filter(Boolean).join(", ");
}

export function metricTiles({ metrics: measured }: Facts): Markup {
  const known = pageMetrics.filter((key) => measured[key] !== undefined);
  const tiles = known.map((key) => {
    const { title, meaning } = metricFacts[key];
    const value = measured[key] ?? null;
    const why = value === null ? (measured.unavailable[key] ?? "unknown") : null;
    return html`<div class="tile${key === "plt_ms" && " first"}" title="${meaning}"><dt>${title}</dt><dd>${metricText(key, value)}${why && html`<small>${why}</small>`}</dd></div>`;
  });
  return html`<dl class="tiles">${tiles}</dl>`;
}

/** Few enough to be read; the rest is one click away. */
const rowsShown = 8;

export function sharesTable(shares: readonly ShareRow[], by: ShareBy, all: boolean): Markup {
  const requests = Math.max(1, ...shares.map((share) => share.requests));
  const shown = all ? shares : shares.slice(0, rowsShown);
  const rows = shown.map((share, index) => {
    const bars = inOrder(share.protocols).map(
      (part) =>
        html`<i class="${shadeClass(part.protocol)}" style="width:${((part.requests / requests) * 100).toFixed(2)}%"></i>`,
    );
    return html`<tr><th scope="row"><button type="button" class="plain only" data-index="${String(index)}" title="Show these requests alone">${share.label}</button></th><td class="num">${String(share.requests)}</td><td class="num">${formatSize(share.bytes)}</td><td class="num">${formatTime(share.time_ms)}</td><td class="split"><span aria-hidden="true">${bars}</span></td></tr>`;
  });
  const more =
    shares.length > shown.length &&
    html`<button type="button" class="plain more">Show all ${String(shares.length)}</button>`;
  return html`<div class="scroll"><table class="by"><thead><tr><th scope="col">${by}</th><th scope="col" class="num">requests</th><th scope="col" class="num">bytes</th><th scope="col" class="num" title="sum over the requests, which overlap">time</th><th scope="col" class="split">requests by protocol</th></tr></thead><tbody>${rows}</tbody></table></div>${more}`;
}

export function notesMarkup({ notes }: Facts): Markup {
  return html`${notes.map(({ about, text }) => html`<p class="note${about === "end" && " bad"}">${text}</p>`)}`;
}

/** Why hosts did not use HTTP/3: the sentence, then each host. */
export function h3Markup({ h3 }: Facts): Markup {
  if (h3.length === 0) return html``;
  const without = h3.filter(({ used }) => !used);
  const words =
    without.length === 0
      ? `All ${count(h3.length, "host")} used HTTP/3.`
      : `${count(without.length, "host")} of ${h3.length} did not use HTTP/3.`;
  const rows = h3
    .toSorted((a, b) => Number(a.used) - Number(b.used) || b.requests - a.requests)
    .map(
      ({ host, used, requests, requests_h3, why }) =>
        html`<tr><th scope="row">${host}</th><td>${used ? (requests_h3 === requests ? "yes" : `${requests_h3} of ${requests}`) : "no"}</td><td>${why || "–"}</td></tr>`,
    );
  return html`<details class="h3"><summary><b>${words}</b> Why, as far as the browser reports it</summary><div class="scroll"><table><thead><tr><th scope="col">host</th><th scope="col">h3</th><th scope="col">why not</th></tr></thead><tbody>${rows}</tbody></table></div></details>`;
}
