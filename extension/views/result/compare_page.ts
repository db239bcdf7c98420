// Two profiles side by side: metrics and shares in one table, and both waterfalls on one time axis.

import { middleCut } from "../../../cli/base/middle_cut.ts";
import { count, formatSize, formatTime } from "../../../cli/base/numbers.ts";
import { pages } from "../../actions.ts";
import { metricFacts, pageMetrics } from "../../capture/metric_facts.ts";
import { html, type Markup } from "../../figures/markup.ts";
import type { Profile } from "../../history/records.ts";
import { find, put } from "../put.ts";
import { inOrder, pageName, sharesBar } from "../words.ts";
import { requestPanel } from "./request_panel.ts";
import { endOf, rowsOf } from "./rows.ts";
import { metricText, originLine } from "./summary.ts";

type Facts = Profile["log"]["_trilane"];

/** `−120 ms (−14 %)`: what the second has more than the first. */
function difference(a: number | null, b: number | null, format: (value: number) => string): string {
  if (a === null || b === null) return "";
  const by = b - a;
  if (by === 0) return "0";
  const sign = by < 0 ? "−" : "+";
  const share = (Math.abs(by) / a) * 100;
  const percent = a === 0 ? "" : ` (${share < 0.5 ? "less than 1" : `${sign}${share.toFixed(0)}`} %)`;
  return `${sign}${format(Math.abs(by))}${percent}`;
}

function tableMarkup(a: Facts, b: Facts): Markup {
  const row = (name: string, one: number | null, other: number | null, format: (value: number) => string): Markup =>
    html`<tr><th scope="row">${name}</th><td class="num">${one === null ? "–" : format(one)}</td><td class="num">${other === null ? "–" : format(other)}</td><td class="num">${difference(one, other, format)}</td></tr>`;
  const sum = (facts: Facts, of: "requests" | "bytes"): number =>
    facts.protocols.reduce((total, share) => total + share[of], 0);
  const requestsOver = (facts: Facts, protocol: string): number =>
    facts.protocols.find((share) => share.protocol === protocol)?.requests ?? 0;
  const known = pageMetrics.filter((name) => (a.metrics[name] ?? b.metrics[name]) !== undefined);
  const both = inOrder([...a.protocols, ...b.protocols]).map(({ protocol }) => protocol);
  return html`<table><caption>The last column says what B has more or less than A. One load each: no more than an impression.</caption><thead><tr><th scope="col">metric</th><th scope="col" class="num">A</th><th scope="col" class="num">B</th><th scope="col" class="num">B − A</th></tr></thead><tbody>
${known.map((name) => row(metricFacts[name].title, a.metrics[name] ?? null, b.metrics[name] ?? null, (value) => metricText(name, value)))}
${row("requests", sum(a, "requests"), sum(b, "requests"), String)}${row("bytes", sum(a, "bytes"), sum(b, "bytes"), formatSize)}${row("connections", a.connections, b.connections, String)}
${[...new Set(both)].map((protocol) => row(`requests, ${protocol}`, requestsOver(a, protocol), requestsOver(b, protocol), String))}</tbody></table>`;
}

function sideMarkup(name: string, { log }: Profile): Markup {
  const facts = log._trilane;
  const plt = facts.metrics.plt_ms === null ? "no load event" : formatTime(facts.metrics.plt_ms);
  return html`<section class="side" id="side-${name}"><h2>${name}: ${middleCut(pageName(facts), 60)}</h2><p class="soft">${originLine(facts)} · <a href="${chrome.runtime.getURL(pages.result(facts.id))}">alone</a></p><p>${plt}, ${count(log.entries.length, "request")}</p>${sharesBar(facts.protocols)}<div class="requests"></div></section>`;
}

export function showBoth(main: HTMLElement, a: Profile, b: Profile): void {
  document.title = `${pageName(a.log._trilane)} and ${pageName(b.log._trilane)} · Trilane`;
  put(
    main,
    html`<h1>Two profiles side by side</h1><div class="sides">${tableMarkup(a.log._trilane, b.log._trilane)}</div><div class="sides two">${sideMarkup("A", a)}${sideMarkup("B", b)}</div>`,
  );
  const sides = [a, b].map((profile) => ({ profile, rows: rowsOf(profile) }));
  const end_ms = Math.max(...sides.map(({ profile, rows }) => endOf(rows, profile.log._trilane.metrics.plt_ms)));
  const panels = sides.map(({ profile, rows }, index) =>
    requestPanel(find(`#side-${index === 0 ? "A" : "B"} .requests`), profile, rows, {
      name: index === 0 ? "a" : "b",
      end_ms,
      // What is looked at in one is looked at in the other.
      zoom: (window) => panels[1 - index]?.list.setWindow(window),
    }),
  );
}
