// The machines of a sweep that several of them ran: which each is, what it ran, in what it is unlike the others, and what it
// needed for the reference cells, which all of them loaded. Draws given rows; the judgement is cli/sweep/cluster/host_flags.ts's.
import { html, type Markup } from "../../extension/figures/markup.ts";
import { count, formatSize, formatTime } from "../base/numbers.ts";
import { median } from "../base/quantile.ts";
import type { Cell, Host, Load } from "../results/store/results.ts";
import { isValid } from "../results/verdict/sample.ts";

/** A machine's loads of the reference cells. */
export interface HostReference {
  readonly host: string;
  readonly loads: readonly Load[];
}

const maxHosts = 200;

/** Each once, by name. */
export function hostsOf(cells: readonly Cell[]): Host[] {
  const hosts = new Map(cells.flatMap(({ host }) => (host ? [[host.name, host]] : [])));
  return [...hosts.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

const versionsText = ({ facts }: Host): string =>
  ["trilane", "chromium", "firefox"]
    .flatMap((product) => (facts.versions[product] ? [`${product} ${facts.versions[product].join(" and ")}`] : []))
    .join(", ");

/** An attempt of any kind. */
type Ran = Pick<Load, "cell">;

const titled = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

function hostRow(host: Host, loads: readonly Ran[]): Markup {
  const { cpu, cpus, memory_bytes, kernel } = host.facts;
  const own = new Set(host.cells.map(({ cell }) => cell));
  const places = new Set(host.cells.map(({ place }) => place)).size;
  const flags = host.flags.map((flag) => html`<li class="warning">${flag}</li>`);
  return html`<tr><th scope="row">${host.name}</th><td>${cpu}, ${count(cpus, "CPU")}, ${formatSize(memory_bytes)}, Linux ${kernel}</td><td>${versionsText(host)}</td><td class="num">${String(places)}</td><td class="num">${String(loads.filter(({ cell }) => own.has(cell)).length)}</td><td>${flags.length > 0 ? html`<ul>${flags}</ul>` : "in nothing"}</td></tr>`;
}

function referenceTable(references: readonly HostReference[]): Markup | null {
  const keyOf = ({ page, link, lane }: Load): string => `${page} over ${link}, ${lane}`;
  const names = [...new Set(references.flatMap(({ loads }) => loads.map(keyOf)))].sort();
  if (names.length === 0) return null;
  const cell = (loads: readonly Load[], name: string): Markup => {
    const plts_ms = loads.flatMap((load) => (keyOf(load) === name && isValid(load) ? [load.plt_ms] : []));
    if (plts_ms.length === 0) return html`<td class="num">none</td>`;
    return html`<td class="num">${formatTime(median(plts_ms))}<small>n ${String(plts_ms.length)}</small></td>`;
  };
  return html`<figure><figcaption>Median page load time of the reference cells, which every machine loads. No other figure of this report includes them.</figcaption><div class="scroll"><table><thead><tr><th scope="col">Machine</th>${names.map((name) => html`<th scope="col" class="num">${name}</th>`)}</tr></thead><tbody>${references
    .slice(0, maxHosts)
    .map(
      ({ host, loads }) => html`<tr><th scope="row">${host}</th>${names.map((name) => cell(loads, name))}</tr>`,
    )}</tbody></table></div></figure>`;
}

/** Null where it was not noted who ran the loads. */
export function hostsSection(
  cells: readonly Cell[],
  loads: readonly Load[],
  references: readonly HostReference[],
): Markup | null {
  return machinesSection(hostsOf(cells), loads, references, ofPages);
}

/** What machines ran, in words. */
export interface RanWords {
  readonly measured: string;
  readonly placesHead: string;
  /** What is compared within one machine, and what is between machines. */
  readonly within: string;
  readonly between: string;
}

const ofPages: RanWords = {
  measured: "loads",
  placesHead: "Pages on links",
  within: "loads of a page on a link",
  between: "pages and links",
};

/** If machines share links. */
export const runsOnLinks: RanWords = {
  measured: "runs",
  placesHead: "Links",
  within: "runs over a link",
  between: "links",
};

/** The same of any instrument. `loads`: every attempt. */
export function machinesSection(
  hosts: readonly Host[],
  loads: readonly Ran[],
  references: readonly HostReference[],
  words: RanWords,
): Markup | null {
  if (hosts.length === 0) return null;
  const { measured, within, between } = words;
  const odd = hosts.filter(({ flags }) => flags.length > 0);
  const heads = ["Machine", "What it is", "Versions", words.placesHead, titled(measured), "Unlike the others"];
  const summary =
    hosts.length === 1
      ? html`One machine ran all ${measured}.`
      : odd.length === 0
        ? html`${String(hosts.length)} machines ran the ${measured}; none is unlike the others.`
        : html`<span class="warning">${String(odd.length)} of ${String(hosts.length)} machines are unlike the others</span>: ${within} are compared within one machine, but ${between} of these machines with others’ only with care.`;
  const shown = [...odd, ...hosts.filter(({ flags }) => flags.length === 0)].slice(0, maxHosts);
  return html`<p>${summary}</p><div class="scroll"><table class="facts"><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${shown.map((host) => hostRow(host, loads))}</tbody></table></div>${hosts.length > shown.length && html`<p>and ${String(hosts.length - shown.length)} more, all like these.</p>`}${referenceTable(references)}`;
}
