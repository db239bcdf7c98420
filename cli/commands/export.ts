// `trilane export [SWEEP] --format FORMAT`: what a sweep's instrument writes for other tools, to a file or to standard output; with
// --recording, a recording as har, mahimahi or wpr.
import { resolve } from "node:path";
import { credentialsInWords, secretNamesInWords } from "../../extension/har/secrets.ts";
import type { RecordingExported } from "../../schemas/generated/recording_exported.ts";
import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { count } from "../base/numbers.ts";
import { flag } from "../base/option.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { gotWords } from "../engine/export.ts";
import type { Column } from "../engine/plan_kind.ts";
import { defineStored, instruments, kindOfSweeps, refuseOthersOptions } from "../instruments/all.ts";
import { withArchive } from "../recording/archive/client.ts";
import { exportRecording, type RecordingFormat, recordingFormats } from "../recording/export/export_recording.ts";
import { chooseAnySweep, openNamed } from "../results/export/choose.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  defineStored(table, "export")
    .positional("sweep", { describe: "number of the sweep, or a file of results, as merged.db (default: the newest)" })
    .option("format", {
      describe: instruments
        .map(({ formatWords }) => formatWords)
        .join(" ")
        .replace(/\.$/, ""),
    })
    .option("recording", { describe: "a recording instead, as har, mahimahi (a folder) or wpr" })
    .option("load", { describe: "number of one load, run of flows or fetch, instead of all" })
    .option(
      "keep-credentials",
      flag(
        `keep values that are otherwise masked: ${credentialsInWords}. In loads, not in recordings, also those of fields named ${secretNamesInWords}`,
      ),
    )
    .option("out", { describe: "the file to write (default: standard output)" })
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

type ExportOptions = OptionsOf<typeof define>;

/** @throws UserError if no sweep has such a format */
function refuseUnknownFormat({ format }: ExportOptions): void {
  const all = new Set(instruments.flatMap(({ formats }) => formats));
  if (format === undefined || all.has(format)) return;
  if (recordingFormats.some((each) => each === format))
    throw new UserError(`export: --format ${format} is of recordings: name one with --recording`);
  throw new UserError(`export: --format must be one of ${[...all].join(", ")}${gotWords(format)}`);
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

const helpOf = (all: readonly Column[]): string =>
  all.map(({ name, meaning }) => `  ${name.padEnd(24)} ${meaning}`).join("\n");

/** Of all CSV files that it writes. */
export const columnTables = (): { readonly of: string; readonly columns: readonly Column[] }[] =>
  instruments.flatMap((kind) => kind.columns);

export const command: Command<ExportOptions> = {
  usage: "export [sweep]",
  summary: "Export loads as HAR, CSV or JSON, or a recording",
  define,
  run: async (options) => {
    if (options.recording !== undefined) return await runRecording(options.recording, options);
    // What no sweep has needs none to be refused.
    refuseUnknownFormat(options);
    const home = homeFolder(options.home);
    const { results: opened, named } = openNamed(options.sweep, home);
    using results = opened;
    const chosen = chooseAnySweep(results, named);
    refuseOthersOptions(chosen, "export", options);
    const stored = await kindOfSweeps(chosen.kind).stored();
    await stored.export(results, chosen.id, { ...options, home, named, keepCredentials: options["keep-credentials"] });
  },
};
