// What reports of flows, fetches and commands share: frame and order, the first screen's answer, links, definitions, machine and citation.
// Knows no instrument.

import { html, type Markup } from "../../extension/figures/markup.ts";
import type { LinkProfile } from "../../schemas/generated/link_profile.ts";
import { endsOf } from "../base/interval.ts";
import { withMinus } from "../base/numbers.ts";
import { shellWord } from "../base/shell_word.ts";
import { linkSentence } from "../link/label.ts";
import { describeLink } from "../link/link.ts";
import { formatRange, formatValue, type Unit } from "../registry/units.ts";
import type { MetricSummary } from "../results/stats/metric_summary.ts";
import type { AnySweep, LinkTest } from "../results/store/results.ts";
import { linkTestSection } from "./link_tests.ts";
import { pageFrame, type Section } from "./page_frame.ts";

interface InstrumentReport {
  readonly sweep: AnySweep;
  readonly version: string;
  /** The sentence of the title. */
  readonly answer: string;
  /** What it is of, in the line below the name: `7 valid runs`. */
  readonly counted: string;
  /** Every attempt, for the sentence to cite: `8 runs`. */
  readonly attempts: string;
  /** One of them. */
  readonly attempt: string;
  readonly first: Markup;
  readonly sections: readonly Section[];
  readonly linkTests: readonly LinkTest[];
  /** Null: there is no section. */
  readonly machines?: Markup | null;
  readonly method: Markup;
}

function daysOf({ created_at, finished_at }: AnySweep): string {
  const [began, ended] = [created_at.slice(0, 10), finished_at?.slice(0, 10)];
  return ended === undefined || ended === began ? began : `${began} to ${ended}`;
}

/** The report as one HTML document. */
export function instrumentReport(report: InstrumentReport): string {
  const { sweep, version, answer, counted, attempts, attempt, first, sections, linkTests, machines = null } = report;
  const { id, name, kind, plan, plan_digest, seed, created_at } = sweep;
  const cited = `Trilane ${version}, ${kind} “${name}” (plan ${plan_digest.slice(0, 12)}, seed ${seed}), ${created_at.slice(0, 10)}, ${attempts}.`;
  return pageFrame({
    title: `${name}: ${answer}`,
    version,
    header: html`<h1>Trilane · ${name}</h1><p class="stamp">${[daysOf(sweep), counted, `Trilane ${version}`].join(" · ")}</p>${plan.description && html`<p class="soft">${plan.description}</p>`}`,
    first,
    sections: [
      ...sections,
      { id: "selftest", name: "Self-test", heading: "The links’ self-test", body: linkTestSection(linkTests) },
      { id: "machines", name: "Machines", heading: "The machines", body: machines },
      { id: "method", name: "Method", heading: "Method", body: report.method, isClosed: true },
      {
        ...{ id: "data", name: "Data", heading: "Data" },
        body: html`<p>Each figure and table above saves its numbers as CSV. Every ${attempt}: <code>trilane export ${String(id)}</code>.</p><p>To cite: ${cited}</p>`,
      },
    ],
  });
}

export const answerBlock = (first: string, rest: readonly string[]): Markup =>
  html`<div class="verdict"><p class="answer">${withMinus(first)}</p>${rest.map((sentence) => html`<p class="why">${withMinus(sentence)}</p>`)}</div>`;

/** `soFar`: `3 runs of 8`. False for a finished sweep. */
export const unfinishedLine = ({ finished_at }: AnySweep, soFar: string): Markup | false =>
  finished_at === null && html`<p class="excluded warning">This sweep is not finished: ${soFar} so far.</p>`;

const mostLinks = 100;

/** With its heading; false without links. */
export function linkList(
  links: readonly { readonly link: string; readonly link_profile: LinkProfile }[],
): Markup | false {
  const items = links.slice(0, mostLinks).map(({ link, link_profile }) => {
    const { name } = describeLink(link_profile);
    return html`<li><code>${link}</code>: ${name !== null && `${name}, `}${linkSentence(link_profile)}</li>`;
  });
  return links.length > 0 && html`<h3>Links</h3><ul>${items}</ul>`;
}

interface Defined {
  readonly title: string;
  readonly meaning: string;
  readonly unit: Unit | null;
}

/** `head`: what a row is. */
export function definitionsTable(head: string, facts: Readonly<Record<string, Defined>>): Markup {
  const rows = Object.entries(facts).map(
    ([name, { title, meaning, unit }]) =>
      html`<tr><th scope="row">${title}</th><td>${meaning}</td><td>${unit}</td><td><code>${name}</code></td></tr>`,
  );
  return html`<div class="scroll"><table class="facts"><thead><tr><th scope="col">${head}</th><th scope="col">what it is</th><th scope="col">unit</th><th scope="col">in data</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

export const commandLine = ({ command }: AnySweep): Markup => html`<code>${command.map(shellWord).join(" ")}</code>`;

export const factRow = (name: string, value: Markup | string): Markup =>
  html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`;

export const environmentRows = ({ environment }: AnySweep): Markup[] =>
  Object.entries(environment).map(([name, value]) =>
    factRow(name.replaceAll("_", " "), value === null ? "unknown" : String(value)),
  );

export const environmentTable = (sweep: AnySweep): Markup =>
  html`<details><summary>The machine</summary><div class="scroll"><table class="facts"><tbody>${environmentRows(sweep)}</tbody></table></div></details>`;

/** `unit`: null for a bare number. `note`: what it is of, if there is no reason to give. */
export function medianCell(
  { median, interval, reason }: Pick<MetricSummary, "median" | "interval" | "reason">,
  unit: Unit | null,
  note = "",
): Markup {
  if (median === null) return html`<td class="num none" data-sort="" title="${reason ?? ""}">–</td>`;
  const range = interval !== null && formatRange(interval, unit ?? "ratio");
  return html`<td class="num" data-sort="${String(median)}" title="${reason ?? note}">${formatValue(median, unit ?? "ratio")}${range && html`<small>${range}</small>`}</td>`;
}

/** Median and ends for a figure's CSV. Thousandths, which it has otherwise, would round ratios to nothing. */
export const exactEnds = ({ median, interval }: Pick<MetricSummary, "median" | "interval">): (string | null)[] =>
  [median, ...endsOf(interval)].map((value) => (value === null ? null : String(Number(value.toPrecision(6)))));

/** Attempts by why they do not count, the most frequent reason first. */
export function byFrequency<Attempt>(
  attempts: readonly Attempt[],
  keyOf: (attempt: Attempt) => readonly string[],
): [Attempt, ...Attempt[]][] {
  const groups = Map.groupBy(attempts, (attempt) => JSON.stringify(keyOf(attempt)));
  return ([...groups.values()] as [Attempt, ...Attempt[]][]).toSorted((a, b) => b.length - a.length);
}
