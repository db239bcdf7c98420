// Commands as an instrument of the engine: which cells a plan has, what one run is to do, and what came of all of them. How a run is
// made is attempt.ts's, in which order the engine's.

import type { CommandRecord } from "../../../../schemas/generated/command_record.ts";
import { RunError } from "../../../base/errors.ts";
import { say } from "../../../base/terminal_text.ts";
import { wrapped } from "../../../base/wrapped_text.ts";
import type { ExecutionTerms, Instrument } from "../../../engine/instrument.ts";
import type { SideBySide } from "../../../engine/labs.ts";
import { begunSweep } from "../../../engine/session.ts";
import { extraRttArguments, extraRtts } from "../../../load/extra_rtts.ts";
import { commandEnvironment, spkiList, tryLab } from "../../../load/lab.ts";
import type { Reach } from "../../../load/reach/reach.ts";
import { reachHere, refuseSilent, wantedOf } from "../../../load/reach/wanted.ts";
import { servingArguments } from "../../../load/serving/arguments.ts";
import { settleServing } from "../../../load/serving/serving.ts";
import type { Recording } from "../../../recording/archive/archive.ts";
import { withArchive } from "../../../recording/archive/client.ts";
import { countStatuses } from "../../../results/store/attempt_rows.ts";
import { shardFacts } from "../../../sweep/cluster/shared_plan.ts";
import { commandNouns, comparedCommands, comparedPlace } from "../answer/compared.ts";
import { counted } from "../answer/comparison.ts";
import { commandSentences } from "../answer/sentences.ts";
import { summarizeCommands } from "../answer/summary.ts";
import { guess_ms } from "../plan/describe.ts";
import { type CommandPlan, commandCellsAt, commandPlanDigest, commandSeed, farOf } from "../plan/plan.ts";
import type { CommandSweep } from "../plan/stored_plan.ts";
import { addedMeasured, measuredCellsOf, measuredRunsOf } from "../store/measured_runs.ts";
import { attemptCommand } from "./attempt.ts";
import { commandTable } from "./outcome.ts";
import { commandEvents, commandTasks, runCommands } from "./runner.ts";

export interface CommandExecution extends ExecutionTerms {
  readonly plan: CommandPlan;
}

/** What is at the other end of the links, looked up once for all runs. */
interface Far {
  readonly reached: Reach;
  readonly replayOptions: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** null: none is served. */
  readonly recording: Recording | null;
}

/** Runs of a command may meet in a file that it writes, or at a server of this machine: only the user knows if they do. */
function sideBySideOf(plan: CommandPlan): SideBySide {
  return plan.outside || plan.numbers_file !== undefined ? "never" : "if-requested";
}

/** @throws UserError if there is no such recording, or nothing listens at the address of a server that is to be reached */
async function lookUpFar(home: string, plan: CommandPlan): Promise<Far> {
  const choice = farOf(plan);
  const served = choice.kind === "recording" ? await withArchive(home, (archive) => archive.show(choice.name)) : null;
  const wanted = await wantedOf(choice, served?.exchanges ?? []);
  await refuseSilent(wanted);
  const authority = served && { home, spkis: await spkiList(home) };
  const serving = settleServing(plan.serving);
  const reached = reachHere(wanted);
  const extra = serving.extra_rtt ? extraRttArguments(extraRtts(served?.exchanges ?? [])) : [];
  return {
    reached: { ...reached, shaperOptions: [...reached.shaperOptions, ...extra] },
    replayOptions: servingArguments(serving),
    environment: commandEnvironment(authority),
    recording: served?.recording ?? null,
  };
}

export function commandInstrument(execution: CommandExecution): Instrument<CommandSweep> {
  const { home, plan, shard } = execution;
  const measuredCells = commandCellsAt(plan, shard);
  let far: Far | null = null;
  return {
    noun: "runs",
    sideBySide: sideBySideOf(plan),
    events: commandEvents,
    profiles: [...new Set(measuredCells.flatMap(({ link_profile }) => link_profile ?? []))],
    blocks: plan.repetitions,
    prepare: async () => {
      if (!plan.links) return new Map();
      await tryLab();
      far = await lookUpFar(home, plan);
      if (!execution.json && execution.verbosity !== "quiet")
        say(`at the other end of the link: ${far.reached.sentence}`);
      return new Map(far.recording ? [[far.recording.name, far.recording]] : []);
    },
    begin: (results, start) => {
      const { name, seed } = plan;
      const recording_digest = far?.recording?.digest ?? null;
      const plan_digest = commandPlanDigest(plan, recording_digest);
      const noted = { plan_digest, recording_digest, seed, ...start, measuredCells };
      return begunSweep(results, addedMeasured<CommandSweep>({ kind: "commands", name, plan, ...noted }), execution);
    },
    counted,
    run: ({ progress: _, ...session }) => {
      const { results, sweep } = session;
      const words = new Map(plan.commands.map((command) => [command.name, command.words]));
      return runCommands({
        ...session,
        tasks: commandTasks(results, sweep, plan),
        guess_ms: () => guess_ms,
        attempt: ({ subject, link, link_profile }, block, terms) => {
          const lab = link_profile &&
            far && {
              ...{ home, recording: plan.recording ?? null, reached: far.reached, environment: far.environment },
              replayOptions: far.replayOptions,
              link: { ...link_profile, seed: commandSeed(plan, { link, link_profile }, block) },
            };
          return attemptCommand({ plan, words: words.get(subject) ?? [], lab, ...terms });
        },
      });
    },
    conclude: ({ results, sweep }, { all: planned, wall_ms }) => {
      const runs = measuredRunsOf<CommandRecord>(results, sweep.id);
      const stored = measuredCellsOf(results, sweep.id);
      const cells = summarizeCommands(stored, runs);
      const verdict = shard ? [] : commandSentences(plan, stored, runs);
      const counts = countStatuses(runs);
      const facts = { runs: planned, ...counts, wall_s: wall_ms / 1000 };
      return {
        event: (report) =>
          shard
            ? { event: "command-cell-finished", ...shardFacts(shard), ...facts, cells }
            : { event: "commands-finished", sweep: sweep.id, ...facts, report, verdict, cells },
        lines: [...verdict.flatMap((sentence) => wrapped(sentence)), "", ...commandTable(cells), ""],
        failure:
          counts.valid > 0
            ? null
            : new RunError(`no run of sweep ${sweep.id} is valid: ${runs.at(-1)?.reasons[0] ?? "no reason was given"}`),
      };
    },
    compared: {
      ...{ nouns: commandNouns, places: measuredCells.map(comparedPlace) },
      run: comparedCommands,
    },
  };
}
