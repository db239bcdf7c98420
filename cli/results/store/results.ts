// The one owner of HOME/results.db: sweeps, their cells, and every attempt at a load or at a run of an instrument, each one
// transaction.
// Decides nothing about which load comes next (cli/sweep) or what loads mean (cli/results/verdict). Over 500 lines, because one
// class owns the connection and all that is asked of it; what single tables hold stands in files of their own.
import type { DatabaseSync } from "node:sqlite";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import type { SelftestLink } from "../../../schemas/generated/selftest.ts";
import { LockedError, UserError } from "../../base/errors.ts";
import { type Owner, parseOwner, stateOf, thisProcess } from "../../base/process_owner.ts";
import { countAttempts } from "./attempt_rows.ts";
import { holdsBytes, openDatabase, openDatabaseToRead, openFilledDatabase, resultsPath } from "./database.ts";
import {
  explainFailure,
  fileRemedies,
  homeRemedies,
  isLocked,
  lockedLine,
  type Remedies,
  shardRemedies,
} from "./failure.ts";
import {
  addFetch,
  addFetchCells,
  type FetchCell,
  type NewFetch,
  type NewFetchSweep,
  readFetchCells,
  readFetches,
  type StoredFetch,
} from "./fetch_runs.ts";
import {
  addFilm,
  type Film,
  type FilmedLoad,
  type NewFilm,
  readFilmed,
  readFilmedLoads,
  readFilms,
} from "./filmstrips.ts";
import {
  addFlowCells,
  addFlowRun,
  type FlowCell,
  type FlowRunRow,
  type NewFlowRun,
  type NewFlowSweep,
  readFlowCells,
  readFlowRuns,
  readPageLoad,
  readSeries,
} from "./flow_runs.ts";
import { addHost, type Host, type NamedHost, type NewHost, readHosts, refuseOtherMachine } from "./hosts.ts";
import { addLoadBrowser, loadBrowserColumns } from "./load_browsers.ts";
import { addLoadCoverage, coverageColumns } from "./load_coverage.ts";
import { addLoadDisturbance, disturbanceColumns } from "./load_disturbance.ts";
import { addLoadMetrics } from "./load_metrics.ts";
import {
  addMeasuredCells,
  addMeasuredRun,
  type MeasuredCell,
  type MeasuredRun,
  type NewMeasuredCell,
  type NewMeasuredRun,
  readMeasuredCells,
  readMeasuredRuns,
} from "./measured_runs.ts";
import { loadMetricColumns, metricColumns, userTimingsColumn } from "./metric_columns.ts";
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
import { hideSweeps, removeHidden } from "./remove_rows.ts";
import { storedJson } from "./stored_json.ts";
import {
  type AnySweep,
  anySweepOf,
  type Cell,
  type CommandSweep,
  cellOf,
  countColumns,
  type FetchSweep,
  type FlowSweep,
  type LaneLabel,
  type LinkTest,
  type Load,
  loadColumns,
  loadOf,
  type NewLoad,
  type NewSweep,
  type Row,
  type Sweep,
  type SweepProgress,
  sweepColumns,
} from "./sweep_rows.ts";
import { inTransaction, withBusyTimeout } from "./transaction.ts";
import { addUnmatched, readUnmatched, type Unmatched } from "./unmatched.ts";

export type * from "./fetch_runs.ts";
export type * from "./filmstrips.ts";
export type * from "./flow_runs.ts";
export type * from "./hosts.ts";
export type * from "./measured_runs.ts";
export type * from "./sweep_rows.ts";
export type * from "./unmatched.ts";

/** Of an instrument that has no tables of its own. */
interface NewMeasuredSweep<Sweep extends AnySweep>
  extends Pick<NewSweep, "name" | "plan_digest" | "seed" | "command" | "environment"> {
  readonly kind: Sweep["kind"];
  readonly plan: Sweep["plan"];
  readonly measuredCells: readonly NewMeasuredCell[];
}

/** Another process is at work on the sweep. */
export class SweepRunsError extends UserError {}

