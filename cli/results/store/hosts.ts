// The table `host` of the results: which machine ran which cells, if several share a sweep. Used by the results' owner alone; judges no
// machine.
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { Environment } from "../../../schemas/generated/environment.ts";
import { UserError } from "../../base/errors.ts";
import { storedJson } from "./stored_json.ts";

type Machine = Readonly<Pick<Environment, "kernel" | "architecture" | "cpu" | "cpus" | "memory_bytes">>;

export interface HostFacts extends Machine {
  /** Tells two machines of one name apart. Missing in results of earlier versions. */
  readonly machine_id?: string;
  /** By product; of each all that were seen. */
  readonly versions: Readonly<Record<string, readonly string[]>>;
}

export interface PlacedCell {
  readonly cell: number;
  /** Number in the plan, from 1, of what one machine runs whole. */
  readonly place: number;
  /** Of merged results: when its shard was. */
  readonly finished_at?: string | null;
}

export interface NewHost {
  readonly name: string;
  readonly facts: HostFacts;
  readonly cells: readonly PlacedCell[];
  /** In what it is unlike the others. */
  readonly flags?: readonly string[];
}

/** A machine of a sweep. */
export type Host = Required<NewHost>;

export type NamedHost = Pick<NewHost, "name" | "facts">;

/** Whether one name stands for two machines, as far as that was noted. */
export function isOtherMachine(one: NamedHost, other: NamedHost): boolean {
  const [id, otherId] = [one.facts.machine_id, other.facts.machine_id];
  return one.name === other.name && id !== undefined && otherId !== undefined && id !== otherId;
}

/** UserError where another machine of the host's name is among those known. `where`: the results that they are known from. */
export function refuseOtherMachine(known: readonly NamedHost[], host: NamedHost, where: string): void {
  if (known.some((one) => isOtherMachine(one, host)))
    throw new UserError(
      `${where}: from another machine that is called ${host.name} too: give this one a name of its own with --host`,
    );
}

/** A cell that has a host keeps it. */
export function addHost(database: DatabaseSync, sweep: number, { name, facts, cells, flags = [] }: NewHost): void {
  database
    .prepare("INSERT OR IGNORE INTO host (sweep, name, facts, flags) VALUES (?, ?, ?, ?)")
    .run(sweep, name, JSON.stringify(facts), JSON.stringify(flags));
  const update = database.prepare(
    `UPDATE cell SET place = ?, finished_at = ?, host = (SELECT id FROM host WHERE sweep = ? AND name = ?)
     WHERE id = ? AND host IS NULL`,
  );
  for (const { cell, place, finished_at = null } of cells) update.run(place, finished_at, sweep, name, cell);
}

/** `read` is given the sweep's number as its one value. */
export function readHosts(read: (query: string) => Record<string, SQLOutputValue>[]): Host[] {
  const cells = Map.groupBy(
    read("SELECT id, host, place, finished_at FROM cell WHERE sweep = ? AND host IS NOT NULL ORDER BY place, id"),
    ({ host }) => Number(host),
  );
  return read("SELECT id, name, facts, flags FROM host WHERE sweep = ? ORDER BY name").map((row) => ({
    name: String(row.name),
    facts: storedJson(row.facts, "host.facts") as HostFacts,
    flags: storedJson(row.flags, "host.flags") as string[],
    cells: (cells.get(Number(row.id)) ?? []).map(({ id, place, finished_at }) => ({
      cell: Number(id),
      place: Number(place),
      finished_at: finished_at === null ? null : String(finished_at),
    })),
  }));
}
