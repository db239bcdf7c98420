// The results of HOME/results.db: its sweeps (sweep_store.ts, which owns the connection), and of sweeps of pages their cells, every attempt at
// a load, films and trials of recordings. Decides nothing about which load comes next (cli/sweep) or what loads mean (cli/results/verdict).
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import { UserError } from "../../base/errors.ts";
import {
  addAttempt,
  addObservations,
  attemptColumns,
  documentOf,
  observationsColumn,
  readCells,
} from "./attempt_rows.ts";
import { holdsBytes, openDatabase, openDatabaseToRead, openFilledDatabase, resultsPath } from "./database.ts";
import { fileRemedies, homeRemedies, type Remedies, shardRemedies } from "./failure.ts";
import { addFilm, type Film, type FilmedLoad, type NewFilm, readFilmedLoads, readFilms } from "./filmstrips.ts";
import { observationsOf } from "./load_observations.ts";
import { isOneDevice } from "./page_devices.ts";
import { packedPageLoad, unpackedPageLoad } from "./page_load_blob.ts";
import {
  addPinning,
  addRecordingTrial,
  pinningQuery,
  pinningsOf,
  type RecordingTrial,
  recordingTrialOf,
} from "./recording_trials.ts";
import { refuseChangedRecording } from "./sweep_recordings.ts";
import {
  type Cell,
  type LaneLabel,
  type Load,
  loadOf,
  type NewLoad,
  type NewSweep,
  type Sweep,
  type SweepKind,
} from "./sweep_rows.ts";
import { type AddedSweep, type BegunSweep, SweepStore } from "./sweep_store.ts";
import { readUnmatched, type Unmatched, unmatchedIn } from "./unmatched.ts";

export type * from "./filmstrips.ts";
export type * from "./hosts.ts";
export type * from "./sweep_rows.ts";
export { SweepRunsError } from "./sweep_store.ts";
export type * from "./unmatched.ts";

/** Page loads are the store's own kind: verdicts, answers and reports in this room and the next are of them. */
const pages = "pages";
const ofPages: SweepKind<Sweep> = { kind: pages, holds: "page loads" };

const pageColumns = ["id", "sweep", "subject AS page", "recording_digest", "lane", "link", "link_profile"];
/** Of a cell. */
const ofPage = `(SELECT kind FROM sweep WHERE sweep.id = cell.sweep) = '${pages}'`;

export class Results extends SweepStore {
  /** All sweeps of pages, the newest first. */
  listSweeps(): Sweep[] {
    return this.listAllSweeps().filter((sweep) => sweep.kind === pages) as Sweep[];
  }

  /** UserError if there is none of that number, or it is of another kind. */
  sweep(id: number): Sweep {
    return this.sweepOf(ofPages, id);
  }

  newestSweep(plan_digest: string): Sweep | null {
    return this.newestOf(ofPages, plan_digest);
  }

  /** The newest sweep of a plan if that one is unfinished: what the same command resumes. */
  unfinishedSweep(plan_digest: string): Sweep | null {
    return this.unfinishedOf(ofPages, plan_digest);
  }

  /** In the plan's order; none of a sweep of another kind. */
  cellsOf(sweep: number): Cell[] {
    const hosts = new Map(this.hostsOf(sweep).flatMap((host) => host.cells.map(({ cell }) => [cell, host])));
    const pinned = this.pinningsOf(sweep);
    return readCells<Cell>(this, pageColumns, sweep, ofPage).map((cell) => {
      const host = hosts.get(cell.id);
      const pinned_ms = pinned.get(cell.page);
      return { ...cell, ...(host ? { host } : {}), ...(pinned_ms === undefined ? {} : { pinned_ms }) };
    });
  }

  /** Every attempt in the order in which they ended. */
  loadsOf(sweep: number): Load[] {
    return this.#loads("cell.sweep", sweep);
  }

  /** One attempt, as loadsOf has it. */
  loadOf(load: number): Load {
    const [found] = this.#loads("attempt.id", load);
    if (!found) throw new UserError(`no load ${load} in ${this.path}: see \`trilane export\``);
    return found;
  }

