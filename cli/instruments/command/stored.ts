// Stored sweeps of commands, as `trilane plan` takes them to see how much runs vary, and as `report` and `export` do: a row per run, or all as one JSON document
// (schemas/command-export.schema.json).

import type { CommandExport } from "../../../schemas/generated/command_export.ts";
import type { CommandRecord } from "../../../schemas/generated/command_record.ts";
import { mean } from "../../base/quantile.ts";
import { chosenAttempts, chosenFormat, exportedSweep, jsonPieces, linksOf, writeExport } from "../../engine/export.ts";
import type { ExportTerms, StoredSweeps } from "../../engine/plan_kind.ts";
import { stoppingDocument } from "../../results/answer/rule_outcome.ts";
import type { Results } from "../../results/store/results.ts";
import type { PlannedComparisons } from "../../sweep/plan/detect_comparisons.ts";
import { comparedCommands } from "./answer/compared.ts";
import { commandStopping, type RuledRun, ruledCommands } from "./answer/comparison.ts";
import { commandSentences } from "./answer/sentences.ts";
import { summarizeCommands } from "./answer/summary.ts";
import { bundledCommands } from "./bundled.ts";
import { commandCsvLines, commandFormats } from "./export/csv.ts";
import type { CommandRun } from "./metrics/values.ts";
import { type CommandPlan, commandCellsOf } from "./plan/plan.ts";
import { type CommandSweep, commandSweeps } from "./plan/stored_plan.ts";
import { commandReport } from "./report/command_report.ts";
import { type MeasuredCell, measuredCellsOf, measuredRunsOf } from "./store/measured_runs.ts";

interface Exported {
  readonly cells: readonly MeasuredCell[];
  readonly runs: readonly CommandRun[];
}

/** `all`: of the sweep. */
function exportDocument(sweep: CommandSweep, { cells, runs }: Exported, all: Exported): CommandExport {
  const isFinished = sweep.finished_at !== null;
  const stopping = stoppingDocument(commandStopping(sweep.plan, all.cells, all.runs, isFinished));
  return {
    schema: "trilane/command-export/1",
    sweep: exportedSweep<CommandExport["sweep"]["plan"]>(sweep),
    links: linksOf(cells),
    runs: runs.map(({ subject, reasons, record, ...run }) => ({
      ...run,
      ...{
        command: subject,
        reasons: [...reasons],
        record: record as NonNullable<CommandExport["runs"][number]["record"]> | null,
      },
    })),
    summaries: summarizeCommands(cells, runs),
    verdict: commandSentences(sweep.plan, cells, runs, isFinished),
    ...(stopping ? { stopping } : {}),
  };
}

async function exportCommands(results: Results, id: number, terms: ExportTerms): Promise<void> {
  const sweep = results.sweepOf(commandSweeps, id);
  const kind = chosenFormat(commandFormats, terms, results, sweep);
  const all = measuredRunsOf<CommandRecord>(results, id);
  const runs = chosenAttempts(all, terms, results, sweep, (run) => run.id, ["run", "runs", "time"]);
  const ids = new Set(runs.map(({ cell }) => cell));
  const allCells = measuredCellsOf(results, id);
  const chosen = { cells: allCells.filter((cell) => ids.has(cell.id)), runs };
  const pieces =
    kind === "csv" ? commandCsvLines(runs) : jsonPieces(exportDocument(sweep, chosen, { cells: allCells, runs: all }));
  await writeExport(pieces, { kind, sweep: id, loads: runs.length }, terms);
}

export const storedCommands: StoredSweeps = {
  report: commandReport,
  run: comparedCommands,
  export: exportCommands,
  bundled: async () => bundledCommands,
};

/** How long runs take is known from the sweep, too. */
export function plannedCommandComparisons(plan: CommandPlan): PlannedComparisons<RuledRun> {
  const cells = commandCellsOf(plan).map((cell, id) => ({ ...cell, id }));
  const ruled = ruledCommands(cells);
  const quantities = 1 + plan.numbers.length;
  return {
    ...{ plan, noun: "runs", ruled, together: quantities * ruled.comparisons.length },
    seconds: (runs, attempts) => {
      const times_ms = attempts.flatMap(({ record }) => record?.process.wall_ms ?? []);
      return Math.round((runs * cells.length * mean(times_ms)) / 1000);
    },
    stored: (results, id) => {
      const { plan } = results.sweepOf(commandSweeps, id);
      return commandStopping(plan, measuredCellsOf(results, id), measuredRunsOf(results, id), true);
    },
  };
}
