// The parts of a report of flows that are text and tables: cell by cell, runs left out, how it was done. Takes numbers, computes none.

import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { confidence, minimumUnits } from "../../../base/interval.ts";
import { middleCut } from "../../../base/middle_cut.ts";
import { count } from "../../../base/numbers.ts";
import { type MeasuredMetric, metrics } from "../../../registry/metrics.ts";
import { formatValue } from "../../../registry/units.ts";
import { builtLater } from "../../../report/figures/parts.ts";
import {
  byFrequency,
  commandLine,
  definitionsTable,
  environmentRows,
  factRow,
  linkList,
} from "../../../report/instrument_report.ts";
import { ruleSentence } from "../../../results/answer/rule_outcome.ts";
import { reasonKind } from "../../../results/verdict/verdict.ts";
import type { FlowReportCell, FlowReportData } from "./flow_data.ts";
import { flowRunFigure } from "./run_figure.ts";
import { metricTables } from "./tables.ts";

const mostSections = 400;
const mostReasons = 60;

export const sectionId = ({ cell }: FlowReportCell): string => `c${cell.id}`;

/** `quic:cubic-n2 3.1 Mbit/s · tcp:cubic 1.62 Mbit/s`. */
function goodputs({ words, summary }: FlowReportCell): string {
  return summary.groups
    .map(({ group, all }) => {
      const { median } = all.goodput_bps;
      return `${words[group] ?? group} ${median === null ? "unknown" : formatValue(median, "bit/s")}`;
    })
    .slice(0, 6)
    .join(" · ");
}

function cellBody(cell: FlowReportCell, { pictures }: FlowReportData): Markup {
  const picture = pictures.get(cell.cell.id);
  if (cell.valid.length === 0)
    return html`<p class="nothing">No valid run${cell.runs.length > 0 && html`: <a href="#excluded">which were tried, and why they do not count</a>`}.</p>`;
  const figure = picture
    ? flowRunFigure(picture)
    : html`<p class="soft">Not drawn over time, to keep this file small.</p>`;
  return html`${figure}${metricTables(cell)}`;
}

/** One after the other, each of which opens on its own; null where there is none. */
export function cellSections(data: FlowReportData): Markup | null {
  const { cells } = data;
  if (cells.length === 0) return null;
  const shown = cells.slice(0, mostSections).map((cell, index) => {
    const { mix, link, lane } = cell.cell;
    const open = cells.length <= 3 || index === 0;
    const body = cellBody(cell, data);
    return html`<details class="group" id="${sectionId(cell)}"${open && html` open`}><summary><b>${middleCut(mix, 90)}</b> over <b>${link}</b>${lane !== null && html`, the page over <b>${lane}</b>`} <small>${goodputs(cell)}</small></summary>${open ? body : builtLater(body)}
</details>`;
  });
  const left = cells.length - shown.length;
  return html`${shown}${left > 0 && html`<p>${count(left, "more cell")} have no section here; their numbers are in the CSV of the table.</p>`}`;
}

