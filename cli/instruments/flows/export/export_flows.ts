// `trilane export` of a sweep of flows: a row per run and flow, the series, all as JSON, or flent's files. Chooses runs and writes;
// formats are cli/instruments/flows/export's.

import { join, resolve } from "node:path";
import { atomicWrite } from "../../../base/atomic_write.ts";
import { UserError } from "../../../base/errors.ts";
import { makeFolder } from "../../../base/make_folder.ts";
import { count } from "../../../base/numbers.ts";
import { version } from "../../../base/version.ts";
import { chosenAttempts, chosenFormat, jsonPieces, reportWritten, writeExport } from "../../../engine/export.ts";
import type { ExportTerms } from "../../../engine/plan_kind.ts";
import { stoppingDocument } from "../../../results/answer/rule_outcome.ts";
import type { Results } from "../../../results/store/results.ts";
import { flowStopping, partsByMix } from "../answer/contrasts.ts";
import { unpackRecords } from "../records/stored_records.ts";
import { flowCellsOf, flowRunsOf, flowSeriesOf } from "../store/flow_runs.ts";
import type { FlowSweep } from "../store/stored_plan.ts";
import { flowCsvLines, flowFormats } from "./csv.ts";
import { type ExportedRun, exportedRuns } from "./exported_run.ts";
import { type FlentRun, flentEnding, flentFile, flentName } from "./flent.ts";
import { flowExportDocument } from "./json.ts";
import { type RunSeries, seriesCsvLines } from "./series_csv.ts";

type FlowFormat = (typeof flowFormats)[number];

/** Of those that left any, one after another: a sweep's may be gigabytes. */
function* seriesOf(results: Results, runs: readonly ExportedRun[]): Generator<RunSeries & { started_at: string }> {
  for (const { run, cell } of runs) {
    const blob = flowSeriesOf(results, run.id);
    if (blob === null) continue;
    const records = unpackRecords(blob, `run ${run.id}`);
    yield { run: run.id, mix: cell.mix, link: cell.link, started_at: run.started_at, records };
  }
}

/** One run to a file of flent's, several each to its own in a folder. Returns how many. */
async function writeFlent(results: Results, runs: readonly ExportedRun[], path: string): Promise<number> {
  const valid = runs.length === 1 ? runs : runs.filter(({ run }) => run.status === "valid");
  const isFile = path.endsWith(flentEnding);
  if (isFile && valid.length > 1)
    throw new UserError(`export: --out ${path}: there are ${valid.length} runs: name a folder, or one run with --load`);
  if (!isFile) makeFolder(path, 0o777);
  let written = 0;
  for (const series of seriesOf(results, valid)) {
    const run: FlentRun = { ...series, version };
    await atomicWrite(isFile ? path : join(path, flentName(run)), partOf(flentFile(run)));
    written += 1;
  }
  if (written === 0) throw new UserError("export: no valid run has left series: name another sweep");
  return written;
}

async function* partOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function pieces(
  results: Results,
  sweep: FlowSweep,
  runs: readonly ExportedRun[],
  format: Exclude<FlowFormat, "flent">,
): Iterable<string> {
  if (format === "csv") return flowCsvLines(runs);
  if (format === "series") return seriesCsvLines(seriesOf(results, runs));
  const ids = new Set(runs.map(({ run }) => run.cell));
  const cells = flowCellsOf(results, sweep.id);
  const parts = partsByMix(sweep.plan);
  const contrasted = cells.map((cell) => ({ ...cell, parts: parts.get(cell.mix) ?? [] }));
  const stopping = stoppingDocument(flowStopping(sweep, contrasted, flowRunsOf(results, sweep.id)));
  return jsonPieces(
    flowExportDocument(
      sweep,
      cells.filter(({ id }) => ids.has(id)),
      runs,
      stopping,
    ),
  );
}

export async function exportFlows(results: Results, sweep: FlowSweep, terms: ExportTerms): Promise<void> {
  const kind = chosenFormat(flowFormats, terms, results, sweep);
  const all = exportedRuns(flowCellsOf(results, sweep.id), flowRunsOf(results, sweep.id));
  const runs = chosenAttempts(all, terms, results, sweep, ({ run }) => run.id, ["run", "runs", "flows"]);
  const about = { kind, sweep: sweep.id };
  if (kind !== "flent")
    return await writeExport(pieces(results, sweep, runs, kind), { ...about, loads: runs.length }, terms);
  if (terms.out === undefined)
    throw new UserError(`export: --format flent: name a file that ends in ${flentEnding}, or a folder, with --out`);
  const path = resolve(terms.out);
  const loads = await writeFlent(results, runs, path);
  reportWritten({ ...about, loads, path }, terms.json, loads > 1 ? ` (${count(loads, "run")})` : "");
}