  #loads(column: "cell.sweep" | "attempt.id", value: number): Load[] {
    return this.read(
      `SELECT attempt.id, subject AS page, lane, link, ${attemptColumns}, ${observationsColumn}
       FROM attempt JOIN cell ON cell.id = attempt.cell WHERE ${column} = ? AND ${ofPage} AND NOT filmed ORDER BY attempt.id`,
      value,
    ).map(loadOf);
  }

  /** The page load of one attempt: HAR and `_trilane`. */
  harOf(load: number): PageLoad {
    const found = this.pageLoadOf(load);
    if (!found) throw new UserError(`no load ${load} in ${this.path}: see \`trilane export\``);
    return found;
  }

  /** The same of an attempt of any kind; null: it loaded no page. */
  pageLoadOf(attempt: number): PageLoad | null {
    const blob = documentOf(this, attempt, "page-load");
    return blob && unpackedPageLoad(blob, `${this.path}: load ${attempt}`, this.remedies.isForeign);
  }

  /** The requests of a sweep's loads that were not matched exactly, the same of several loads once. */
  unmatchedOf(sweep: number): Unmatched[] {
    return readUnmatched((query) => this.read(query, sweep));
  }

  /** What the cells' filmed loads showed, those that were valid. */
  filmsOf(sweep: number): Film[] {
    return readFilms((query) => this.read(query, sweep));
  }

  /** How often cells were filmed, whatever came of it; those that never were are not in it. */
  filmedCellsOf(sweep: number): Map<number, number> {
    const counts = new Map<number, number>();
    for (const { cell } of this.filmedLoadsOf(sweep)) counts.set(cell, (counts.get(cell) ?? 0) + 1);
    return counts;
  }

  /** The loads that were filmed, whatever came of them. */
  filmedLoadsOf(sweep: number): FilmedLoad[] {
    return readFilmedLoads((query) => this.read(query, sweep));
  }

  /** Median wall time of the loads so far on the same page, link and lane, over all sweeps but dilated ones; null where there are none. */
  usualWall_ms(page: string, link: string, lane: LaneLabel): number | null {
    const rows = this.read(
      `SELECT wall_ms FROM attempt JOIN cell ON cell.id = attempt.cell JOIN sweep ON sweep.id = cell.sweep
       WHERE sweep.kind = '${pages}' AND NOT filmed AND subject = ? AND link = ? AND lane = ? AND status = 'valid' AND ifnull(sweep.plan ->> 'dilate', 1) = 1
       ORDER BY wall_ms`,
      page,
      link,
      lane,
    );
    const middle = rows[rows.length >> 1];
    return middle ? Number(middle.wall_ms) : null;
  }

  /** As begin, of pages. UserError if a recording is no longer the one that the sweep began with. */
  beginSweep(begun: NewSweep, fresh: boolean): BegunSweep<Sweep> {
    return this.begin(this.#added(begun), fresh);
  }

  /** As beginOnce, of pages. */
  beginSweepOnce(begun: NewSweep): BegunSweep<Sweep> | null {
    return this.beginOnce(this.#added(begun));
  }

  #added({ cells, ...begun }: NewSweep): AddedSweep<Sweep> {
    return {
      ...begun,
      kind: pages,
      addedCells: cells.map(({ page, ...cell }) => ({ subject: page, ...cell })),
      refuseChanged: (unfinished) => this.#refuseChangedRecordings(unfinished, { ...begun, cells }),
    };
  }

  /** Stores one attempt at a load, whole or not at all. */
  recordLoad(added: NewLoad): number {
    const { load, ...place } = added;
    const { status, reasons, wall_ms } = load.log._trilane;
    const documents = { "page-load": packedPageLoad(load), unmatched: unmatchedIn(load) };
    const observations = observationsOf(load);
    return this.write((database) => {
      const id = addAttempt(database, { ...place, status, reasons, wall_ms }, documents);
      addObservations(database, id, observations);
      return id;
    });
  }

  /** Stores a filmed load of a cell whole or not at all. */
  recordFilm(film: NewFilm): void {
    this.write((database) => addFilm(database, film));
  }

  /** By page, to which moment the clock of the sweep's loads is set; null: it is left as it is. Without those undecided. */
  pinningsOf(sweep: number): Map<string, number | null> {
    return pinningsOf(this.read(pinningQuery, sweep));
  }

  recordPinning(sweep: number, page: string, moment_ms: number | null): void {
    this.write((database) => addPinning(database, sweep, page, moment_ms));
  }

  /** What a trial load showed of a recording; null: it was not tried. */
  trialOf(recording_digest: string): RecordingTrial | null {
    const rows = this.read("SELECT moment, outside FROM recording_trial WHERE recording_digest = ?", recording_digest);
    return recordingTrialOf(rows[0]);
  }

  recordTrial(recording_digest: string, trial: RecordingTrial): void {
    this.write((database) => addRecordingTrial(database, recording_digest, trial));
  }

  #refuseChangedRecordings(sweep: Sweep, now: NewSweep): void {
    const digests = new Map(now.cells.map((cell) => [cell.page, cell.recording_digest]));
    for (const { page, recording_digest: before } of this.cellsOf(sweep.id)) {
      const after = digests.get(page);
      if (after === before && isOneDevice(page, sweep.environment, now.environment)) continue;
      if (after === before)
        throw new UserError(
          `recording ${page} is for another device than when sweep ${sweep.id} began: import or record it for that one, or ${this.remedies.again}`,
        );
      refuseChangedRecording(`recording ${page}`, sweep.id, before, after ?? null, this.remedies.again);
    }
  }
}

/**
 * Opens the results, making the file where there is none. `writeWait_ms`: a write throws a LockedError where another process holds the
 * file for longer; the thread stands still for as long. Default: 10 s.
 */
export function openResults(home: string, writeWait_ms?: number): Results {
  const path = resultsPath(home);
  return new Results(openDatabase(path), path, homeRemedies, writeWait_ms);
}

/** As openResults, in a shard, which may be in a folder that several machines share. */
export function openSharedResults(path: string, writeWait_ms?: number): Results {
  const remedies = shardRemedies(path);
  return new Results(openDatabase(path, "rollback", remedies), path, remedies, writeWait_ms);
}

/** Opens the results of earlier runs; null where nothing was ever run, or the first run has only begun to make them. */
export function openExistingResults(home: string): Results | null {
  return openExisting(resultsPath(home), homeRemedies);
}

/** As openExistingResults, of a shard. */
export function openExistingShard(path: string): Results | null {
  return openExisting(path, shardRemedies(path));
}

function openExisting(path: string, remedies: Remedies): Results | null {
  const database = holdsBytes(path) ? openDatabaseToRead(path, remedies) : null;
  return database && new Results(database, path, remedies);
}

/** To read results that lie in a file of any name. UserError where it is not one of results. */
export function openResultsFile(path: string): Results {
  return new Results(openFilledDatabase(path, fileRemedies), path, fileRemedies);
}