/** Runs that do not count, with their reasons; null where all count. */
export function invalidSection({ cells, sweep }: FlowReportData): Markup | null {
  const left = cells.flatMap(({ runs, valid, cell }) => {
    const counted = new Set(valid.map(({ id }) => id));
    return runs.flatMap((run) => (counted.has(run.id) ? [] : [{ run, cell }]));
  });
  const all = cells.reduce((sum, { runs }) => sum + runs.length, 0);
  const empty = cells.filter(({ valid }) => valid.length === 0);
  if (left.length === 0 && empty.length === 0) return null;
  const reasons = left.flatMap(({ run, cell }) =>
    (run.reasons.length > 0 ? run.reasons : ["no result"]).map((reason) => ({ run, cell, reason })),
  );
  const rows = byFrequency(reasons, ({ run, reason }) => [run.status, reasonKind(reason)])
    .slice(0, mostReasons)
    .map((group) => {
      const [first] = group;
      const details = [...new Set(group.map(({ reason }) => reason.split(": ").slice(1).join(": ")))].filter(Boolean);
      const runs = [...new Map(group.map(({ run, cell }) => [run.id, cell])).values()];
      const where = [...new Set(runs.map(({ mix, link }) => `${middleCut(mix, 50)} over ${link}`))];
      return html`<tr><td class="status">${first.run.status}</td><td class="reason">${reasonKind(first.reason)}${details.length > 0 && html`<br><small>${details.slice(0, 3).map((detail, index) => `${index > 0 ? "; " : ""}${middleCut(detail, 120)}`)}${details.length > 3 && "; …"}</small>`}</td><td class="num">${String(runs.length)}</td><td>${where.slice(0, 3).join("; ")}${where.length > 3 && `; and ${where.length - 3} more`}</td></tr>`;
    });
  const table =
    left.length > 0 &&
    html`<p class="soft">${count(left.length, "run")} of ${String(all)} ${left.length === 1 ? "does" : "do"} not count. Invalid: it ended, but not as requested. Failed: it did not end. Such a run is retried up to ${count(sweep.plan.retries ?? 0, "time")}.</p><div class="scroll"><table><thead><tr><th scope="col">status</th><th scope="col">reason</th><th scope="col" class="num">runs</th><th scope="col">cells</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  const without =
    empty.length > 0 &&
    html`<p>Without a valid run:</p><ul>${empty.slice(0, 100).map(({ cell, runs }) => html`<li>${cell.mix} over ${cell.link}: ${count(runs.length, "run")} tried</li>`)}</ul>`;
  return html`${table}${without}`;
}

/** Controllers as they were requested and as they were read back, flow by flow of each mix. */
function controllersTable({ cells }: FlowReportData): Markup | null {
  const byMix = Map.groupBy(cells, ({ cell }) => cell.mix);
  const rows = [...byMix].flatMap(([mix, of]) => {
    const [first] = of;
    if (!first) return [];
    return first.words.map((words, group) => {
      const flows = of.flatMap(({ valid }) =>
        valid.flatMap(({ result }) => result.flows.filter((flow) => flow.group === group)),
      );
      const used = [
        ...new Set(
          flows.map(({ congestion_used, paced }) => `${congestion_used ?? "not reported"}${paced ? ", paced" : ""}`),
        ),
      ];
      const wanted = [...new Set(flows.map(({ congestion, paced }) => `${congestion}${paced ? ", paced" : ""}`))];
      const other = used.some((name) => !wanted.includes(name));
      return html`<tr>${group === 0 && html`<th scope="row" rowspan="${String(first.words.length)}">${middleCut(mix, 60)}</th>`}<td><code>${words}</code></td><td>${wanted.join(", ") || "–"}</td><td${other && html` class="warning"`}>${used.join(", ") || "–"}</td></tr>`;
    });
  });
  if (rows.length === 0) return null;
  return html`<h3>Controllers</h3><div class="scroll"><table><caption>What each flow was asked to use, and what its sender reported.</caption><thead><tr><th scope="col">mix</th><th scope="col">flow</th><th scope="col">asked</th><th scope="col">read back</th></tr></thead><tbody>${rows}</tbody></table></div>${acksNote(cells.flatMap(({ valid }) => valid.flatMap(({ result }) => result.flows)))}`;
}

/** How often flows with Sprout-EWMA were acknowledged, by which it goes. */
function acksNote(flows: readonly { readonly congestion: string }[]): Markup | null {
  const names = new Set(flows.map(({ congestion }) => congestion));
  const ways = [
    ...(names.has("sprout-ewma") ? ["of sprout-ewma each packet by itself"] : []),
    ...(names.has("sprout-ewma-acks") ? ["of sprout-ewma-acks once for all packets that it found together"] : []),
  ];
  return ways.length > 0 ? html`<p>The receiver acknowledged ${ways.join(", ")}.</p>` : null;
}

const definitions = (heading: string, facts: Readonly<Record<string, MeasuredMetric>>): Markup =>
  html`<h4>${heading}</h4>${definitionsTable("metric", facts)}`;

export function methodSection(data: FlowReportData): Markup {
  const { sweep, cells, linkTests, programVersions } = data;
  const { plan } = sweep;
  const links = [...new Map(cells.map(({ cell }) => [cell.link, cell])).values()];
  return html`<table class="facts"><tbody>${factRow("command", commandLine(sweep))}${factRow("began, ended", `${sweep.created_at}, ${sweep.finished_at ?? "not finished"}`)}${factRow("plan", `${plan.until ? "at most " : ""}${count(plan.repetitions, "valid run")} of each mix on each link, ${plan.for_s} s at most each, up to ${count(plan.retries ?? 0, "retry", "retries")}; mixes on a link interleaved block by block.${ruleSentence(plan, "each flow’s goodput against the first one’s", "runs")}`)}${plan.reference && factRow("reference", plan.reference)}${factRow("seed", `${sweep.seed} (order of runs, packet loss)`)}${factRow("sampled", `each flow at both ends every ${plan.sample_ms ?? 5} ms, on one clock${plan.ping_ms ? `; a ping every ${plan.ping_ms} ms` : ""}`)}${linkTests.length === 0 && factRow("self-test of the links", html`none: this sweep ran without one. <code>trilane selftest</code> measures links at any time.`)}${programVersions.length > 0 && factRow("programs", programVersions.map((version) => `Trilane ${version}`).join(", "))}${environmentRows(sweep)}</tbody></table>
${linkList(links)}
${controllersTable(data)}
<h3>Definitions</h3>
<p>A run is one repetition of a mix on a link, in a lab made for it. Medians are over valid runs. Intervals are of ${String(confidence * 100)} %, from order statistics (Hettmansperger and Sheather 1986), and assume no distribution; fewer than ${String(minimumUnits)} runs have none. Flows of one <code>--flow</code> share a run’s luck: a run counts their mean. One against another is the median of the ratios of pairs (flows of one run, or mixes of one block), with the interval of its order statistics and a sign test that also weighs pairs lying apart from 1; what the answer compares is corrected together (Holm 1979).</p>
<details><summary>Every metric (after RFC 5166)</summary>${definitions("Of a flow", metrics.flow)}${definitions("Of all flows of one --flow", metrics.group)}${definitions("Of a direction of the link", metrics.direction)}${definitions("Of pings", metrics.ping)}</details>`;
}
