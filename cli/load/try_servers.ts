// Each server of a plan once in a lab without a browser, before anything is measured: what is wrong with its program or its configuration is one
// line then, and not that of a load.
import { UserError } from "../base/errors.ts";
import { ProgramFailure, runProgram } from "../base/run_program.ts";
import { makeScratchFolder } from "../browser/scratch.ts";
import { parseLink } from "../link/link.ts";
import { liveFar } from "../link/live/live_lab.ts";
import { farSide } from "./far_side.ts";
import { labCommand } from "./lab.ts";
import { type LoadServer, refuseServers, type ServersPlan, serverOf } from "./servers/servers.ts";
import { stockServing } from "./serving/serving.ts";

interface Served {
  readonly name: string;
  readonly digest: string;
}

async function tryServer(home: string, recording: Served, named: LoadServer): Promise<void> {
  const { live } = named.definition;
  const server = live ? { ...named, live: await liveFar(live) } : named;
  const scratch = await makeScratchFolder();
  try {
    const terms = { lane: "h2", byBrowser: false, serving: stockServing, evidence: null } as const;
    const { lab } = await farSide({ ...terms, home, recording, server, scratch: scratch.folder });
    const { replay, shaper } = labCommand({ home, link: parseLink("1gbit/0ms"), reports: null, ...lab });
    const [program = "", ...rest] = [...replay, ...shaper, "/bin/true"];
    await runProgram(program, rest);
  } catch (error) {
    if (!(error instanceof ProgramFailure) || !error.lastLine) throw error;
    throw new UserError(error.lastLine.replace(/^trilane-\w+: /, ""));
  } finally {
    await scratch.remove();
  }
}

/** UserError for the first that does not come up with one of these recordings, or cannot serve a lane. */
export async function tryServers(home: string, plan: ServersPlan, recordings: Iterable<Served>): Promise<void> {
  await refuseServers(plan);
  const servers = new Map(
    plan.lanes.flatMap((label) => serverOf(plan, label) ?? []).map((server) => [server.name, server]),
  );
  if (servers.size === 0) return;
  for (const recording of recordings) for (const server of servers.values()) await tryServer(home, recording, server);
}
