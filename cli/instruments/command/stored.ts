// Stored sweeps of commands, as `trilane report` and `export` take them: a row per run, or all as one JSON document
// (schemas/command-export.schema.json).

import { resolve } from "node:path";
import type { CommandExport } from "../../../schemas/generated/command_export.ts";
import type { CommandRecord } from "../../../schemas/generated/command_record.ts";
import type { FileWritten } from "../../../schemas/generated/file_written.ts";
import { atomicWrite } from "../../base/atomic_write.ts";
import { UserError } from "../../base/errors.ts";
import { printFile, printJson, printLines } from "../../base/terminal_text.ts";
import type { ExportTerms, StoredSweeps } from "../../engine/instrument.ts";
import { readNumber } from "../../results/export/choose.ts";
import { type MeasuredCell, measuredCellsOf, measuredRunsOf } from "../../results/store/measured_runs.ts";
import type { CommandSweep, Results } from "../../results/store/results.ts";
import { commandSentences } from "./answer/sentences.ts";
import { summarizeCommands } from "./answer/summary.ts";
import { bundledCommands } from "./bundled.ts";
import { commandCsvLines, commandFormats } from "./export/csv.ts";
import type { CommandRun } from "./metrics/values.ts";
import { commandReport } from "./report/command_report.ts";

function exportDocument(
  sweep: CommandSweep,
  cells: readonly MeasuredCell[],
  runs: readonly CommandRun[],
): CommandExport {
  const { id, name, plan_digest, created_at, finished_at, seed, command, environment } = sweep;
  // The same document; stored, it may not be changed.
  const plan = sweep.plan as unknown as CommandExport["sweep"]["plan"];
  const links = new Map(
    cells.flatMap(({ link, link_profile }) => (link !== null && link_profile ? [[link, link_profile]] : [])),
  );
  return {
    schema: "trilane/command-export/1",
    sweep: { id, name, plan, plan_digest, created_at, finished_at, seed, command: [...command], environment },
    links: [...links].map(([link, link_profile]) => ({ link, link_profile })),
    runs: runs.map(({ subject, reasons, record, ...run }) => ({
      ...run,
      ...{
        command: subject,
        reasons: [...reasons],
        record: record as NonNullable<CommandExport["runs"][number]["record"]> | null,
      },
    })),
    summaries: summarizeCommands(cells, runs),
    verdict: commandSentences(sweep.plan, cells, runs),
  };
}

function readFormat({ format, json, out }: ExportTerms, sweep: number): (typeof commandFormats)[number] {
  const asked = format ?? (json && out === undefined ? "json" : undefined);
  const known = commandFormats.find((each) => each === asked);
  if (known) return known;
  const got = asked === undefined ? "" : ` (got ${JSON.stringify(asked)})`;
  throw new UserError(
    `export: sweep ${sweep} has commands: --format must be one of ${commandFormats.join(", ")}${got}`,
  );
}

function chosenRuns(results: Results, sweep: number, asked: string | undefined): CommandRun[] {
  const all = measuredRunsOf<CommandRecord>(results, sweep);
  if (all.length === 0) throw new UserError(`sweep ${sweep} has no runs yet: let \`trilane time\` go on with it`);
  if (asked === undefined) return all;
  const number = readNumber(asked, "load");
  const chosen = all.filter(({ id }) => id === number);
  if (chosen.length > 0) return chosen;
  throw new UserError(`no run ${number} in sweep ${sweep}: \`trilane export --format csv\` lists the runs of a sweep`);
}

async function exportCommands(results: Results, id: number, options: ExportTerms): Promise<void> {
  const kind = readFormat(options, id);
  const sweep = results.sweepOf("commands", id);
  const runs = chosenRuns(results, id, options.load);
  const ids = new Set(runs.map(({ cell }) => cell));
  const cells = measuredCellsOf(results, id).filter((cell) => ids.has(cell.id));
  const pieces =
    kind === "csv" ? commandCsvLines(runs) : [`${JSON.stringify(exportDocument(sweep, cells, runs), null, 1)}\n`];
  if (options.out === undefined) return await printFile(pieces);
  const path = resolve(options.out);
  await atomicWrite(path, pieces);
  const written: FileWritten = { schema: "trilane/file-written/1", kind, sweep: id, loads: runs.length, path };
  if (options.json) printJson(written);
  else printLines([`${kind}: ${path}`]);
}

export const storedCommands: StoredSweeps = {
  report: commandReport,
  export: exportCommands,
  bundled: bundledCommands,
};
