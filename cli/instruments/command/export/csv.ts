// Runs of commands as CSV: a row for each attempt, those that failed too. The columns are documented
// here, once, for `trilane export --help`; metrics' are those of schemas/command-record.schema.json. Numbers that commands print follow.
import { metrics } from "../../../registry/metrics.ts";
import { columnMaker, csvTable } from "../../../results/export/csv_column.ts";
import { type CommandRun, measured, runValue } from "../metrics/values.ts";

export const commandFormats = ["csv", "json"] as const;

const column = columnMaker<[run: CommandRun]>();

const ofRun = [
  column("run_id", "number of the run in the results", ({ id }) => id),
  column("command", "its name", ({ subject }) => subject),
  column("link", "the emulated link, short form; empty: the network as it was", ({ link }) => link),
  column("block", "repetition, from 0", ({ block }) => block),
  column("attempt", "try at this run, from 0", ({ attempt }) => attempt),
  column("position", "place in the planned order, from 0", ({ position }) => position),
  column(
    "status",
    "valid, failed (the command did) or invalid (the machine disturbed its link)",
    ({ status }) => status,
  ),
  column("reasons", "why it is not valid; several are joined by |", ({ reasons }) => reasons.join(" | ")),
  column("started_at", "ISO 8601, UTC", ({ started_at }) => started_at),
  column("attempt_ms", "the run's whole cost, its lab included", ({ wall_ms }) => wall_ms),
  column("exit_status", "empty: a signal ended it", ({ record }) => record?.process.exit_status ?? null),
  column("signal", "that ended it", ({ record }) => record?.process.signal ?? null),
  column(
    "left_behind",
    "processes that were killed when it had ended",
    ({ record }) => record?.process.left_behind ?? null,
  ),
  column("output_bytes", "what it printed, errors too", ({ record }) => record?.process.output_bytes ?? null),
];

const ofMetrics = measured.map((name) =>
  column(name, metrics.command[name].meaning, (run) => {
    const found = runValue(run, { name, title: name, metric: metrics.command[name] });
    return "value" in found ? found.value : null;
  }),
);

/** New ones are appended: readers by place keep working. */
export const commandColumns = [...ofRun, ...ofMetrics];

/** Lines with their ends, the header first. */
export function commandCsvLines(runs: readonly CommandRun[]): Generator<string> {
  const printed = new Set(runs.flatMap(({ record }) => record?.numbers.map(({ name }) => name) ?? []));
  const ofPrinted = [...printed].map((name) =>
    column(`printed ${name}`, "", ({ record }) => record?.numbers.find((each) => each.name === name)?.value ?? null),
  );
  return csvTable(
    [...commandColumns, ...ofPrinted],
    runs.map((run) => [run] as const),
  );
}
