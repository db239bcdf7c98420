// The report of a sweep of commands, in the same frame as all others: the answer first, with a picture; then every number, what failed and
// how it was done. Data in, text out.

import { laneClass } from "../../../../extension/figures/colours.ts";
import { distributionFigure, type PlottedLane } from "../../../../extension/figures/distribution.ts";
import { html, type Markup } from "../../../../extension/figures/markup.ts";
import type { CommandRecord } from "../../../../schemas/generated/command_record.ts";
import { confidence, minimumUnits } from "../../../base/interval.ts";
import { middleCut } from "../../../base/middle_cut.ts";
import { count, formatTime } from "../../../base/numbers.ts";
import { shellWord } from "../../../base/shell_word.ts";
import { version } from "../../../base/version.ts";
import { linksOf } from "../../../engine/export.ts";
import { metrics } from "../../../registry/metrics.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { machinesSection, runsOnLinks } from "../../../report/hosts.ts";
import {
  answerBlock,
  commandLine,
  definitionsTable,
  environmentTable,
  factRow,
  instrumentReport,
  linkList,
  unfinishedLine,
} from "../../../report/instrument_report.ts";
import { ruleSentence } from "../../../results/answer/rule_outcome.ts";
import type { Results } from "../../../results/store/results.ts";
import { commandSentences } from "../answer/sentences.ts";
import { isAt, summarizeCommands } from "../answer/summary.ts";
import type { CommandRun } from "../metrics/values.ts";
import { farWords, servedWords } from "../plan/describe.ts";
import { type CommandSweep, commandSweeps } from "../plan/stored_plan.ts";
import { type MeasuredCell, measuredCellsOf, measuredRunsOf } from "../store/measured_runs.ts";
import { failedTable, numbersTable } from "./tables.ts";

// The times of commands as tracks, every run a dot, a figure for each link. Takes runs; draws by the figure that reports of pages have.

const mostFigures = 24;
/** What the figure has room for beside its tracks. */
const nameLength = 16;
/** Colours that are apart for everybody. */
const colours = ["h2", "h3", "h1", "h3-0rtt", "h2-0rtt", "h3-altsvc"];

function trackOf(cell: MeasuredCell, place: number, runs: readonly CommandRun[]): PlottedLane {
  const own = runs.filter(isAt(cell));
  const [summary] = summarizeCommands([cell], own);
  const time = summary?.metrics.find(({ name, printed }) => name === "wall_ms" && !printed);
  const { median = null, low = null, high = null } = time ?? {};
  return {
    lane: middleCut(cell.subject, nameLength),
    className: laneClass(colours[place % colours.length] ?? "h2"),
    median,
    isAtLeast: false,
    interval: low === null || high === null ? null : { low, high },
    valid: summary?.valid ?? 0,
    timed_out: 0,
    variation: null,
    loads: own.flatMap(({ id, block, status, reasons, record }) => {
      if (record === null || record.process.timed_out) return [];
      const { wall_ms } = record.process;
      const outcome = status === "valid" ? "" : `, ${status}: ${reasons.join("; ")}`;
      const story = `run ${id}, ${cell.subject}, block ${block + 1}: ${formatTime(wall_ms)}${outcome}`;
      return [{ value: wall_ms, valid: status === "valid", story }];
    }),
  };
}

/** Empty: there is no run. */
function timesFigures(cells: readonly MeasuredCell[], runs: readonly CommandRun[]): Markup[] {
  if (runs.length === 0) return [];
  const byLink = [...Map.groupBy(cells, ({ link }) => link)];
  return byLink.slice(0, mostFigures).map(([link, of]) => {
    const own = runs.filter((run) => run.link === link);
    const figure = distributionFigure(
      of.map((cell, place) => trackOf(cell, place, own)),
      {
        left: own.filter(({ status }) => status !== "valid").length,
        metric: { title: "time", noun: "time" },
        words: { attempt: "run", by: "command" },
      },
    );
    const saved = savedFigure(figure, {
      name: ["times", link ?? ""],
      columns: ["run_id", "command", "link", "block", "wall_ms", "status", "reasons"],
      rows: own.map(({ id, subject, block, status, reasons, record }) => [
        ...[id, subject, link, block, record?.process.wall_ms ?? null, status, reasons.join(" | ")],
      ]),
    });
    return byLink.length > 1 && link !== null ? html`<h3>${link}</h3>${saved}` : saved;
  });
}

