// Runs a plan's commands: how one is attempted, what of it is stored, and what is told of it. In which order, when one waits and when it
// is tried again is cli/engine/ordered_runner.ts's.

import type {
  CommandFinished,
  CommandStarted,
  SweepPaused,
  SweepStarted,
} from "../../../../schemas/generated/sweep_event.ts";
import { type OrderedOptions, type OrderedOutcome, runInOrder } from "../../../engine/ordered_runner.ts";
import { type PlannedTask, plannedTasks } from "../../../engine/planned_task.ts";
import {
  type MeasuredCell,
  measuredCellsOf,
  measuredRunsOf,
  recordMeasuredRun,
} from "../../../results/store/measured_runs.ts";
import type { CommandSweep, Results } from "../../../results/store/results.ts";
import { type CommandPlan, orderCommands } from "../plan/plan.ts";
import type { CommandAttempt } from "./attempt.ts";

type CommandTask = PlannedTask<MeasuredCell>;

/** A command that fails is a result. */
const retries = 0;

/** In the planned order, with what earlier runs of the sweep made of each. */
export function commandTasks(results: Results, sweep: CommandSweep, plan: CommandPlan): CommandTask[] {
  const cells = measuredCellsOf(results, sweep.id);
  return plannedTasks(orderCommands(plan, cells), cells, retries, measuredRunsOf(results, sweep.id));
}

export interface CommandRunnerOptions extends OrderedOptions<MeasuredCell> {
  readonly sweep: CommandSweep;
  readonly attempt: (cell: MeasuredCell, block: number) => Promise<CommandAttempt>;
  readonly tell: (event: SweepStarted | SweepPaused | CommandStarted | CommandFinished) => void;
}

function placeOf({ cell, planned }: CommandTask, attempt: number) {
  return { position: planned.position, command: cell.subject, link: cell.link, block: planned.block, attempt };
}

/** Runs until every planned run has an outcome that counts or has used up its attempts, until they are enough, or until the signal. */
export function runCommands(options: CommandRunnerOptions): Promise<OrderedOutcome> {
  const { results, tell } = options;
  return runInOrder<MeasuredCell, CommandAttempt>(options, {
    kind: "commands",
    waitsForCalm: true,
    tell,
    tellStart: (task) => tell({ event: "command-started", ...placeOf(task, task.attempts) }),
    attempt: ({ cell, planned }) => options.attempt(cell, planned.block),
    spoiled: (made, fault) => ({ ...made, status: "invalid", reasons: [...made.reasons, fault] }),
    store: ({ cell, planned: { block, position }, attempts }, made, started_at) => {
      const { status, reasons, wall_ms, record } = made;
      const place = { cell: cell.id, block, attempt: attempts, position };
      return recordMeasuredRun(results, { ...place, status, reasons, started_at, wall_ms, record });
    },
    tellEnd: (task, { status, reasons, wall_ms, record }, { attempt, row, done, left_s }) =>
      tell({
        event: "command-finished",
        ...placeOf(task, attempt),
        ...{ run: row, status, reasons: [...reasons], wall_ms, record },
        ...{ done, runs: options.tasks.length, left_s },
      }),
  });
}
