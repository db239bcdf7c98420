// The one owner of HOME/results.db: its connection, and sweeps of every kind as they begin, are resumed, finish and are removed, with
// their machines and link tests, each write one transaction. What a kind's cells and attempts hold stands beside it: of pages in results.ts, of
// instruments in their rooms, by `read` and `write`. Decides nothing about which attempt comes next (cli/sweep).
import type { DatabaseSync } from "node:sqlite";
import type { SelftestLink } from "../../../schemas/generated/selftest.ts";
import { LockedError, UserError } from "../../base/errors.ts";
import { type Owner, parseOwner, stateOf, thisProcess } from "../../base/process_owner.ts";
import { shellWord } from "../../base/shell_word.ts";
import { type AddedCell, type Attempt, addCells, attemptsQuery, countAttempts, readCells } from "./attempt_rows.ts";
import { explainFailure, isLocked, lockedLine, type Remedies } from "./failure.ts";
import { addHost, type Host, type NamedHost, type NewHost, readHosts, refuseOtherMachine } from "./hosts.ts";
import { hideSweeps, removeHidden } from "./remove_rows.ts";
import { storedJson } from "./stored_json.ts";
import {
  type AnySweep,
  anySweepOf,
  type CellLink,
  type LinkTest,
  type NewSweepFacts,
  type Row,
  type SweepKind,
  type SweepProgress,
  sweepColumns,
} from "./sweep_rows.ts";
import { inTransaction, withBusyTimeout } from "./transaction.ts";

/** Another process is at work on the sweep. */
export class SweepRunsError extends UserError {}

export interface BegunSweep<Kind extends AnySweep> {
  readonly sweep: Kind;
  /** It was there, unfinished. */
  readonly resumed: boolean;
}

/** A sweep of one kind that is to begin. */
export interface AddedSweep<Kind extends AnySweep> extends NewSweepFacts {
  readonly kind: Kind["kind"];
  readonly plan: Kind["plan"];
  /** In the plan's order. */
  readonly addedCells: readonly AddedCell[];
  /** UserError if what an unfinished one began with is not what there is now. */
  readonly refuseChanged?: (unfinished: Kind) => void;
}

export class SweepStore {
  readonly #database: DatabaseSync;

  /** For errors. */
  readonly path: string;

  readonly remedies: Remedies;

  /** How long one write waits for another process's; null: as long as reads do. */
  readonly #writeWait_ms: number | null;

  constructor(database: DatabaseSync, path: string, remedies: Remedies, writeWait_ms: number | null = null) {
    this.#database = database;
    this.path = path;
    this.remedies = remedies;
    this.#writeWait_ms = writeWait_ms;
  }

  /** Rows, for the questions of one kind of sweep. */
  readonly read = (query: string, ...values: (string | number)[]): Row[] => {
    try {
      return this.#database.prepare(query).all(...values);
    } catch (error) {
      throw explainFailure(error, this.path, this.remedies);
    }
  };

