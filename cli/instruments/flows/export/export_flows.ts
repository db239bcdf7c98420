// `trilane export` of a sweep of flows: a row per run and flow, the series, all as JSON, or flent's files. Chooses runs and writes;
// formats are cli/instruments/flows/export's.

import { join, resolve } from "node:path";
import type { FileWritten } from "../../../../schemas/generated/file_written.ts";
import { atomicWrite } from "../../../base/atomic_write.ts";
import { UserError } from "../../../base/errors.ts";
import { makeFolder } from "../../../base/make_folder.ts";
import { count } from "../../../base/numbers.ts";
import { printFile, printJson, printLines } from "../../../base/terminal_text.ts";
import { version } from "../../../base/version.ts";
import type { ExportTerms } from "../../../engine/instrument.ts";
import { readNumber } from "../../../results/export/choose.ts";
import type { FlowSweep, Results } from "../../../results/store/results.ts";
import { unpackRecords } from "../records/stored_records.ts";
import { flowCellsOf, flowRunsOf, flowSeriesOf } from "../store/flow_runs.ts";
import { flowCsvLines, flowFormats } from "./csv.ts";
import { type ExportedRun, exportedRuns } from "./exported_run.ts";
import { type FlentRun, flentEnding, flentFile, flentName } from "./flent.ts";
import { flowExportDocument } from "./json.ts";
import { type RunSeries, seriesCsvLines } from "./series_csv.ts";

type FlowFormat = (typeof flowFormats)[number];

function readFormat({ format, json, out }: ExportTerms, sweep: FlowSweep): FlowFormat {
  const asked = format ?? (json && out === undefined ? "json" : undefined);
  const known = flowFormats.find((each) => each === asked);
  if (known) return known;
  const got = asked === undefined ? "" : ` (got ${JSON.stringify(asked)})`;
  throw new UserError(`export: sweep ${sweep.id} has flows: --format must be one of ${flowFormats.join(", ")}${got}`);
}

function chooseRuns(results: Results, sweep: FlowSweep, asked: string | undefined): ExportedRun[] {
  const all = exportedRuns(flowCellsOf(results, sweep.id), flowRunsOf(results, sweep.id));
  if (all.length === 0) throw new UserError(`sweep ${sweep.id} has no runs yet: let \`trilane flows\` go on with it`);
  if (asked === undefined) return all;
  const id = readNumber(asked, "load");
  const chosen = all.filter(({ run }) => run.id === id);
  if (chosen.length > 0) return chosen;
  throw new UserError(`no run ${id} in sweep ${sweep.id}: \`trilane export --format csv\` lists the runs of a sweep`);
}

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
  const cells = flowCellsOf(results, sweep.id).filter(({ id }) => ids.has(id));
  return [`${JSON.stringify(flowExportDocument(sweep, cells, runs), null, 1)}\n`];
}

export async function exportFlows(results: Results, sweep: FlowSweep, options: ExportTerms): Promise<void> {
  const format = readFormat(options, sweep);
  const runs = chooseRuns(results, sweep, options.load);
  const path = options.out === undefined ? null : resolve(options.out);
  if (format === "flent" && path === null)
    throw new UserError(`export: --format flent: name a file that ends in ${flentEnding}, or a folder, with --out`);
  const written = (loads: number, whole: string): void => {
    const done: FileWritten = { schema: "trilane/file-written/1", kind: format, sweep: sweep.id, loads, path: whole };
    if (options.json) printJson(done);
    else printLines([`${format}: ${whole}${loads > 1 && format === "flent" ? ` (${count(loads, "run")})` : ""}`]);
  };
  if (format === "flent") return written(await writeFlent(results, runs, path ?? ""), path ?? "");
  const parts = pieces(results, sweep, runs, format);
  if (path !== null) {
    await atomicWrite(path, parts);
    return written(runs.length, path);
  }
  await printFile(parts);
}
