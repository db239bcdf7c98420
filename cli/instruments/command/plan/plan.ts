// What `trilane time` is to run: reads a plan, checks it against schemas/command-plan.schema.json and expands it into cells. Pure but for
// reading files.

import { createHash } from "node:crypto";
import { dirname, isAbsolute } from "node:path";
import type { CommandPlanDocument } from "../../../../schemas/generated/command_plan.ts";
import type { PlanLink } from "../../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../../base/errors.ts";
import { readForeignJson } from "../../../base/foreign_file.ts";
import { type ReachChoice, reachChoiceOf } from "../../../load/reach/wanted.ts";
import { isStockServing } from "../../../load/serving/serving.ts";
import { cellsOfShard, type PlanShares, type Shard } from "../../../sweep/cluster/shared_plan.ts";
import { linkSeed, orderLoads, type PlannedLoad } from "../../../sweep/plan/load_order.ts";
import { checkedDocument, refuseControls, withinPlan } from "../../../sweep/plan/plan_document.ts";
import { absoluteLinks, countLinks, expandLinks, linksOf } from "../../../sweep/plan/plan_links.ts";
import { untilFault } from "../../../sweep/plan/until.ts";
import { numberFault } from "../metrics/numbers.ts";
import type { NewMeasuredCell } from "../store/measured_runs.ts";
import type { StoredCommandPlan } from "./stored_plan.ts";

/** A plan with every default filled in. */
export interface CommandPlan extends StoredCommandPlan {
  readonly seed: number;
  readonly timeout_s: number;
}

const optionOf = { nothing: "", recording: "--recording", servers: "--reach", outside: "--outside" };

/** More than this is a mistake in a plan, not a plan. */
const maximumRuns = 1_000_000;

function refuseTwice(names: readonly string[], what: string): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new UserError(`two ${what} are called ${JSON.stringify(twice)}: give each a name of its own`);
}

/** What is at the other end of a plan's links. UserError for two things at once. */
export function farOf(plan: CommandPlan): ReachChoice {
  const { recording, outside = false, allow_local_network = false } = plan;
  return reachChoiceOf({
    recording,
    reach: [...(plan.reach ?? [])],
    outside,
    "allow-local-network": allow_local_network,
  });
}

function refuseContradictions(plan: CommandPlan): void {
  const { commands, links, numbers } = plan;
  refuseTwice(
    commands.map(({ name }) => name),
    "commands",
  );
  refuseTwice(
    numbers.map(({ name }) => name),
    "numbers",
  );
  for (const number of numbers) {
    const fault = numberFault(number);
    if (fault !== null) throw new UserError(fault);
  }
  const { kind } = farOf(plan);
  if (kind !== "nothing" && links === undefined)
    throw new UserError(
      `${optionOf[kind]}: is at the other end of a link: name one (--link 10mbit/50ms), or leave it out`,
    );
  if (kind !== "recording" && !isStockServing(plan.serving))
    throw new UserError("nothing is served: name a --recording, or leave out how it is served");
  const fault = untilFault(plan, commands.length - 1, "commands, and there is one: add a command");
  if (fault !== null) throw new UserError(fault);
}

/** The plan in a parsed document. UserError, naming `source` and the place in it, if it is none. */
export function commandPlanOf(document: unknown, source: string, folder = process.cwd()): CommandPlan {
  const checked = checkedDocument<CommandPlanDocument & { seed: number; timeout_s: number }>(
    document,
    source,
    "command-plan",
  );
  const { description = "", commands, numbers = [], links, recording = "" } = checked;
  const forms = ((links ?? []) as readonly PlanLink[]).filter((link) => typeof link === "string");
  refuseControls(
    [
      description,
      recording,
      ...(checked.reach ?? []),
      ...forms,
      ...commands.map(({ name }) => name),
      ...numbers.map(({ name }) => name),
    ],
    source,
  );
  const read = (): CommandPlan => {
    const { links: _, ...rest } = checked;
    const plan: CommandPlan = {
      ...rest,
      numbers,
      ...(links === undefined ? {} : { links: absoluteLinks(links, folder) }),
    };
    refuseContradictions(plan);
    const runs = commandCellsOf(plan).length * plan.repetitions;
    if (runs > maximumRuns) throw new UserError(`${runs} runs: ask for at most ${maximumRuns}`);
    return plan;
  };
  // Options of the command are named by themselves.
  return source === "time" ? read() : withinPlan(source, read);
}

