// Shards: each cell that a machine runs has a file of results of its own, named after the cell and the machine, so that no
// two machines ever write one file. Names and finds them; merges nothing.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../base/errors.ts";
import { type NamedHost, refuseOtherMachine } from "../../results/store/hosts.ts";
import { openExistingShard } from "../../results/store/results.ts";

export function shardPath(folder: string, place: number, host: string): string {
  return join(folder, `cell-${String(place).padStart(4, "0")}-${host}.db`);
}

/** The loads of the reference cells on a machine. */
export function referencePath(folder: string, host: string): string {
  return join(folder, `reference-${host}.db`);
}

/** What a host that was handed a plan of so many cells may have made, with the journals of what it is still writing. */
export function shardNames(host: string, { cells, reference }: { cells: number; reference: boolean }): Set<string> {
  const paths = Array.from({ length: cells }, (_, index) => shardPath("", index + 1, host));
  if (reference) paths.push(referencePath("", host));
  return new Set(paths.flatMap((path) => [path, `${path}-journal`]));
}

const shardPattern = /^(?:cell-(?<place>\d+)|reference)-.+\.db$/;

/** All shards of a folder, in the order of their names. Empty if there is no folder. */
export function shardsIn(folder: string): { path: string; place: number | null }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const match = name.match(shardPattern);
      const place = match?.groups?.place;
      return match ? [{ path: join(folder, name), place: place === undefined ? null : Number(place) }] : [];
    });
}

/**
 * Whether the shard at `path` holds a finished sweep of the plan. False if there is no such file. UserError if it is another
 * plan's, or of another machine that has the name of `host`: its loads and this one's would be in one file.
 */
export function isFinished(path: string, plan_digest: string, host?: NamedHost): boolean {
  using results = openExistingShard(path);
  if (results === null) return false;
  const sweeps = results.listAllSweeps();
  const other = sweeps.find((sweep) => sweep.plan_digest !== plan_digest);
  if (other)
    throw new UserError(
      `${path}: has loads of another plan (${other.name} ${other.plan_digest.slice(0, 12)}): remove it, or name another folder with --shards`,
    );
  if (host) for (const { id } of sweeps) refuseOtherMachine(results.hostsOf(id), host, path);
  return sweeps.some(({ finished_at }) => finished_at !== null);
}
