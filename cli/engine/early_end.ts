// What ends a run in good order before its sweep is done: a file that somebody makes, or the time that the run was given. The
// loads in flight are finished then, and the same command resumes. Signals, which cut loads off, are interruption.ts's.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { endedEarlyStatus } from "../base/errors.ts";
import { parseTime_ms } from "../base/option.ts";
import type { OptionsOf, OptionTable } from "../base/option_table.ts";

type EndOptions = OptionsOf<typeof defineEnd>;

export const defineEnd = (table: OptionTable<unknown>) =>
  table
    .option("stop-file", {
      rare: true,
      describe: "end after the loads in flight once FILE exists (default: `stop` in the data folder)",
    })
    .option("stop-after", {
      placeholder: "TIME",
      describe: `end after 90s, 30min or 8h with exit status ${endedEarlyStatus}; the same command resumes it`,
    });

/** Why the run is to end; null: it is not. */
export type EarlyEnd = () => string | null;

/** UserError for what is no time. The time runs from this call on. */
export function earlyEnd(home: string, options: EndOptions): EarlyEnd {
  const file = resolve(options["stop-file"] ?? join(home, "stop"));
  const time = options["stop-after"];
  const end_ms = time === undefined ? null : performance.now() + parseTime_ms(time, "--stop-after");
  return () => {
    if (existsSync(file)) return `${file} is there: remove it before the next run`;
    return end_ms !== null && performance.now() >= end_ms ? `its ${time} are over` : null;
  };
}