/** A plan from a file. `changes`: in place of what it says. */
export function readCommandPlan(path: string, changes: object = {}): CommandPlan {
  try {
    return commandPlanOf({ ...(readForeignJson(path) as object), ...changes }, path, dirname(path));
  } catch (error) {
    if (error instanceof SyntaxError) throw new UserError(`plan ${path}: not JSON (${error.message}): correct it`);
    if (error instanceof UserError) throw error;
    throw new UserError(`plan ${path}: cannot be read: name a file with a plan of commands`);
  }
}

/** Links x commands, in the plan's order. Files of links are read. */
export function commandCellsOf({
  name,
  links,
  commands,
}: Pick<CommandPlan, "name" | "links" | "commands">): NewMeasuredCell[] {
  const placed = links === undefined ? [{ link: null, link_profile: null }] : linksOf({ name, links });
  return placed.flatMap((place) => commands.map((command) => ({ subject: command.name, ...place })));
}

/** What cells share whose runs are compared. */
export const commandPlace = ({ link }: Pick<NewMeasuredCell, "link">): string => link ?? "";

/** Every command once in each block on each link, next to one another in random order: a slow minute meets all of them alike. */
export function orderCommands(
  { repetitions, seed }: Pick<CommandPlan, "repetitions" | "seed">,
  cells: readonly Pick<NewMeasuredCell, "link">[],
): PlannedLoad[] {
  return orderLoads(cells, commandPlace, repetitions, seed);
}

/** The seed of all that is random on the link in a block: all commands meet the same losses. */
export function commandSeed(
  { seed }: Pick<CommandPlan, "seed">,
  { link, link_profile }: { readonly link: string | null; readonly link_profile: { readonly seed: number } },
  block: number,
): number {
  return linkSeed(seed, { page: "commands", link: link ?? "", link_profile }, block);
}

/** SHA-256 over what decides the runs. `recording`: its digest; null: there is none. `folder`: where commands run; null: anywhere. */
export function commandPlanDigest(
  plan: CommandPlan,
  recording: string | null,
  folder: string | null = process.cwd(),
): string {
  const { name, commands, repetitions, until, seed, timeout_s, tolerance, numbers, numbers_file } = plan;
  const { reach, outside, allow_local_network, serving } = plan;
  const links = plan.links && expandLinks({ name, links: plan.links }).map(({ form, profile }) => ({ form, profile }));
  const where = { folder, links, recording, reach, outside, allow_local_network, serving };
  const decisive = { name, commands, repetitions, until, seed, timeout_s, tolerance, numbers, numbers_file, where };
  return createHash("sha256").update(JSON.stringify(decisive)).digest("hex");
}

/** For machines a cell is a link with all commands; without links there is one. */
export const sharedCommandCells = ({ links }: Pick<CommandPlan, "links">): number =>
  links === undefined ? 1 : countLinks({ links });

export const commandCellsAt = (plan: CommandPlan, shard: Shard | undefined): readonly NewMeasuredCell[] =>
  cellsOfShard(commandCellsOf(plan), shard, ({ link }) => link);

/** UserError for a file that is named from a folder, which every machine runs the commands in another of. */
export function sharedCommands(plan: CommandPlan): PlanShares {
  const { name, commands, recording, numbers_file } = plan;
  const programs = [...new Set(commands.flatMap(({ words: [program] }) => program ?? []))];
  const relative = programs.find((program) => program.includes("/") && !isAbsolute(program));
  if (relative !== undefined)
    throw new UserError(
      `plan ${name}: ${relative} is named from a folder, and machines run commands elsewhere: write its path from / on, or a program in PATH`,
    );
  if (numbers_file !== undefined && !isAbsolute(numbers_file))
    throw new UserError(
      `plan ${name}: numbers_file ${numbers_file} is named from a folder, which machines may share: write a path that each has for itself, as /tmp/numbers.json`,
    );
  return {
    ...{ name, digest: commandPlanDigest(plan, null, null), cells: sharedCommandCells(plan), document: plan },
    ...{ pages: recording === undefined ? [] : [recording], programs },
    listing: "each is a link, in the order in which `trilane plan` lists them",
  };
}
