// The options by which a race or a sweep names its servers: --servers for those that are known, --server for one of the user's own. Reads
// the words; what servers there are is cli/load/servers'.
import { existsSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { isFactorValue, liveServer, replayServer } from "../../base/factors.ts";
import { type LaneLabel, withFactors } from "../../base/lanes.ts";
import type { OptionsOf, OptionTable } from "../../base/option_table.ts";
import { isServerProgram, type ServerProgram, serverPrograms } from "../../load/servers/programs.ts";
import { laneLabels, type PlanServer } from "../../load/servers/servers.ts";

export type ServersOptions = OptionsOf<typeof defineServers>;

export const defineServers = (table: OptionTable<unknown>) =>
  table
    .option("servers", {
      placeholder: "NAMES",
      describe: `what serves, separated by commas: ${[replayServer, ...serverPrograms].join(", ")} (default: ${replayServer}; programs must be installed)`,
    })
    .option("server", {
      array: true,
      default: [],
      rare: true,
      placeholder: "NAME=COMMAND|FILE",
      describe: "a server of your own: a command for the shell, or a configuration of a known program (nginx:FILE)",
    })
    .group(["servers", "server"], "Servers in the lanes:");

interface ChosenServers {
  /** In the order in which they were named. */
  readonly names: readonly string[];
  readonly servers: Readonly<Record<string, PlanServer>>;
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/** By its name, as in my-nginx.conf, Caddyfile or haproxy.cfg. */
const programOf = (path: string): ServerProgram | null =>
  serverPrograms.find((program) => basename(path).toLowerCase().includes(program)) ?? null;

function definitionOf(name: string, what: string): PlanServer {
  const [, program = "", named = ""] = /^(\w+):(.+)$/.exec(what) ?? [];
  if (isServerProgram(program)) {
    if (!isFile(named)) throw new UserError(`--server ${name}: no file ${named}: name one`);
    return { program, configuration: resolve(named) };
  }
  if (!isFile(what) || /\s/.test(what)) return { command: what };
  const found = programOf(what);
  if (found) return { program: found, configuration: resolve(what) };
  throw new UserError(
    `--server ${name}: ${what} does not say of which program it is: write nginx:${what}, or a command`,
  );
}

/** null: none are named. UserError for words that name none, or one twice. */
export function chosenServers({ servers, server = [] }: Partial<ServersOptions>): ChosenServers | null {
  const own = server.map((text) => {
    const [, name = "", what = ""] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (what === "" || [replayServer, liveServer].includes(name) || !isFactorValue(name))
      throw new UserError(
        `--server ${JSON.stringify(text)}: must be NAME=COMMAND or NAME=FILE, with a name of at most 16 small letters, digits, dots and hyphens, other than ${replayServer} and ${liveServer}`,
      );
    return [name, definitionOf(name, what)] as const;
  });
  const named = servers?.split(",").map((name) => name.trim()) ?? [];
  if (own.length === 0 && named.length === 0) return null;
  const names = [...named, ...own.map(([name]) => name).filter((name) => !named.includes(name))];
  if (new Set(names).size < names.length) throw new UserError(`--servers ${servers}: a name stands there twice`);
  return { names, servers: Object.fromEntries(own) };
}

export type ServedLanes = Pick<SweepPlan, "lanes" | "servers">;

/** Each lane of each server that the options name; null: they name none. `leftOut`: given why a server does not serve a lane. UserError. */
export async function servedLanes(
  options: Partial<ServersOptions>,
  lanes: readonly LaneLabel[],
  leftOut: (line: string) => void,
): Promise<ServedLanes | null> {
  const chosen = chosenServers(options);
  if (chosen === null) return null;
  const { names, servers } = chosen;
  const lines: string[] = [];
  const bare = new Set(lanes.map((label) => withFactors(label, { server: undefined })));
  const [first, ...more] = await laneLabels([...bare], names, { servers }, (line) => lines.push(line));
  if (first === undefined) throw new UserError(lines.join("; "));
  for (const line of lines) leftOut(line);
  return { lanes: [first, ...more], ...(Object.keys(servers).length > 0 ? { servers } : {}) };
}
