// Runs a plan's commands: how one is attempted, what of it is stored, and what is reported of it. In which order, when one waits and when it
// is tried again is cli/engine/runner.ts's.

import type {
  CommandFinished,
  CommandStarted,
  SweepPaused,
  SweepStarted,
} from "../../../../schemas/generated/sweep_event.ts";
import type { AttemptTerms, RunnerOptions, RunOutcome } from "../../../engine/measuring.ts";
import { type PlannedTask, plannedTasks } from "../../../engine/planned_task.ts";
import { runTasks } from "../../../engine/runner.ts";
import { stoppingOf } from "../../../engine/stopping.ts";
import type { Results } from "../../../results/store/results.ts";
import type { EventWords } from "../../../sweep/progress/event_words.ts";
import { counted, type RuledRun, ruledCommands } from "../answer/comparison.ts";
import { type CommandPlan, commandPlace, orderCommands } from "../plan/plan.ts";
import type { CommandSweep } from "../plan/stored_plan.ts";
import { type MeasuredCell, measuredCellsOf, measuredRunsOf, recordMeasuredRun } from "../store/measured_runs.ts";
import type { CommandAttempt } from "./attempt.ts";

type CommandTask = PlannedTask<MeasuredCell>;

/** A command that fails is a result. */
const retries = 0;

/** In the planned order, with what earlier runs of the sweep made of each. */
export function commandTasks(results: Results, sweep: CommandSweep, plan: CommandPlan): CommandTask[] {
  const cells = measuredCellsOf(results, sweep.id);
  return plannedTasks(orderCommands(plan, cells), cells, retries, measuredRunsOf(results, sweep.id));
}

export interface CommandRunnerOptions extends RunnerOptions<MeasuredCell> {
  readonly sweep: CommandSweep;
  readonly attempt: (cell: MeasuredCell, block: number, terms: AttemptTerms) => Promise<CommandAttempt>;
  readonly tell: (event: SweepStarted | SweepPaused | CommandStarted | CommandFinished) => void;
}

function placeOf({ cell, planned }: CommandTask, attempt: number) {
  return { position: planned.position, command: cell.subject, link: cell.link, block: planned.block, attempt };
}

/** Which command is run. */
const placeWords = ({ command, link }: CommandStarted | CommandFinished): string =>
  `${command}${link === null ? "" : ` ${link}`}`;

export const commandEvents: EventWords = {
  nouns: ["run", "runs"],
  shown: (event) => {
    if (event.event === "command-started") return { began: `, ${placeWords(event)}` };
    if (event.event !== "command-finished") return null;
    const { attempt: _, ...ended } = event;
    return { ended: { ...ended, all: event.runs, place: placeWords(event) } };
  },
};

/** Runs until every planned run has an outcome that counts or has used up its attempts, until they are enough, or until the signal. */
export function runCommands(options: CommandRunnerOptions): Promise<RunOutcome> {
  const { results, sweep, tell } = options;
  const rule = ruledCommands(measuredCellsOf(results, sweep.id));
  const stopping = stoppingOf<MeasuredCell, RuledRun>(sweep.plan, rule, measuredRunsOf(results, sweep.id));
  return runTasks<MeasuredCell, CommandAttempt>(
    { ...options, ...stopping.terms },
    {
      starting: { kind: "commands" },
      counted,
      tell,
      began: (task) => tell({ event: "command-started", ...placeOf(task, task.attempts) }),
      placeOf: commandPlace,
      evidenceNames: ({ subject, link }) => ({ folders: [subject, ...(link === null ? [] : [link])] }),
      attempt: ({ cell, planned }, terms) => options.attempt(cell, planned.block, terms),
      store: (row, { record }) => recordMeasuredRun(results, { ...row, record }),
      ended: (task, made, { attempt, row, done, all, left_s }) => {
        const { status, reasons, wall_ms, record } = made;
        stopping.add(task, made);
        tell({
          event: "command-finished",
          ...placeOf(task, attempt),
          ...{ run: row, status, reasons: [...reasons], wall_ms, record },
          ...{ done, runs: all, left_s },
        });
      },
    },
  );
}
