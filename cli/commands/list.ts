// `trilane list`: the recordings and the sweeps of a data folder, as two tables no wider than 80 columns. Reads only.

import type { List, ListedSweep } from "../../schemas/generated/list.ts";
import { homeFolder } from "../base/home.ts";
import { middleCut } from "../base/middle_cut.ts";
import { formatSize } from "../base/numbers.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { textTable } from "../base/text_table.ts";
import { kindOfSweeps } from "../instruments/all.ts";
import { withArchive } from "../recording/archive/client.ts";
import { type AnySweep, openExistingResults, type Results } from "../results/store/results.ts";
import type { Command } from "./command.ts";

const width = 80;

function listedSweep(results: Results, sweep: AnySweep): ListedSweep {
  const { id, kind, name, created_at, finished_at } = sweep;
  const { cells, planned, attempts, valid, running } = results.progressOf(sweep);
  const ended = running ? "running" : "unfinished";
  return {
    id,
    kind,
    name,
    created_at,
    finished_at,
    state: finished_at === null ? ended : "finished",
    // What its cells differ in.
    ...kindOfSweeps(kind).span(sweep, results),
    links: new Set(results.cellLinksOf(sweep).flatMap(({ link }) => link ?? [])).size,
    cells,
    planned,
    attempts,
    valid,
  };
}

function listSweeps(home: string): ListedSweep[] {
  using results = openExistingResults(home);
  if (!results) return [];
  return results.listAllSweeps().map((sweep) => listedSweep(results, sweep));
}

/** The day of a time stamp, in the reader's own time zone. */
function day(time: string): string {
  const date = new Date(time);
  const [year, month, dayOfMonth] = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return `${year}-${String(month).padStart(2, "0")}-${String(dayOfMonth).padStart(2, "0")}`;
}

/** Rows whose first cell, a name, takes what the others leave of the width. */
function fittedTable(rows: readonly (readonly [string, ...string[]])[]): string[] {
  const rest = textTable(rows.map(([, ...cells]) => ["", ...cells]));
  const room = width - Math.max(...rest.map((line) => line.length));
  return textTable(rows.map(([name, ...cells]) => [middleCut(name, room), ...cells]));
}

function recordingLines(recordings: List["recordings"]): string[] {
  const rows = recordings.map((recording): [string, ...string[]] => [
    recording.name,
    String(recording.exchanges),
    String(recording.filled),
    String(recording.hosts),
    String(recording.addresses),
    formatSize(recording.body_bytes),
    day(recording.created_at),
  ]);
  return fittedTable([["recording", "exchanges", "filled", "hosts", "addr.", "size", "made"], ...rows]);
}

function sweepLines(sweeps: List["sweeps"]): string[] {
  const rows = sweeps.map((sweep): [string, ...string[]] => [
    `${sweep.id} ${sweep.name}`,
    kindOfSweeps(sweep.kind).spanned(sweep),
    sweep.lanes.length === 0 ? "-" : String(sweep.lanes.length),
    sweep.links === 0 ? "-" : String(sweep.links),
    `${sweep.valid} of ${sweep.planned}`,
    sweep.state,
    day(sweep.created_at),
  ]);
  const [attempts, others] = new Set(sweeps.map(({ kind }) => kindOfSweeps(kind).attempts));
  const valid = others === undefined ? `valid ${attempts}` : "valid";
  return fittedTable([["sweep", "pages", "lanes", "links", valid, "state", "begun"], ...rows]);
}

function lines({ home, recordings, sweeps }: List): string[] {
  return [
    ...(recordings.length > 0
      ? recordingLines(recordings)
      : [`no recordings in ${home}: \`trilane import FILE.har\` or \`trilane synth\` makes one`]),
    "",
    ...(sweeps.length > 0 ? sweepLines(sweeps) : ["no sweeps yet: `trilane race` or `trilane sweep` makes one"]),
  ];
}

export const command: Command = {
  usage: "list",
  summary: "List recordings and sweeps",
  define: (table) =>
    table
      .example("trilane list", "what there is, and how far each sweep is")
      .example("trilane list --json | jq '.recordings[].name'", "the recordings' names, whole"),
  run: async (options) => {
    const home = homeFolder(options.home);
    const recordings = (await withArchive(home, (archive) => archive.list())) as List["recordings"];
    const list: List = { schema: "trilane/list/1", home, recordings, sweeps: listSweeps(home) };
    if (options.json) printJson(list);
    else printLines(lines(list));
  },
};
