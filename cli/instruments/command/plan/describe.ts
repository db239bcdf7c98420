// `trilane time --dry-run`: what a plan would run. Runs nothing.
import type { CommandsPlanned } from "../../../../schemas/generated/commands_planned.ts";
import { count } from "../../../base/numbers.ts";
import { shellWord } from "../../../base/shell_word.ts";
import { paragraph } from "../../../base/wrapped_text.ts";
import { type CommandPlan, commandCellsOf } from "./plan.ts";

/** A time is known once a command was run. */
export const guess_ms = 1000;

export function describeCommands(plan: CommandPlan): CommandsPlanned {
  const cells = commandCellsOf(plan);
  return {
    event: "commands-planned",
    name: plan.name,
    commands: [...plan.commands] as CommandsPlanned["commands"],
    links: [...new Set(cells.flatMap(({ link }) => link ?? []))],
    recording: plan.recording ?? null,
    runs: cells.length * plan.repetitions,
  };
}

/** The plan for people, within 80 columns. */
export function commandPlanLines(
  plan: CommandPlan,
  { name, commands, links, recording, runs }: CommandsPlanned,
): string[] {
  const each = `${count(commands.length, "command")}${links.length > 1 ? ` x ${count(links.length, "link")}` : ""}`;
  return [
    ...paragraph("plan", name),
    ...(plan.description ? paragraph("asks", plan.description) : []),
    ...commands.flatMap((command) => paragraph(command.name, command.words.map(shellWord).join(" "))),
    ...(links.length > 0 ? paragraph("links", `${links.length}: ${links.join(" ")}`) : []),
    ...(recording === null ? [] : paragraph("serves", `recording ${recording}`)),
    ...paragraph(
      "size",
      `${each} x ${count(plan.repetitions, "run")} = ${runs}${plan.until ? " at most" : ""}, interleaved`,
    ),
  ];
}