interface BegunSweep<Kind extends AnySweep = Sweep> {
  readonly sweep: Kind;
  /** It was there, unfinished. */
  readonly resumed: boolean;
}

export class Results {
  readonly #database: DatabaseSync;
  readonly #path: string;

  readonly remedies: Remedies;

  /** How long one write waits for another process's; null: as long as reads do. */
  readonly #writeWait_ms: number | null;

  constructor(database: DatabaseSync, path: string, remedies: Remedies, writeWait_ms: number | null = null) {
    this.#database = database;
    this.#path = path;
    this.remedies = remedies;
    this.#writeWait_ms = writeWait_ms;
  }

  /** All sweeps of pages, the newest first. */
  listSweeps(): Sweep[] {
    return this.listAllSweeps().filter((sweep) => sweep.kind === "pages");
  }

  /** All sweeps, of whichever kind, the newest first. */
  listAllSweeps(): AnySweep[] {
    return this.#read(`SELECT ${sweepColumns} FROM sweep ORDER BY id DESC`).map(anySweepOf);
  }

  /** Counted without reading loads or runs. */
  progressOf(sweep: AnySweep): SweepProgress {
    const counted = countAttempts(this.#read, sweep.kind, sweep.id);
    const owner = this.#ownerOf(sweep.id);
    return {
      ...counted,
      planned: counted.cells * sweep.plan.repetitions,
      running: owner !== null && stateOf(owner) !== "dead",
    };
  }

  /** UserError where there is none of that number, or it is of another kind. */
  sweep(id: number): Sweep {
    const sweep = this.anySweep(id);
    if (sweep.kind === "pages") return sweep;
    throw new UserError(
      `sweep ${id} has ${sweep.kind} and no page loads: name a sweep of pages (see \`trilane list\`)`,
    );
  }

  /** UserError where there is none of that number, or it is of another kind. */
  flowSweep(id: number): FlowSweep {
    const sweep = this.anySweep(id);
    if (sweep.kind === "flows") return sweep;
    const has = sweep.kind === "pages" ? "page loads" : sweep.kind;
    throw new UserError(`sweep ${id} has ${has} and no flows: see \`trilane list\``);
  }

  /** UserError where there is none of that number, or it is of another kind. */
  fetchSweep(id: number): FetchSweep {
    const sweep = this.anySweep(id);
    if (sweep.kind === "fetches") return sweep;
    const has = sweep.kind === "pages" ? "page loads" : sweep.kind;
    throw new UserError(`sweep ${id} has ${has} and no fetches: see \`trilane list\``);
  }

  /** UserError where there is none of that number, or it is of another kind. */
  commandSweep(id: number): CommandSweep {
    const sweep = this.anySweep(id);
    if (sweep.kind === "commands") return sweep;
    throw new UserError(`sweep ${id} is of ${sweep.kind} and has no commands: see \`trilane list\``);
  }

  /** Of any kind. UserError where there is none of that number. */
  anySweep(id: number): AnySweep {
    const [row] = this.#read(`SELECT ${sweepColumns} FROM sweep WHERE id = ?`, id);
    if (!row) throw new UserError(`no sweep ${id} in ${this.#path}: see \`trilane list\``);
    return anySweepOf(row);
  }

  newestSweep(plan_digest: string): Sweep | null {
    const newest = this.#newest(plan_digest);
    return newest?.kind === "pages" ? newest : null;
  }

  newestFlowSweep(plan_digest: string): FlowSweep | null {
    const newest = this.#newest(plan_digest);
    return newest?.kind === "flows" ? newest : null;
  }

  newestFetchSweep(plan_digest: string): FetchSweep | null {
    const newest = this.#newest(plan_digest);
    return newest?.kind === "fetches" ? newest : null;
  }

  #newest(plan_digest: string): AnySweep | null {
    const [row] = this.#read(
      `SELECT ${sweepColumns} FROM sweep WHERE plan_digest = ? ORDER BY id DESC LIMIT 1`,
      plan_digest,
    );
    return row ? anySweepOf(row) : null;
  }

  /** A sweep that is seen to be run at this moment, on this machine; null: none, so far as can be seen. */
  runningSweep(): { readonly sweep: number; readonly pid: number } | null {
    for (const { id, owner } of this.#read("SELECT id, owner FROM sweep WHERE owner IS NOT NULL ORDER BY id")) {
      const its = parseOwner(String(owner));
      if (stateOf(its) === "alive") return { sweep: Number(id), pid: its.pid };
    }
    return null;
  }

  /** The newest sweep of a plan where that one is unfinished: what the same command goes on with. */
  unfinishedSweep(plan_digest: string): Sweep | null {
    const newest = this.newestSweep(plan_digest);
    return newest && this.#isToResume(newest) ? newest : null;
  }

  /** In the plan's order. */
  cellsOf(sweep: number): Cell[] {
    const hosts = new Map(this.hostsOf(sweep).flatMap((host) => host.cells.map(({ cell }) => [cell, host])));
    const pinned = this.pinningsOf(sweep);
    return this.#read("SELECT * FROM cell WHERE sweep = ? ORDER BY id", sweep).map((row) => {
      const host = hosts.get(Number(row.id));
      const pinned_ms = pinned.get(String(row.page));
      return { ...cellOf(row), ...(host ? { host } : {}), ...(pinned_ms === undefined ? {} : { pinned_ms }) };
    });
  }

  /** Every attempt in the order in which they ended. */
  loadsOf(sweep: number): Load[] {
    return this.#loads("cell.sweep", sweep);
  }

  /** One attempt, as loadsOf has it. */
  loadOf(load: number): Load {
    const [found] = this.#loads("load.id", load);
    if (!found) throw new UserError(`no load ${load} in ${this.#path}: see \`trilane export\``);
    return found;
  }

  #loads(column: "cell.sweep" | "load.id", value: number): Load[] {
    const columns = [
      ...loadColumns.map((column) => `load.${column}`),
      ...loadMetricColumns,
      userTimingsColumn,
      ...loadBrowserColumns,
      ...coverageColumns,
      ...disturbanceColumns,
    ];
    return this.#read(
      `SELECT load.id, page, lane, link, ${columns.join(", ")} FROM load JOIN cell ON cell.id = load.cell
       LEFT JOIN load_metric ON load_metric.load = load.id LEFT JOIN load_browser ON load_browser.load = load.id
       LEFT JOIN load_coverage ON load_coverage.load = load.id
       LEFT JOIN load_disturbance ON load_disturbance.load = load.id
       WHERE ${column} = ? ORDER BY load.id`,
      value,
    ).map(loadOf);
  }

  /** The page load of one attempt: HAR and `_trilane`. */
  harOf(load: number): PageLoad {
    const [row] = this.#read("SELECT har FROM load WHERE id = ?", load);
    if (!row) throw new UserError(`no load ${load} in ${this.#path}: see \`trilane export\``);
    return unpackedPageLoad(row.har as Uint8Array, `${this.#path}: load ${load}`, this.remedies.isForeign);
  }

  /** In the order of measuring. */
  linkTestsOf(sweep: number): LinkTest[] {
    return this.#read(
      "SELECT machine, measured_at, test FROM link_test WHERE sweep = ? ORDER BY measured_at, rowid",
      sweep,
    ).map((row) => ({
      machine: String(row.machine),
      measured_at: String(row.measured_at),
      test: storedJson(row.test, "link_test.test") as SelftestLink,
    }));
  }

  /** The requests of a sweep's loads that were not matched exactly, the same of several loads once. */
  unmatchedOf(sweep: number): Unmatched[] {
    return readUnmatched((query) => this.#read(query, sweep));
  }

  /** What the cells' filmed loads showed, those that were valid. */
  filmsOf(sweep: number): Film[] {
    return readFilms((query) => this.#read(query, sweep));
  }

  /** How often cells were filmed, whatever came of it; those that never were are not in it. */
  filmedCellsOf(sweep: number): Map<number, number> {
    const counts = new Map<number, number>();
    for (const { cell } of this.filmedLoadsOf(sweep)) counts.set(cell, (counts.get(cell) ?? 0) + 1);
    // Films of before there could be several are in none of these rows.
    const films = readFilmed((query) => this.#read(query, sweep));
    for (const cell of films) counts.set(cell, counts.get(cell) ?? 1);
    return counts;
  }

  /** The loads that were filmed, whatever came of them. */
  filmedLoadsOf(sweep: number): FilmedLoad[] {
    return readFilmedLoads((query) => this.#read(query, sweep));
  }

  /** Who ran which cells, by name; none where that was not noted. */
  hostsOf(sweep: number): Host[] {
    return readHosts((query) => this.#read(query, sweep));
  }

  /** What SQLite finds wrong with the file; null: nothing. Reads all of it. */
  damage(): string | null {
    const [row] = this.#read("PRAGMA quick_check(1)");
    const found = String(row?.quick_check);
    return found === "ok" ? null : found;
  }

  /** Median wall time of the loads so far on the same page, link and lane, over all sweeps but dilated ones; null where there are none. */
  usualWall_ms(page: string, link: string, lane: LaneLabel): number | null {
    const rows = this.#read(
      `SELECT wall_ms FROM load JOIN cell ON cell.id = load.cell JOIN sweep ON sweep.id = cell.sweep
       WHERE page = ? AND link = ? AND lane = ? AND status = 'valid' AND ifnull(sweep.plan ->> 'dilate', 1) = 1
       ORDER BY wall_ms`,
      page,
      link,
      lane,
    );
    const middle = rows[rows.length >> 1];
    return middle ? Number(middle.wall_ms) : null;
  }

  /**
   * Goes on with the plan's unfinished sweep, or adds a new one; either way this process is then its one runner.
   * UserError while another runner lives, or where a recording is no longer the one that the sweep began with.
   */
  beginSweep(asked: NewSweep, fresh: boolean): BegunSweep {
    return this.#write(() => this.#begin(asked, fresh));
  }

  /** As beginSweep; null where the plan's newest sweep is finished, also by another process a moment ago. */
  beginSweepOnce(asked: NewSweep): BegunSweep | null {
    return this.#write(() => {
      const newest = this.newestSweep(asked.plan_digest);
      return newest && !this.#isToResume(newest) ? null : this.#begin(asked, false);
    });
  }

  /** As beginSweep, of flows. */
  beginFlowSweep(asked: NewFlowSweep, fresh: boolean): BegunSweep<FlowSweep> {
    return this.#write(() => this.#beginFlows(asked, fresh));
  }

  /** As beginSweepOnce, of flows. */
  beginFlowSweepOnce(asked: NewFlowSweep): BegunSweep<FlowSweep> | null {
    return this.#write(() => {
      const newest = this.newestFlowSweep(asked.plan_digest);
      return newest && !this.#isToResume(newest) ? null : this.#beginFlows(asked, false);
    });
  }

  /** As beginSweep, of fetches. */
  beginFetchSweep(asked: NewFetchSweep, fresh: boolean): BegunSweep<FetchSweep> {
    return this.#write(() => {
      const newest = fresh ? null : this.newestFetchSweep(asked.plan_digest);
      if (newest && this.#isToResume(newest)) {
        this.#claim(newest.id);
        return { sweep: newest, resumed: true };
      }
      const id = this.#addSweepRow(asked, "fetches");
      addFetchCells(this.#database, id, asked.fetchCells);
      return { sweep: this.fetchSweep(id), resumed: false };
    });
  }

  /** As beginSweep, of an instrument that has no tables of its own. */
  beginMeasuredSweep<Sweep extends AnySweep>(asked: NewMeasuredSweep<Sweep>, fresh: boolean): BegunSweep<Sweep> {
    return this.#write(() => {
      const newest = fresh ? null : this.#newest(asked.plan_digest);
      if (newest?.kind === asked.kind && this.#isToResume(newest)) {
        this.#claim(newest.id);
        return { sweep: newest as Sweep, resumed: true };
      }
      const id = this.#addSweepRow(asked, asked.kind);
      addMeasuredCells(this.#database, id, asked.measuredCells);
      return { sweep: this.anySweep(id) as Sweep, resumed: false };
    });
  }

  #beginFlows(asked: NewFlowSweep, fresh: boolean): BegunSweep<FlowSweep> {
    const newest = fresh ? null : this.newestFlowSweep(asked.plan_digest);
    if (newest && this.#isToResume(newest)) {
      if (asked.host) this.#refuseOtherMachine(newest.id, asked.host);
      this.#claim(newest.id);
      return { sweep: newest, resumed: true };
    }
    const id = this.#addSweepRow(asked, "flows");
    addFlowCells(this.#database, id, asked.flowCells);
    return { sweep: this.flowSweep(id), resumed: false };
  }

  #begin(asked: NewSweep, fresh: boolean): BegunSweep {
    const unfinished = fresh ? null : this.unfinishedSweep(asked.plan_digest);
    if (!unfinished) return { sweep: this.#addSweep(asked), resumed: false };
    if (asked.host) this.#refuseOtherMachine(unfinished.id, asked.host);
    this.#claim(unfinished.id);
    this.#refuseChangedRecordings(unfinished, asked);
    return { sweep: unfinished, resumed: true };
  }

  /** Gives the sweep up, so that another process may go on with it. */
  release(sweep: number): void {
    this.#write(() => {
      const owner = this.#ownerOf(sweep);
      if (owner && stateOf(owner) === "this") {
        this.#database.prepare("UPDATE sweep SET owner = NULL WHERE id = ?").run(sweep);
      }
    });
  }

  /** Stores one attempt at a load, whole or not at all. */
  recordLoad(added: NewLoad): number {
    const { status, reasons, metrics, counts, wall_ms } = added.load.log._trilane;
    const har = packedPageLoad(added.load);
    const values = [
      added.cell,
      added.block,
      added.attempt,
      added.position,
      status,
      JSON.stringify(reasons),
      added.started_at,
      wall_ms,
      ...metricColumns.map((column) => metrics[column]),
      ...countColumns.map((column) => counts[column]),
      har,
    ];
    return this.#write(() => {
      const places = values.map(() => "?").join(", ");
      const statement = this.#database.prepare(`INSERT INTO load (${loadColumns.join(", ")}, har) VALUES (${places})`);
      const id = Number(statement.run(...values).lastInsertRowid);
      addUnmatched(this.#database, id, added.load);
      addLoadMetrics(this.#database, id, added.load);
      addLoadBrowser(this.#database, id, added.load);
      addLoadCoverage(this.#database, id, added.load);
      addLoadDisturbance(this.#database, id, added.load);
      return id;
    });
  }

  /** In the plan's order. */
  flowCellsOf(sweep: number): FlowCell[] {
    return readFlowCells(this.#read, sweep);
  }

  /** Every attempt in the order in which they ended. */
  flowRunsOf(sweep: number): FlowRunRow[] {
    return readFlowRuns(this.#read, sweep);
  }

  /** The packed records of one flow run; null: it left too little. */
  flowSeriesOf(run: number): Uint8Array | null {
    return readSeries(this.#read, run);
  }

  /** The page load amid a run's flows; null: there was none. */
  flowPageLoadOf(run: number): PageLoad | null {
    return readPageLoad(this.#read, run, this.#path, this.remedies.isForeign);
  }

  /** Stores one attempt at a flow run, whole or not at all; returns its number. */
  recordFlowRun(run: NewFlowRun): number {
    return this.#write(() => addFlowRun(this.#database, run));
  }

  /** In the plan's order. */
  fetchCellsOf(sweep: number): FetchCell[] {
    return readFetchCells(this.#read, sweep);
  }

  /** Every attempt in the order in which they ended. */
  fetchesOf(sweep: number): StoredFetch[] {
    return readFetches(this.#read, sweep);
  }

  /** Stores one attempt at a fetch, whole or not at all; returns its number. */
  recordFetch(fetch: NewFetch): number {
    return this.#write(() => addFetch(this.#database, fetch));
  }

  /** Of an instrument that has no tables of its own, in the plan's order. */
  measuredCellsOf(sweep: number): MeasuredCell[] {
    return readMeasuredCells(this.#read, sweep);
  }

  /** Every attempt in the order in which they ended. `Document`: its instrument's record. */
  measuredRunsOf<Document extends object>(sweep: number): MeasuredRun<Document>[] {
    return readMeasuredRuns(this.#read, sweep);
  }

  /** Stores one attempt at a run, whole or not at all; returns its number. */
  recordMeasuredRun(run: NewMeasuredRun): number {
    return this.#write(() => addMeasuredRun(this.#database, run));
  }

  /** Stores a filmed load of a cell whole or not at all. */
  recordFilm(film: NewFilm): void {
    this.#write(() => addFilm(this.#database, film));
  }

  /** Notes who runs cells of a sweep, where it is not noted yet. UserError where another machine has its name. */
  recordHost(sweep: number, host: NewHost): void {
    this.#write(() => {
      this.#refuseOtherMachine(sweep, host);
      addHost(this.#database, sweep, host);
    });
  }

  /** By page, to which moment the clock of the sweep's loads is set; null: it is left as it is. Without those undecided. */
  pinningsOf(sweep: number): Map<string, number | null> {
    return pinningsOf(this.#read(pinningQuery, sweep));
  }

  recordPinning(sweep: number, page: string, moment_ms: number | null): void {
    this.#write(() => addPinning(this.#database, sweep, page, moment_ms));
  }

  /** What a trial load showed of a recording; null: it was not tried. */
  trialOf(recording_digest: string): RecordingTrial | null {
    const rows = this.#read("SELECT moment, outside FROM recording_trial WHERE recording_digest = ?", recording_digest);
    return recordingTrialOf(rows[0]);
  }

  recordTrial(recording_digest: string, trial: RecordingTrial): void {
    this.#write(() => addRecordingTrial(this.#database, recording_digest, trial));
  }

  recordLinkTest(sweep: number, machine: string, test: SelftestLink): void {
    this.#write(() => {
      this.#database
        .prepare("INSERT OR REPLACE INTO link_test (sweep, machine, link, measured_at, test) VALUES (?, ?, ?, ?, ?)")
        .run(sweep, machine, test.link, new Date().toISOString(), JSON.stringify(test));
    });
  }

  /** All is measured. It stays this process's until its report is written (`release`): killed in between, it is resumed. */
  finishSweep(sweep: number): void {
    this.#write(() => {
      this.#database
        .prepare("UPDATE sweep SET finished_at = coalesce(finished_at, ?) WHERE id = ?")
        .run(new Date().toISOString(), sweep);
    });
  }

  /** Not finished, or killed before its report. */
  #isToResume(sweep: AnySweep): boolean {
    if (sweep.finished_at === null) return true;
    const owner = this.#ownerOf(sweep.id);
    return owner !== null && stateOf(owner) === "dead";
  }

  /**
   * Removes sweeps with their loads, all or none; resolves when their room in the file is free for others. Rejects with a UserError
   * for one that is not there or is being run. `longest_ms`: see removeHidden.
   */
  async removeSweeps(sweeps: readonly number[], longest_ms?: number): Promise<void> {
    try {
      hideSweeps(this.#database, () => {
        for (const sweep of sweeps) this.#claim(sweep);
        return sweeps;
      });
    } catch (error) {
      throw explainFailure(error, this.#path, this.remedies);
    }
    try {
      await removeHidden(this.#database, longest_ms);
    } catch (error) {
      // They are gone; the next removal takes what is left of them.
      if (!isLocked(error)) throw explainFailure(error, this.#path, this.remedies);
    }
  }

  close(): void {
    this.#database.close();
  }

  /** Its number. */
  #addSweepRow(asked: Omit<NewSweep, "plan" | "cells"> & { readonly plan: object }, kind: AnySweep["kind"]): number {
    const { lastInsertRowid } = this.#database
      .prepare(
        `INSERT INTO sweep (name, plan, plan_digest, created_at, seed, command, environment, owner, kind)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        asked.name,
        JSON.stringify(asked.plan),
        asked.plan_digest,
        new Date().toISOString(),
        asked.seed,
        JSON.stringify(asked.command),
        JSON.stringify(asked.environment),
        JSON.stringify(thisProcess()),
        kind,
      );
    return Number(lastInsertRowid);
  }

  #addSweep(asked: NewSweep): Sweep {
    const id = this.#addSweepRow(asked, "pages");
    const insert = this.#database.prepare(
      "INSERT INTO cell (sweep, page, recording_digest, lane, link, link_profile) VALUES (?, ?, ?, ?, ?, ?)",
    );
    for (const cell of asked.cells) {
      const profile = JSON.stringify(cell.link_profile);
      insert.run(id, cell.page, cell.recording_digest, cell.lane, cell.link, profile);
    }
    return this.sweep(id);
  }

  /** A dead runner's place is taken. */
  #claim(sweep: number): void {
    const owner = this.#ownerOf(sweep);
    const state = owner ? stateOf(owner) : "dead";
    if (owner && (state === "alive" || state === "this")) {
      throw new SweepRunsError(`sweep ${sweep} is being run by process ${owner.pid}: wait for it, or stop it first`);
    }
    if (owner && state === "unknown") {
      throw new SweepRunsError(
        `sweep ${sweep} is being run by process ${owner.pid} of another container: wait for it, or ${this.remedies.again}`,
      );
    }
    this.#database.prepare("UPDATE sweep SET owner = ? WHERE id = ?").run(JSON.stringify(thisProcess()), sweep);
  }

  #refuseOtherMachine(sweep: number, host: NamedHost): void {
    refuseOtherMachine(this.hostsOf(sweep), host, this.#path);
  }

  #refuseChangedRecordings(sweep: Sweep, asked: NewSweep): void {
    const now = new Map(asked.cells.map((cell) => [cell.page, cell.recording_digest]));
    for (const { page, recording_digest: before } of this.cellsOf(sweep.id)) {
      const after = now.get(page);
      if (after === before && isOneDevice(page, sweep.environment, asked.environment)) continue;
      if (after === before)
        throw new UserError(
          `recording ${page} is for another device than when sweep ${sweep.id} began: import or record it for that one, or ${this.remedies.again}`,
        );
      throw new UserError(
        `recording ${page} has changed since sweep ${sweep.id} began (${before.slice(0, 12)}, now ${after?.slice(0, 12)}): ` +
          `bring the earlier one back, or ${this.remedies.again}`,
      );
    }
  }

  #ownerOf(sweep: number): Owner | null {
    const row = this.#database.prepare("SELECT owner FROM sweep WHERE id = ?").get(sweep);
    if (!row) throw new UserError(`no sweep ${sweep} in ${this.#path}: see \`trilane list\``);
    return row.owner === null ? null : parseOwner(String(row.owner));
  }

  readonly #read = (query: string, ...values: (string | number)[]): Row[] => {
    try {
      return this.#database.prepare(query).all(...values);
    } catch (error) {
      throw explainFailure(error, this.#path, this.remedies);
    }
  };

  #write<Result>(work: () => Result): Result {
    try {
      const write = () => inTransaction(this.#database, work);
      return this.#writeWait_ms === null ? write() : withBusyTimeout(this.#database, this.#writeWait_ms, write);
    } catch (error) {
      // After ten seconds, as other statements wait, it is not waited for any more.
      if (this.#writeWait_ms !== null && isLocked(error)) throw new LockedError(lockedLine(this.#path));
      throw explainFailure(error, this.#path, this.remedies);
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