  /** In one transaction: all of `work` or nothing. */
  write<Result>(work: (database: DatabaseSync) => Result): Result {
    try {
      const write = () => inTransaction(this.#database, () => work(this.#database));
      return this.#writeWait_ms === null ? write() : withBusyTimeout(this.#database, this.#writeWait_ms, write);
    } catch (error) {
      // After ten seconds, as other statements wait, it is not waited for any more.
      if (this.#writeWait_ms !== null && isLocked(error)) throw new LockedError(lockedLine(this.path));
      throw explainFailure(error, this.path, this.remedies);
    }
  }

  /** All sweeps, of whichever kind, the newest first. */
  listAllSweeps(): AnySweep[] {
    return this.read(`SELECT ${sweepColumns} FROM sweep ORDER BY id DESC`).map(anySweepOf);
  }

  /** Counted without reading loads or runs. */
  progressOf(sweep: AnySweep): SweepProgress {
    const counted = countAttempts(this.read, sweep.id);
    const owner = this.#ownerOf(sweep.id);
    return {
      ...counted,
      planned: counted.cells * sweep.plan.repetitions,
      running: owner !== null && stateOf(owner) !== "dead",
    };
  }

  /** Of any kind. UserError if there is none of that number. */
  anySweep(id: number): AnySweep {
    const [row] = this.read(`SELECT ${sweepColumns} FROM sweep WHERE id = ?`, id);
    if (!row) throw new UserError(`no sweep ${id} in ${this.path}: see \`trilane list\``);
    return anySweepOf(row);
  }

  /** UserError if there is none of that number, or it is of another kind. */
  sweepOf<Sweep extends AnySweep>({ kind, holds }: SweepKind<Sweep>, id: number): Sweep {
    const sweep = this.anySweep(id);
    if (isOf<Sweep>(kind, sweep)) return sweep;
    throw new UserError(`sweep ${id} has ${sweep.kind} and no ${holds}: name one that has (see \`trilane list\`)`);
  }

  /** Of a plan; null: the newest is of another kind, or there is none. */
  newestOf<Sweep extends AnySweep>({ kind }: Pick<SweepKind<Sweep>, "kind">, plan_digest: string): Sweep | null {
    const [row] = this.read(
      `SELECT ${sweepColumns} FROM sweep WHERE plan_digest = ? ORDER BY id DESC LIMIT 1`,
      plan_digest,
    );
    const newest = row ? anySweepOf(row) : null;
    return newest && isOf<Sweep>(kind, newest) ? newest : null;
  }

  /**
   * The newest sweep of a plan if that one is unfinished: what the same command resumes. A finished one whose runner cannot be seen from here
   * is one, too: `begin` then says that it may still be run, and does not measure all of it again.
   */
  unfinishedOf<Sweep extends AnySweep>(kind: Pick<SweepKind<Sweep>, "kind">, plan_digest: string): Sweep | null {
    const newest = this.newestOf(kind, plan_digest);
    return newest && this.#isToResume(newest, ["dead", "unknown"]) ? newest : null;
  }

  /** A sweep that is seen to be run at this moment, on this machine; null: none, so far as can be seen. */
  runningSweep(): { readonly sweep: number; readonly pid: number } | null {
    for (const { id, owner } of this.read("SELECT id, owner FROM sweep WHERE owner IS NOT NULL ORDER BY id")) {
      const its = parseOwner(String(owner));
      if (stateOf(its) === "alive") return { sweep: Number(id), pid: its.pid };
    }
    return null;
  }

  /** The links of a sweep's cells, in the plan's order. */
  cellLinksOf({ id: sweep }: AnySweep): CellLink[] {
    return readCells(this, ["id", "link", "link_profile"], sweep);
  }

  /** Every attempt of a sweep in the order in which they ended, without what it left. */
  attemptsOf({ id }: AnySweep): Attempt[] {
    return this.read(attemptsQuery, id) as unknown as Attempt[];
  }

  /** In the order of measuring. */
  linkTestsOf(sweep: number): LinkTest[] {
    return this.read(
      "SELECT machine, measured_at, test FROM link_test WHERE sweep = ? ORDER BY measured_at, rowid",
      sweep,
    ).map((row) => ({
      machine: String(row.machine),
      measured_at: String(row.measured_at),
      test: storedJson(row.test, "link_test.test") as SelftestLink,
    }));
  }

  recordLinkTest(sweep: number, machine: string, test: SelftestLink): void {
    this.write((database) => {
      database
        .prepare("INSERT OR REPLACE INTO link_test (sweep, machine, link, measured_at, test) VALUES (?, ?, ?, ?, ?)")
        .run(sweep, machine, test.link, new Date().toISOString(), JSON.stringify(test));
    });
  }

  /** Who ran which cells, by name; none if that was not noted. */
  hostsOf(sweep: number): Host[] {
    return readHosts((query) => this.read(query, sweep));
  }

  /** Notes who runs cells of a sweep, if it is not noted yet. UserError if another machine has its name. */
  recordHost(sweep: number, host: NewHost): void {
    this.write((database) => {
      this.#refuseOtherMachine(sweep, host);
      addHost(database, sweep, host);
    });
  }

  /** The digest of the recording that all cells of a sweep are of; null: they are of none, or of several, or it was not noted. */
  recordingOf(sweep: number): string | null {
    const rows = this.read("SELECT DISTINCT recording_digest AS digest FROM cell WHERE sweep = ?", sweep);
    const [{ digest = null } = {}, ...others] = rows;
    return digest === null || others.length > 0 ? null : String(digest);
  }

  /** What SQLite finds wrong with the file; null: nothing. Reads all of it. */
  damage(): string | null {
    const [row] = this.read("PRAGMA quick_check(1)");
    const found = String(row?.quick_check);
    return found === "ok" ? null : found;
  }

  /**
   * Resumes the plan's unfinished sweep, or adds a new one; either way this process is then its one runner.
   * UserError while another runner lives, and what `refuseChanged` throws.
   */
  begin<Kind extends AnySweep>(added: AddedSweep<Kind>, fresh: boolean): BegunSweep<Kind> {
    return this.write((database) =>
      this.#begin(database, added, fresh ? null : this.unfinishedOf<Kind>(added, added.plan_digest)),
    );
  }

  /** As begin; null if the plan's newest sweep is finished, also by another process a moment ago. */
  beginOnce<Kind extends AnySweep>(added: AddedSweep<Kind>): BegunSweep<Kind> | null {
    return this.write((database) => {
      const newest = this.newestOf<Kind>(added, added.plan_digest);
      return newest && !this.#isToResume(newest, ["dead"]) ? null : this.#begin(database, added, newest);
    });
  }

  #begin<Kind extends AnySweep>(
    database: DatabaseSync,
    added: AddedSweep<Kind>,
    unfinished: AnySweep | null,
  ): BegunSweep<Kind> {
    if (!unfinished) {
      const id = addSweepRow(database, added);
      addCells(database, id, added);
      return { sweep: this.anySweep(id) as Kind, resumed: false };
    }
    if (added.host) this.#refuseOtherMachine(unfinished.id, added.host);
    this.#claim(unfinished.id);
    added.refuseChanged?.(unfinished as Kind);
    setTimeLimit(database, unfinished, added.plan.time_limit_s);
    return { sweep: this.anySweep(unfinished.id) as Kind, resumed: true };
  }

  /** Gives the sweep up, so that another process may resume it. */
  release(sweep: number): void {
    this.write((database) => {
      const owner = this.#ownerOf(sweep);
      if (owner && stateOf(owner) === "this") database.prepare("UPDATE sweep SET owner = NULL WHERE id = ?").run(sweep);
    });
  }

  /** All is measured. It stays this process's until its report is written (`release`): killed in between, it is resumed. */
  finishSweep(sweep: number): void {
    this.write((database) => {
      database
        .prepare("UPDATE sweep SET finished_at = coalesce(finished_at, ?) WHERE id = ?")
        .run(new Date().toISOString(), sweep);
    });
  }

  /** Not finished, or killed before its report: its runner is then in one of these states. */
  #isToResume(sweep: AnySweep, runners: readonly ReturnType<typeof stateOf>[]): boolean {
    if (sweep.finished_at === null) return true;
    const owner = this.#ownerOf(sweep.id);
    return owner !== null && runners.includes(stateOf(owner));
  }

