// `trilane time --dry-run`: what a plan would run. Runs nothing.
import type { CommandsPlanned } from "../../../../schemas/generated/commands_planned.ts";
import { count } from "../../../base/numbers.ts";
import { shellWord } from "../../../base/shell_word.ts";
import { paragraph } from "../../../base/wrapped_text.ts";
import { settleServing } from "../../../load/serving/serving.ts";
import { servingLine } from "../../../load/serving/terms.ts";
import type { PageSource } from "../../../sweep/plan/page_source.ts";
import { limitWords, ruledSize } from "../../../sweep/plan/until.ts";
import { type CommandPlan, commandCellsOf } from "./plan.ts";
import type { StoredCommandPlan } from "./stored_plan.ts";

/** A time is known once a command was run. */
export const guess_ms = 1000;

/** What is at the other end of a plan's links. */
export function farWords({ recording, reach, outside, allow_local_network }: StoredCommandPlan): string {
  if (recording !== undefined) return `the origins of the recording ${recording}`;
  if (reach) return `${reach.join(", ")} of this machine`;
  if (!outside) return "nothing";
  return allow_local_network ? "the internet and this machine's networks, live" : "the internet, live";
}

/** How the recording is served, as far as that is not the usual way. */
export const servedWords = ({ serving }: Pick<StoredCommandPlan, "serving">): string =>
  servingLine(settleServing(serving));

/** @throws UserError if there is no such recording as the plan names */
export async function describeCommands(
  home: string,
  source: Pick<PageSource, "pageSizes">,
  plan: CommandPlan,
): Promise<CommandsPlanned> {
  if (plan.recording !== undefined) await source.pageSizes(home, [plan.recording]);
  const cells = commandCellsOf(plan);
  return {
    event: "commands-planned",
    name: plan.name,
    commands: [...plan.commands] as CommandsPlanned["commands"],
    links: [...new Set(cells.flatMap(({ link }) => link ?? []))],
    recording: plan.recording ?? null,
    reach: [...(plan.reach ?? [])],
    outside: plan.outside ?? false,
    runs: cells.length * plan.repetitions,
  };
}

const commandRule = { compared: "each command against the first", known: "each command's median" };

/** The plan for people, within 80 columns. */
export function commandPlanLines(plan: CommandPlan, { name, commands, links, runs }: CommandsPlanned): string[] {
  const limit = limitWords(plan, "runs");
  const each = `${count(commands.length, "command")}${links.length > 1 ? ` x ${count(links.length, "link")}` : ""}`;
  return [
    ...paragraph("plan", name),
    ...(plan.description ? paragraph("asks", plan.description) : []),
    ...commands.flatMap((command) => paragraph(command.name, command.words.map(shellWord).join(" "))),
    ...(links.length > 0 ? paragraph("links", `${links.length}: ${links.join(" ")}`) : []),
    ...(links.length > 0 ? paragraph("far end", farWords(plan)) : []),
    ...(servedWords(plan) === "" ? [] : paragraph("serving", servedWords(plan))),
    ...paragraph(
      "size",
      ruledSize(`${each} x ${count(plan.repetitions, "run")} = ${runs}, interleaved`, plan.until, commandRule),
    ),
    ...(limit === null ? [] : paragraph("limit", limit)),
  ];
}
