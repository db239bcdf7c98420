// `trilane export [SWEEP] --format har|csv|json|race|p1203`: loads for other tools, to a file or to standard output; with --recording, a
// recording as har, mahimahi or wpr. Sweeps of instruments are theirs to export.
import { resolve } from "node:path";
import { credentialsInWords, secretNamesInWords } from "../../extension/har/secrets.ts";
import type { P1203Export } from "../../schemas/generated/p1203.ts";
import type { RecordingExported } from "../../schemas/generated/recording_exported.ts";
import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { count } from "../base/numbers.ts";
import { printJson, printLines, say } from "../base/terminal_text.ts";
import { gotWords, jsonPieces, wantedFormat, writeExport } from "../engine/export.ts";
import type { Column } from "../engine/plan_kind.ts";
import { instruments, kindOfSweeps } from "../instruments/all.ts";
import { withArchive } from "../recording/archive/client.ts";
import { exportRecording, type RecordingFormat, recordingFormats } from "../recording/export/export_recording.ts";
import { raceResult } from "../report/race_result.ts";
import { chooseLoads, openNamed, readNumber } from "../results/export/choose.ts";
import { columns, csvLines } from "../results/export/csv.ts";
import { harPieces } from "../results/export/har.ts";
import { exportDocument } from "../results/export/json.ts";
import { p1203Export, refusedPictures } from "../results/export/p1203.ts";
import type { AnySweep, Load, Results } from "../results/store/results.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const formats = ["har", "csv", "json", "race", "p1203"] as const;
type Format = (typeof formats)[number];

const define = (table: Table) => {
  for (const { storedOptions } of instruments) storedOptions?.define(table);
  return table
    .positional("sweep", {
      type: "string",
      describe: "number of the sweep, or a file of results, as merged.db (default: the newest)",
    })
    .option("format", {
      type: "string",
      describe:
        "Of loads har: requests; csv: a row each; json: all but requests; race: a race with one load of each lane. Of videos p1203: the input of ITU-T P.1203 (schemas/p1203.schema.json), whose models score H.264 and no Opus. Of flows csv: a row per run and flow; series: what they did over time; json; flent: files for flent's plotter. Of fetches csv: a row each; json",
    })
    .option("recording", { type: "string", describe: "a recording instead, as har, mahimahi (a folder) or wpr" })
    .option("load", { type: "string", describe: "number of one load, run of flows or fetch, instead of all" })
    .option("keep-credentials", {
      type: "boolean",
      default: false,
      describe: `keep values that are otherwise masked: ${credentialsInWords}. In loads, not in recordings, also those of fields named ${secretNamesInWords}`,
    })
    .option("out", { type: "string", describe: "the file to write (default: standard output)" })
    .example("trilane export --format csv --out loads.csv", "the newest sweep's loads")
    .example("trilane export --format har --load 12 > load.har", "one load, for DevTools or waterfall-tools")
    .example("trilane export --recording shop --format mahimahi --out shop", "a folder for mm-webreplay")
    .example("trilane export 4 --format flent --out runs", "each run of flows, for `flent -i`")
    .example(
      "trilane export 5 --format p1203 --load 12 | jq .loads[0].input",
      "one load of a video, for P.1203's models",
    )
    .example("trilane export 3 --format json", "sweep 3 with its verdicts (schemas/export.schema.json)")
    .epilogue(
      columnTables()
        .map((table) => `${table.of}:\n${helpOf(table.columns)}`)
        .join("\n\n"),
    );
};

type ExportOptions = OptionsOf<typeof define>;

function readFormat(options: ExportOptions): Format {
  const format = wantedFormat(options);
  const known = formats.find((each) => each === format);
  if (known) return known;
  if (recordingFormats.some((each) => each === format))
    throw new UserError(`export: --format ${format} is of recordings: name one with --recording`);
  const kind = instruments.find(({ formats: its }) => its.some((each) => each === format));
  if (kind)
    throw new UserError(`export: --format ${format} is of ${kind.sweeps}: name a sweep of \`trilane ${kind.name}\``);
  throw new UserError(`export: --format must be one of ${formats.join(", ")}${gotWords(format)}`);
}

function readRecordingFormat(named: string | undefined): RecordingFormat {
  const known = recordingFormats.find((each) => each === named);
  if (known) return known;
  throw new UserError(
    `export: --format of a recording must be one of ${recordingFormats.join(", ")}${gotWords(named)}`,
  );
}

