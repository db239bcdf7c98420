// The report of a sweep of commands, in the same frame as all others: the answer first, with a picture; then every number, what failed and
// how it was done. Data in, text out.

import { html, type Markup } from "../../../../extension/figures/markup.ts";
import type { CommandRecord } from "../../../../schemas/generated/command_record.ts";
import { confidence, minimumUnits } from "../../../base/interval.ts";
import { count } from "../../../base/numbers.ts";
import { shellWord } from "../../../base/shell_word.ts";
import { version } from "../../../base/version.ts";
import { linkSentence } from "../../../link/label.ts";
import { metrics } from "../../../registry/metrics.ts";
import { linkTestSection } from "../../../report/link_tests.ts";
import { pageFrame } from "../../../report/page_frame.ts";
import { type MeasuredCell, measuredCellsOf, measuredRunsOf } from "../../../results/store/measured_runs.ts";
import type { CommandSweep, LinkTest, Results } from "../../../results/store/results.ts";
import { commandSentences } from "../answer/sentences.ts";
import { summarizeCommands } from "../answer/summary.ts";
import type { CommandRun } from "../metrics/values.ts";
import { farWords, servedWords } from "../plan/describe.ts";
import { failedTable, numbersTable } from "./tables.ts";
import { timesFigures } from "./times_figure.ts";

interface CommandReportData {
  readonly sweep: CommandSweep;
  readonly cells: readonly MeasuredCell[];
  /** Every attempt. */
  readonly runs: readonly CommandRun[];
  readonly linkTests: readonly LinkTest[];
}

function stampLine({ sweep, runs }: CommandReportData): string {
  const [began, ended] = [sweep.created_at.slice(0, 10), sweep.finished_at?.slice(0, 10)];
  const when = ended === undefined || ended === began ? began : `${began} to ${ended}`;
  const valid = runs.filter(({ status }) => status === "valid").length;
  return [when, count(valid, "valid run"), `Trilane ${version}`].join(" · ");
}

function firstScreen(data: CommandReportData, sentences: readonly string[]): Markup {
  const { sweep, cells, runs } = data;
  const [first = "No run is valid: nothing can be said.", ...rest] = sentences;
  const left = runs.filter(({ status }) => status !== "valid").length;
  const unfinished =
    sweep.finished_at === null &&
    html`<p class="excluded warning">This sweep is not finished: ${count(runs.length, "run")} of ${String(cells.length * sweep.plan.repetitions)} so far.</p>`;
  const [figure] = timesFigures(cells, runs);
  return html`<div class="verdict"><p class="answer">${first}</p>${rest.map((sentence) => html`<p class="why">${sentence}</p>`)}</div>${figure}
<p class="excluded">${left === 0 ? "All runs are valid." : html`${count(left, "run")} of ${String(runs.length)} ${left === 1 ? "is" : "are"} not valid. <a href="#failed">Which, and why</a>.`}</p>${unfinished}`;
}

function commandsList({ sweep }: CommandReportData): Markup {
  const rows = sweep.plan.commands.map(
    ({ name, words }) =>
      html`<tr><th scope="row">${name}</th><td><code>${words.map(shellWord).join(" ")}</code></td></tr>`,
  );
  return html`<div class="scroll"><table class="facts"><tbody>${rows}</tbody></table></div>`;
}