interface CommandReportData {
  readonly sweep: CommandSweep;
  readonly cells: readonly MeasuredCell[];
  /** Every attempt. */
  readonly runs: readonly CommandRun[];
}

function firstScreen(
  { sweep, cells, runs }: CommandReportData,
  sentences: readonly string[],
  figure: Markup | undefined,
): Markup {
  const [first = "No run is valid: nothing can be said.", ...rest] = sentences;
  const left = runs.filter(({ status }) => status !== "valid").length;
  return html`${answerBlock(first, rest)}${figure}
<p class="excluded">${left === 0 ? "All runs are valid." : html`${count(left, "run")} of ${String(runs.length)} ${left === 1 ? "is" : "are"} not valid. <a href="#failed">Which, and why</a>.`}</p>${unfinishedLine(sweep, `${count(runs.length, "run")} of ${cells.length * sweep.plan.repetitions}`)}`;
}

function methodSection({ sweep, cells }: Omit<CommandReportData, "runs">): Markup {
  const { plan, seed } = sweep;
  const links = linksOf(cells);
  const commands = plan.commands.map(({ name, words }) =>
    factRow(name, html`<code>${words.map(shellWord).join(" ")}</code>`),
  );
  const rule = ruleSentence(plan, "each command’s time against the first one’s", "runs");
  return html`<p>${commandLine(sweep)}</p><p>${plan.until ? "At most " : ""}${count(plan.repetitions, "run")} of each command${links.length > 1 && " on each link"}, in blocks in which each runs once, in random order, seed ${String(seed)}.${rule} Commands ran without a terminal and with an empty input. ${links.length > 0 && `At the other end of the link: ${farWords(plan)}.`}${servedWords(plan) !== "" && ` Served with ${servedWords(plan)}.`}</p>
<h3>Commands</h3><div class="scroll"><table class="facts"><tbody>${commands}</tbody></table></div>
${linkList(links)}
<h3>Definitions</h3><p>Intervals are of ${String(confidence * 100)} %, from order statistics, whatever the numbers’ distribution; fewer than ${String(minimumUnits)} runs have none. One command against another is the median of the ratios of pairs (two runs of one block), with the interval of its order statistics and a sign test that also weighs pairs lying apart from 1; what is compared is corrected together (Holm 1979).</p>
${definitionsTable("number", metrics.command)}
${environmentTable(sweep)}`;
}

/** The report of a stored sweep. UserError if it is of another kind. */
export function commandReport(results: Results, id: number): string {
  const sweep = results.sweepOf(commandSweeps, id);
  const cells = measuredCellsOf(results, id);
  const runs = measuredRunsOf<CommandRecord>(results, id);
  const sentences = commandSentences(sweep.plan, cells, runs, sweep.finished_at !== null);
  const [figure, ...further] = timesFigures(cells, runs);
  const valid = runs.filter(({ status }) => status === "valid").length;
  return instrumentReport({
    ...{ sweep, version, answer: sentences[0] ?? "no valid run", linkTests: results.linkTestsOf(id) },
    ...{ counted: count(valid, "valid run"), attempts: count(runs.length, "run"), attempt: "run" },
    first: firstScreen({ sweep, cells, runs }, sentences, figure),
    sections: [
      { id: "times", name: "Links", heading: "Times by link", body: further.length === 0 ? null : html`${further}` },
      { id: "numbers", name: "Numbers", heading: "Every number", body: numbersTable(summarizeCommands(cells, runs)) },
      { id: "failed", name: "Failed", heading: "Runs that are not valid", body: failedTable(runs) },
    ],
    machines: machinesSection(results.hostsOf(id), runs, [], runsOnLinks),
    method: methodSection({ sweep, cells }),
  });
}
