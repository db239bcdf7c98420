// Runs of commands as a comparison of sweeps takes them (cli/results/compare), and budgets (cli/results/gate): a command stands where pages have a lane,
// its time where they have the page load time. Pure.

import type { ComparedNouns, ComparedSweep, RunCell } from "../../../results/compare/interleaved.ts";
import type { Results } from "../../../results/store/results.ts";
import { type CommandRun, runValue } from "../metrics/values.ts";
import { type CommandSweep, commandSweeps } from "../plan/stored_plan.ts";
import { type MeasuredCell, measuredCellsOf, measuredRunsOf, type NewMeasuredCell } from "../store/measured_runs.ts";
import { timeQuantity } from "./comparison.ts";

/** Where pages have their names. */
const subject = "commands";
/** A cell's link if it has none. */
const noLink = "no link";

export const commandNouns: ComparedNouns = {
  ...{ of: "commands", lane: "command", load: "run", loads: "runs", place: "command and link", metric: "time" },
  heads: ["link", "command"],
  budget: { names: ["command"], words: "a command and a link" },
  together: "run both as commands of one `trilane time`",
};

export const comparedPlace = ({ subject: lane, link }: Pick<NewMeasuredCell, "subject" | "link">) => ({
  ...{ page: subject, link: link ?? noLink, lane },
});

/** What is at the link's other end has to be the same; a command's words may change, they are the version. */
function cellOf(
  { plan }: Pick<CommandSweep, "plan">,
  { id, subject: lane, link, link_profile }: MeasuredCell,
  recording_digest: string | null,
): RunCell {
  const { recording, reach, outside } = plan;
  const far = JSON.stringify([recording, reach, outside]);
  return { ...comparedPlace({ subject: lane, link }), id, recording_digest, link_profile, far };
}

export function comparedRun(
  sweep: Pick<CommandSweep, "plan">,
  cells: readonly MeasuredCell[],
  runs: readonly CommandRun[],
  recording_digest: string | null = null,
): ComparedSweep {
  return {
    nouns: commandNouns,
    cells: cells.map((cell) => cellOf(sweep, cell, recording_digest)),
    loads: runs.map((run) => {
      const time = runValue(run, timeQuantity);
      const { id, cell, block, status, reasons } = run;
      return { ...comparedPlace(run), id, cell, block, status, reasons, plt_ms: "value" in time ? time.value : null };
    }),
  };
}

/** Of a stored sweep. */
export const comparedCommands = (results: Results, id: number): ComparedSweep =>
  comparedRun(
    results.sweepOf(commandSweeps, id),
    measuredCellsOf(results, id),
    measuredRunsOf(results, id),
    results.recordingOf(id),
  );