function methodSection(data: CommandReportData): Markup {
  const { sweep, cells } = data;
  const { plan, environment, command, seed } = sweep;
  const links = new Map(
    cells.flatMap(({ link, link_profile }) => (link !== null && link_profile ? [[link, link_profile]] : [])),
  );
  const facts = Object.entries(environment).map(
    ([name, value]) =>
      html`<tr><th scope="row">${name}</th><td>${value === null ? "unknown" : String(value)}</td></tr>`,
  );
  const definitions = Object.entries(metrics.command).map(
    ([name, { title, meaning, unit }]) =>
      html`<tr><th scope="row">${title}</th><td>${meaning}</td><td>${unit}</td><td><code>${name}</code></td></tr>`,
  );
  const rule = plan.until
    ? ` Runs ended once each command’s time was decided against the first one’s, or equal within ${String(plan.until.decided_percent)} %; looking after each block is accounted for.`
    : "";
  return html`<p><code>${command.map(shellWord).join(" ")}</code></p><p>${plan.until ? "At most " : ""}${count(plan.repetitions, "run")} of each command${links.size > 1 && " on each link"}, in blocks in which each runs once, in random order, seed ${String(seed)}.${rule} Commands ran without a terminal and with an empty input. ${links.size > 0 && `At the other end of the link: ${farWords(plan)}.`}${servedWords(plan) !== "" && ` Served with ${servedWords(plan)}.`}</p>
<h3>Commands</h3>${commandsList(data)}
${links.size > 0 && html`<h3>Links</h3><ul>${[...links].slice(0, 100).map(([link, profile]) => html`<li><code>${link}</code>: ${linkSentence(profile)}</li>`)}</ul>`}
<h3>Definitions</h3><p>Intervals are of ${String(confidence * 100)} %, from order statistics, whatever the numbers’ distribution; fewer than ${String(minimumUnits)} runs have none. One command against another is the median of the ratios of pairs (two runs of one block), with the interval of its order statistics and a sign test that also weighs pairs lying apart from 1; what is compared is corrected together (Holm 1979).</p>
<div class="scroll"><table class="facts"><thead><tr><th scope="col">number</th><th scope="col">what it is</th><th scope="col">unit</th><th scope="col">in data</th></tr></thead><tbody>${definitions}</tbody></table></div>
<details><summary>The machine</summary><div class="scroll"><table class="facts"><tbody>${facts}</tbody></table></div></details>`;
}

function citation({ sweep, runs }: CommandReportData): string {
  return `Trilane ${version}, commands “${sweep.name}” (plan ${sweep.plan_digest.slice(0, 12)}, seed ${sweep.seed}), ${sweep.created_at.slice(0, 10)}, ${count(runs.length, "run")}.`;
}

function buildCommandReport(data: CommandReportData): string {
  const { sweep, cells, runs, linkTests } = data;
  const sentences = commandSentences(sweep.plan, cells, runs);
  const [, ...further] = timesFigures(cells, runs);
  return pageFrame({
    title: `${sweep.name}: ${sentences[0] ?? "no valid run"}`,
    version,
    header: html`<h1>Trilane · ${sweep.name}</h1><p class="stamp">${stampLine(data)}</p>${sweep.plan.description && html`<p class="soft">${sweep.plan.description}</p>`}`,
    first: firstScreen(data, sentences),
    sections: [
      { id: "times", name: "Links", heading: "Times by link", body: further.length === 0 ? null : html`${further}` },
      { id: "numbers", name: "Numbers", heading: "Every number", body: numbersTable(summarizeCommands(cells, runs)) },
      { id: "failed", name: "Failed", heading: "Runs that are not valid", body: failedTable(runs) },
      { id: "selftest", name: "Self-test", heading: "The links’ self-test", body: linkTestSection(linkTests) },
      { id: "method", name: "Method", heading: "Method", body: methodSection(data) },
      {
        id: "data",
        name: "Data",
        heading: "Data",
        body: html`<p>Each figure and table above saves its numbers as CSV. Every run: <code>trilane export ${String(sweep.id)}</code>.</p><p>To cite: ${citation(data)}</p>`,
      },
    ],
  });
}

/** The report of a stored sweep. UserError if it is of another kind. */
export function commandReport(results: Results, id: number): string {
  const sweep = results.sweepOf("commands", id);
  return buildCommandReport({
    sweep,
    cells: measuredCellsOf(results, id),
    runs: measuredRunsOf<CommandRecord>(results, id),
    linkTests: results.linkTestsOf(id),
  });
}
