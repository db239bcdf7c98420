// `trilane recording check`: a trial load without a link, and what follows from it. Decides whether the recording's clock is set,
// for the races that come:
// a sweep that began keeps its own decision. Exit status 1 where its loads would be invalid.

import { RunError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { allLanes, type Lane } from "../base/lanes.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import type { Tried } from "../load/pin_decision.ts";
import { checkLines, checkOf } from "../load/recording_check.ts";
import type { Recording } from "../recording/archive/archive.ts";
import { withArchive } from "../recording/archive/client.ts";
import { recordedRequests } from "../recording/archive/recorded_requests.ts";
import { openResults } from "../results/store/results.ts";
import { plansOptions } from "../sweep/plan/plan_options.ts";
import { trialToKeep } from "../sweep/plan/recording_trial.ts";
import type { Command, OptionsOf, Table } from "./command.ts";

const define = (table: Table) =>
  table
    .positional("recording", { demandOption: true, describe: "name of the recording" })
    .option("lane", { choices: allLanes, default: "h2" as Lane, describe: "the lane of the load" })
    .with(plansOptions("settle", "timeout"))
    .example("trilane recording check shop", "what a load misses; exit status 1 if its loads would be invalid")
    .example("trilane recording check shop --json", "all of it (schemas/recording-checked.schema.json)");

type CheckOptions = OptionsOf<typeof define>;

function keep(home: string, { digest }: Recording, tried: Tried): void {
  using results = openResults(home);
  results.recordTrial(digest, trialToKeep(tried));
}

export const command: Command<CheckOptions> = {
  usage: "check <recording>",
  summary: "How much of a recording a load asks for, and what to do",
  define,
  async run(options) {
    const { lane, settle: settle_ms, timeout } = options;
    const home = homeFolder(options.home);
    const { recording, exchanges } = await withArchive(home, (archive) => archive.show(options.recording));
    // The browser's library takes a while: only who needs it waits for it.
    const { tryRecording } = await import("../load/pin_decision.ts");
    const tried = await tryRecording(home, recording, { lane, settle_ms, timeout_ms: timeout * 1000 });
    if (tried.isSettled) keep(home, recording, tried);
    const checked = checkOf({ recording, recorded: recordedRequests(recording, exchanges), lane, tried });
    if (options.json) printJson(checked);
    else printLines(checkLines(checked));
    if (!checked.within)
      throw new RunError(`recording ${recording.name}: ${checked.failure ?? checked.reasons[0]}: see what to do above`);
  },
};
