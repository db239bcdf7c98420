// Reads what a file holds of a plan that several machines share: which cells, of which machine, how far. Refuses what is no
// such file, by its name. Copies nothing.
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { UserError } from "../../base/errors.ts";
import type { Attempt } from "../../results/store/attempt_rows.ts";
import { sqliteCode } from "../../results/store/failure.ts";
import { isReference } from "../../results/store/reference_sweeps.ts";
import {
  type Host,
  type Load,
  openResultsFile,
  type PlacedCell,
  type Results,
  type SharedSweep,
} from "../../results/store/results.ts";

/** What must be alike wherever a plan's cells ran. */
interface PartCell {
  readonly link: string;
  readonly link_profile: unknown;
  /** Of flows: none. */
  readonly page?: string;
  readonly recording_digest?: string;
}

/** A page on a link with its lanes, a link with its mixes of flows, or all reference cells of a machine: what is merged whole. */
export interface Part {
  readonly path: string;
  readonly sweep: SharedSweep;
  readonly host: Host;
  /** Null: reference cells. */
  readonly place: number | null;
  readonly cells: readonly PartCell[];
  readonly placed: readonly PlacedCell[];
  readonly finished_at: string | null;
  /** For reference cells only; else empty. */
  readonly loads: readonly Load[];
  readonly attempts: number;
  readonly valid: number;
  readonly firstLoad_at: string | null;
  /** Of the first and the last load, so that what changed in between is seen. */
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
  readonly sweep: SharedSweep;
  readonly cells: ReadonlyMap<number, PartCell>;
  readonly attempts: ReadonlyMap<number, readonly Attempt[]>;
  /** Of pages. */
  readonly loads: ReadonlyMap<number, readonly Load[]>;
}

function rowsOf(results: Results, sweep: SharedSweep): SweepRows {
  if (sweep.kind === "flows") {
    const cells = new Map(results.cellLinksOf(sweep).map((cell) => [cell.id, { ...cell, link: String(cell.link) }]));
    const attempts = Map.groupBy(results.attemptsOf(sweep), ({ cell }) => cell);
    return { sweep, cells, attempts, loads: new Map() };
  }
  const cells = new Map(results.cellsOf(sweep.id).map((cell) => [cell.id, cell]));
  const loads = Map.groupBy(results.loadsOf(sweep.id), ({ cell }) => cell);
  return { sweep, cells, attempts: loads, loads };
}

/** Of the first and the last load; those of runs of flows are in their sweep's environment. */
function versionsOf(
  results: Results,
  { kind, environment }: SharedSweep,
  attempts: readonly Attempt[],
): Part["versions"] {
  if (kind === "flows") return typeof environment.trilane === "string" ? [{ trilane: environment.trilane }] : [];
  const ends = [...new Set([attempts[0], attempts.at(-1)])].flatMap((load) => (load ? [results.harOf(load.id)] : []));
  return ends.map((har) => har.log._trilane.environment.versions);
}

function partOf(results: Results, path: string, rows: SweepRows, host: Host, placed: readonly PlacedCell[]): Part {
  const { sweep } = rows;
  const attempts = placed.flatMap(({ cell }) => rows.attempts.get(cell) ?? []).sort((a, b) => a.id - b.id);
  const reference = isReference(sweep.environment);
  return {
    path,
    sweep,
    host,
    place: reference ? null : (placed[0]?.place ?? 0),
    cells: placed.flatMap(({ cell }) => rows.cells.get(cell) ?? []),
    placed,
    finished_at: placed[0]?.finished_at ?? sweep.finished_at,
    loads: reference ? placed.flatMap(({ cell }) => rows.loads.get(cell) ?? []).sort((a, b) => a.id - b.id) : [],
    attempts: attempts.length,
    valid: attempts.filter(({ status }) => status === "valid").length,
    firstLoad_at: attempts[0]?.started_at ?? null,
    versions: versionsOf(results, sweep, attempts),
  };
}

function partsOf(results: Results, path: string): Part[] {
  return results.listAllSweeps().flatMap((sweep) => {
    // No machines share fetches or commands.
    if (sweep.kind !== "pages" && sweep.kind !== "flows") return [];
    const rows = rowsOf(results, sweep);
    return results.hostsOf(sweep.id).flatMap((host) => {
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
  if (statSync(path).size === 0) return [];
  if (!looksLikeDatabase(path)) throw new UserError(`${path}: not a file of results: leave it out`);
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
