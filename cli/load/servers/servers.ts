// The servers of a plan: trilane-replay itself (`replay`), programs that are known by name, and those that a plan defines. A lane's
// label names its server: h2+nginx. Pure but for reading a program's version.
import type { PlanServer, SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { liveNote, liveServer, replayServer } from "../../base/factors.ts";
import { factorsOf, type LaneLabel, laneOf, withFactors } from "../../base/lanes.ts";
import {
  type InstalledServer,
  installedServer,
  isServerProgram,
  knownPrograms,
  laneRefusal,
  liveRefusal,
  serverPrograms,
} from "./programs.ts";

export type { PlanServer };

/** A server as a load starts it. */
export interface LoadServer {
  /** In labels and rows. */
  readonly name: string;
  readonly definition: PlanServer;
  /** What leads to live servers, once it is known. */
  readonly live?: LiveFar;
}

export interface LiveFar {
  /** The words before trilane-shaper's. */
  readonly far: readonly string[];
  /** This machine's networks as they stand in these words; null: they do not. */
  readonly own: string | null;
}

type ServedPlan = Pick<SweepPlan, "servers">;
export type ServersPlan = ServedPlan & { readonly lanes: readonly LaneLabel[] };

/** What a name stands for. @throws UserError if it is unknown. */
export function serverNamed({ servers = {} }: ServedPlan, name: string): LoadServer {
  const definition = servers[name];
  if (definition) return { name, definition };
  if (isServerProgram(name)) return { name, definition: { program: name } };
  throw new UserError(
    `server ${JSON.stringify(name)} is not known: use ${[replayServer, ...serverPrograms].join(", ")}, or define it (--server ${name}=COMMAND)`,
  );
}

/** Of a label; null: trilane-replay. */
export function serverOf(plan: ServedPlan, label: LaneLabel): LoadServer | null {
  const name = factorsOf(label).server ?? replayServer;
  return name === replayServer ? null : serverNamed(plan, name);
}

/** For people, beside a verdict; null: no server of the plan is live. */
export const liveSentence = ({ servers = {} }: ServedPlan): string | null =>
  servers[liveServer]?.live === undefined ? null : liveNote;

/** Of a program that is known; null: of a command of the user's nothing is. */
export async function installed({ definition: { program } }: LoadServer): Promise<InstalledServer | null> {
  return program === undefined ? null : await installedServer(program);
}

/** Why a server cannot serve a lane, as a sentence's end; null: it can, as far as is known. */
async function refusalOf(server: LoadServer | null, label: LaneLabel): Promise<string | null> {
  if (server === null) return null;
  if (server.definition.live) return liveRefusal(laneOf(label));
  const program = await installed(server);
  const { program: name, configuration } = server.definition;
  const noEarlyData =
    name && configuration === undefined ? knownPrograms[name].noEarlyData : "is not set up for early data";
  const why = laneRefusal(laneOf(label), program?.noH3 ?? null, noEarlyData);
  return why && `${server.name}${program ? ` ${program.version}` : ""} ${why}`;
}

/** UserError for a server that is not there, or a lane that it cannot serve. */
export async function refuseServers(plan: ServersPlan): Promise<void> {
  for (const label of plan.lanes) {
    const why = await refusalOf(serverOf(plan, label), label);
    if (why) throw new UserError(`lane ${label}: ${why}: leave it out`);
  }
}

/** One server's lanes after another's, as labels. `leftOut`: given why a server does not serve a lane. */
export async function laneLabels(
  lanes: readonly LaneLabel[],
  names: readonly string[],
  plan: ServedPlan,
  leftOut: (line: string) => void,
): Promise<LaneLabel[]> {
  const labels: LaneLabel[] = [];
  for (const server of names)
    for (const lane of lanes) {
      const label = withFactors(lane, { server });
      const why = await refusalOf(serverOf(plan, label), label);
      if (why) leftOut(`${label} is left out: ${why}`);
      else labels.push(label);
    }
  return labels;
}