async function runRecording(recording: string, options: ExportOptions) {
  const { home, sweep, load, format: named, out, json, "keep-credentials": keepCredentials } = options;
  if (sweep !== undefined || load !== undefined)
    throw new UserError("export: --recording exports no loads: leave out the sweep and --load");
  const format = readRecordingFormat(named);
  const path = out === undefined ? null : resolve(out);
  const { exchanges, left_out } = await withArchive(homeFolder(home), (archive) =>
    exportRecording(archive, recording, format, path, keepCredentials),
  );
  if (path === null) return;
  const exported: RecordingExported = {
    schema: "trilane/recording-exported/1",
    recording,
    format,
    exchanges,
    path,
    left_out: [...left_out],
  };
  const lines = [`${path}: ${count(exchanges, "exchange")}`, ...left_out.map((line) => `  not in it: ${line}`)];
  if (json) printJson(exported);
  else printLines(lines);
}

/** UserError if none of the loads played a video. */
function videosOf(results: Results, sweep: number, loads: readonly Load[]): P1203Export {
  const exported = p1203Export(sweep, loads, (load) => results.harOf(load).log._trilane.video ?? null);
  if (exported.loads.length === 0)
    throw new UserError("export: no valid load here played a video: name a sweep of `trilane video` with one");
  const { loads: refused, codecs } = refusedPictures(exported);
  if (refused > 0)
    say(
      `export: ${count(refused, "load")} played ${codecs.join(" and ")}, which P.1203's models do not know: their software refuses them, and scores H.264 only`,
    );
  return exported;
}

function pieces(
  results: Results,
  home: string,
  { format, keepCredentials }: { format: Format; keepCredentials: boolean },
  { sweep, loads }: ReturnType<typeof chooseLoads>,
): Iterable<string> {
  if (format === "race") return [`${JSON.stringify(raceResult(results, home, sweep, keepCredentials))}\n`];
  if (format === "p1203") return jsonPieces(videosOf(results, sweep.id, loads));
  if (format === "har") return harPieces({ sweep, loads, pageLoadOf: (load) => results.harOf(load), keepCredentials });
  const ids = new Set(loads.map((load) => load.cell));
  const cells = results.cellsOf(sweep.id).filter((cell) => ids.has(cell.id));
  const films = results.filmedLoadsOf(sweep.id);
  if (format === "csv") return csvLines(sweep.plan, cells, loads, films);
  const tests = results.linkTestsOf(sweep.id);
  return jsonPieces(exportDocument(sweep, cells, loads, tests, films));
}

const helpOf = (all: readonly Column[]): string =>
  all.map(({ name, meaning }) => `  ${name.padEnd(24)} ${meaning}`).join("\n");

/** Of all CSV files that it writes. */
export const columnTables = (): { readonly of: string; readonly columns: readonly Column[] }[] => [
  { of: "Columns of the CSV; an empty field is unavailable", columns },
  ...instruments.flatMap((kind) => kind.columns),
];

/** The named sweep, or the newest one, if it has no pages. */
function otherSweepOf(results: Results, named: string | undefined): AnySweep | null {
  const known = named === undefined ? results.listAllSweeps()[0] : results.anySweep(readNumber(named, "sweep"));
  return known && known.kind !== "pages" ? known : null;
}

export const command: Command<ExportOptions> = {
  usage: "export [sweep]",
  summary: "Export loads as HAR, CSV or JSON, or a recording",
  define,
  run: async (options) => {
    if (options.recording !== undefined) return await runRecording(options.recording, options);
    // What no sweep has needs none to be refused.
    const isKnown = [...formats, ...instruments.flatMap((kind) => kind.formats)].some(
      (each) => each === options.format,
    );
    if (options.format !== undefined && !isKnown) readFormat(options);
    const home = homeFolder(options.home);
    const { results: opened, named } = openNamed(options.sweep, home);
    using results = opened;
    const other = otherSweepOf(results, named);
    const stored = other && (await kindOfSweeps(other.kind)?.stored());
    if (stored) return await stored.export(results, other.id, options);
    const format = readFormat(options);
    if (format === "race" && options.load !== undefined)
      throw new UserError("export: --format race is of a whole race: leave out --load");
    const chosen = chooseLoads(results, named, options.load);
    const parts = pieces(results, home, { format, keepCredentials: options["keep-credentials"] }, chosen);
    await writeExport(parts, { kind: format, sweep: chosen.sweep.id, loads: chosen.loads.length }, options);
  },
};
