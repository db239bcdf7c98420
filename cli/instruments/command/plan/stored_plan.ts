// A plan of commands as it is stored, with its defaults filled in, and its sweeps.
import type { CommandPlanDocument, PlannedNumber } from "../../../../schemas/generated/command_plan.ts";
import type { PlanLink } from "../../../../schemas/generated/sweep_plan.ts";
import type { SweepKind, SweepOf } from "../../../results/store/results.ts";

export interface StoredCommandPlan extends Omit<CommandPlanDocument, "commands" | "links" | "numbers"> {
  readonly commands: readonly { readonly name: string; readonly words: readonly string[] }[];
  /** Absent: the network as it is. */
  readonly links?: readonly PlanLink[];
  readonly numbers: readonly PlannedNumber[];
}

export type CommandSweep = SweepOf<"commands", StoredCommandPlan>;

export const commandSweeps: SweepKind<CommandSweep> = { kind: "commands", holds: "commands" };