  /**
   * Removes sweeps with their loads, all or none; resolves when their room in the file is free for others. Rejects with a UserError
   * for one that is not there or is being run. `longest_ms`: see removeHidden.
   */
  async removeSweeps(sweeps: readonly number[], longest_ms?: number): Promise<void> {
    try {
      hideSweeps(this.#database, () => {
        for (const sweep of sweeps) this.#claim(sweep, "stop it there");
        return sweeps;
      });
    } catch (error) {
      throw explainFailure(error, this.path, this.remedies);
    }
    try {
      await removeHidden(this.#database, longest_ms);
    } catch (error) {
      // They are gone; the next removal takes what is left of them.
      if (!isLocked(error)) throw explainFailure(error, this.path, this.remedies);
    }
  }

  close(): void {
    this.#database.close();
  }

  /** For `using`: closed at the end of a block, whatever ends it. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** A dead runner's place is taken. `otherwise`: what to do about one that cannot be seen. */
  #claim(sweep: number, otherwise = this.remedies.again): void {
    const owner = this.#ownerOf(sweep);
    const state = owner ? stateOf(owner) : "dead";
    if (owner && (state === "alive" || state === "this")) {
      throw new SweepRunsError(`sweep ${sweep} is being run by process ${owner.pid}: wait for it, or stop it first`);
    }
    if (owner && state === "unknown") {
      throw new SweepRunsError(
        `sweep ${sweep} is being run by process ${owner.pid} of another container: wait for it, or ${otherwise}; ${this.#ifEnded(sweep)}`,
      );
    }
    this.#database.prepare("UPDATE sweep SET owner = ? WHERE id = ?").run(JSON.stringify(thisProcess()), sweep);
  }

  /** What to do if a runner that cannot be seen from here has ended: ended_owners.ts finds that out only of a write-ahead log, by its locks. */
  #ifEnded(sweep: number): string {
    if (this.read("PRAGMA journal_mode")[0]?.journal_mode === "wal")
      return `if it has ended, close what else has ${this.path} open, and try again`;
    const release = `UPDATE sweep SET owner = NULL WHERE id = ${sweep}`;
    return `if it has ended, give the sweep up in its place: sqlite3 ${shellWord(this.path)} '${release}'`;
  }

  #refuseOtherMachine(sweep: number, host: NamedHost): void {
    refuseOtherMachine(this.hostsOf(sweep), host, this.path);
  }

  #ownerOf(sweep: number): Owner | null {
    const [row] = this.read("SELECT owner FROM sweep WHERE id = ?", sweep);
    if (!row) throw new UserError(`no sweep ${sweep} in ${this.path}: see \`trilane list\``);
    return row.owner === null ? null : parseOwner(String(row.owner));
  }
}

const isOf = <Sweep extends AnySweep>(kind: Sweep["kind"], sweep: AnySweep): sweep is Sweep => sweep.kind === kind;

/** Its number. */
function addSweepRow(
  database: DatabaseSync,
  {
    kind,
    name,
    plan,
    plan_digest,
    seed,
    command,
    environment,
  }: Omit<AddedSweep<AnySweep>, "addedCells" | "refuseChanged" | "recording_digest">,
): number {
  const statement = database.prepare(
    `INSERT INTO sweep (name, plan, plan_digest, created_at, seed, command, environment, owner, kind)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const words = [JSON.stringify(command), JSON.stringify(environment), JSON.stringify(thisProcess())] as const;
  const begun = new Date().toISOString();
  return Number(statement.run(name, JSON.stringify(plan), plan_digest, begun, seed, ...words, kind).lastInsertRowid);
}

/** What a plan's attempts may take is no part of what it is: whoever resumes it may give it more time. */
function setTimeLimit(database: DatabaseSync, { id, plan }: AnySweep, time_limit_s: number | undefined): void {
  if (plan.time_limit_s === time_limit_s) return;
  const statement = database.prepare("UPDATE sweep SET plan = ? WHERE id = ?");
  statement.run(JSON.stringify({ ...plan, time_limit_s }), id);
}
