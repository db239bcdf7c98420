// Reads what a file holds of a plan that several machines share: which cells, of which machine, how far. Refuses any other file
// by its name. Copies nothing.
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { UserError } from "../../base/errors.ts";
import type { Attempt } from "../../results/store/attempt_rows.ts";
import { sqliteCode } from "../../results/store/failure.ts";
import { isReference } from "../../results/store/reference_sweeps.ts";
import {
  type AnySweep,
  type CellLink,
  type Host,
  type Load,
  openResultsFile,
  type PlacedCell,
  type Results,
} from "../../results/store/results.ts";
import { recordingsIn } from "../../results/store/sweep_recordings.ts";

/** A numbered cell of a plan, or all reference cells of a machine: what is merged whole. */
export interface Part {
  readonly path: string;
  readonly sweep: AnySweep;
  readonly host: Host;
  /** Null: reference cells. */
  readonly place: number | null;
  /** What must be alike wherever a plan's cells ran: links, and digests of recordings by name. */
  readonly links: readonly CellLink[];
  readonly recordings: ReadonlyMap<string, string>;
  readonly placed: readonly PlacedCell[];
  readonly finished_at: string | null;
  /** For reference cells only; else empty. */
  readonly loads: readonly Load[];
  readonly attempts: number;
  readonly valid: number;
  readonly firstLoad_at: string | null;
  /** Of the first and the last page load, so that what changed in between is seen. */
  readonly versions: readonly Readonly<Record<string, string>>[];
}

const header = "SQLite format 3\0";

function looksLikeDatabase(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const start = Buffer.alloc(header.length);
    return readSync(file, start, 0, header.length, 0) === header.length && start.toString("latin1") === header;
  } finally {
    closeSync(file);
  }
}

/** A sweep's rows, read once. */
interface SweepRows {
  readonly sweep: AnySweep;
  readonly links: readonly CellLink[];
  /** By cell. */
  readonly recordings: ReadonlyMap<number, readonly [name: string, digest: string]>;
  readonly attempts: readonly Attempt[];
  /** Of reference cells. */
  readonly loads: readonly Load[];
}

function rowsOf(results: Results, sweep: AnySweep): SweepRows {
  const pages = results.cellsOf(sweep.id);
  return {
    sweep,
    links: results.cellLinksOf(sweep),
    recordings: new Map(pages.map(({ id, page, recording_digest }) => [id, [page, recording_digest] as const])),
    attempts: results.attemptsOf(sweep),
    loads: isReference(sweep.environment) ? results.loadsOf(sweep.id) : [],
  };
}

function partOf(results: Results, path: string, rows: SweepRows, host: Host, placed: readonly PlacedCell[]): Part {
  const { sweep } = rows;
  const own = new Set(placed.map(({ cell }) => cell));
  const attempts = rows.attempts.filter(({ cell }) => own.has(cell));
  const ends = new Set([attempts[0], attempts.at(-1)].flatMap((attempt) => attempt?.id ?? []));
  const pageLoads = [...ends].flatMap((id) => results.pageLoadOf(id) ?? []);
  const recordings = [...rows.recordings].flatMap(([cell, recording]) => (own.has(cell) ? [recording] : []));
  return {
    path,
    sweep,
    host,
    place: isReference(sweep.environment) ? null : (placed[0]?.place ?? 0),
    links: rows.links.filter(({ id }) => own.has(id)),
    recordings: new Map([...recordingsIn(sweep.environment), ...recordings]),
    placed,
    finished_at: placed[0]?.finished_at ?? sweep.finished_at,
    loads: rows.loads.filter(({ cell }) => own.has(cell)),
    attempts: attempts.length,
    valid: attempts.filter(({ status }) => status === "valid").length,
    firstLoad_at: attempts[0]?.started_at ?? null,
    versions: pageLoads.map((load) => load.log._trilane.environment.versions),
  };
}

function partsOf(results: Results, path: string): Part[] {
  return results.listAllSweeps().flatMap((sweep) => {
    const hosts = results.hostsOf(sweep.id);
    if (hosts.length === 0) return [];
    const rows = rowsOf(results, sweep);
    return hosts.flatMap((host) => {
      const groups = isReference(sweep.environment)
        ? [host.cells]
        : [...Map.groupBy(host.cells, ({ place }) => place).values()];
      return groups.flatMap((placed) => (placed.length > 0 ? [partOf(results, path, rows, host, placed)] : []));
    });
  });
}

/**
 * The parts in a file: of one cell as `trilane cell` makes it, or of many as `trilane merge` does. Empty where a cell was
 * only begun. UserError naming the file where it is cut off, damaged, or something else.
 */
export function readShard(path: string): Part[] {
  // Killed in its first moment.
  const there = statSync(path);
  if (there.isFile() && there.size === 0) return [];
  if (!there.isFile() || !looksLikeDatabase(path)) throw new UserError(`${path}: not a file of results: leave it out`);
  let results: Results | null = null;
  try {
    results = openResultsFile(path);
    const damage = results.damage();
    if (damage !== null) throw new UserError(`${path}: damaged (${damage}): run its cell again, or leave it out`);
    const parts = partsOf(results, path);
    if (parts.length === 0 && results.listAllSweeps().length > 0)
      throw new UserError(`${path}: holds no cell's results, as \`trilane cell\` makes them: leave it out`);
    return parts;
  } catch (error) {
    // A file of ours that lacks what every one has.
    if (sqliteCode(error) === null) throw error;
    throw new UserError(`${path}: damaged (${(error as Error).message}): run its cell again, or leave it out`);
  } finally {
    results?.close();
  }
}
