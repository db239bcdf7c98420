// A sweep whose processes are killed with -9 at random moments until so many kills were made, and which then runs to its
// end: what is stored, what still runs, what lies about. The runner is started again whenever it has died. Judges nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { randomSource } from "../../cli/base/random.ts";
import { resultsPath } from "../../cli/results/store/database.ts";
import { type Load, openResults, type Sweep } from "../../cli/results/store/results.ts";
import { planOf } from "../../cli/sweep/plan/plan.ts";
import { anyTolerance } from "./untimed_load.ts";

const trilane = join(import.meta.dirname, "..", "..", "cli", "trilane");

/** `all` is what a power cut does to processes: the runner, the lab and the browser at once. */
export const victims = ["runner", "browser", "shaper", "server", "all"] as const;
export type Victim = (typeof victims)[number];

export interface KilledSweep {
  readonly home: string;
  readonly kills: number;
  readonly repetitions: number;
  /** Decides whom a kill meets and when. */
  readonly seed: number;
  /** Between two kills, at most. */
  readonly pause_ms: number;
  readonly say?: (line: string) => void;
}

export interface KilledSweepOutcome {
  readonly kills: Readonly<Record<Victim, number>>;
  /** How often the command line was run. */
  readonly runs: number;
  readonly sweeps: readonly Sweep[];
  readonly loads: readonly Load[];
  /** Planned: cells x repetitions. */
  readonly planned: number;
  /** What SQLite's integrity_check and foreign_key_check say. */
  readonly integrity: string;
  /** Processes of any of the runs that still live, and folders of theirs that are still there. */
  readonly left: readonly string[];
  /** What the runs that were not killed said and ended with, where it was not 0. */
  readonly failures: readonly string[];
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly commandLine: string;
  /** With the number, one process and no other. */
  readonly start_ticks: string;
}

function processes(): Map<number, Process> {
  const found = new Map<number, Process>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (fields[0] === "Z" || fields[0] === "X") continue;
      const commandLine = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
      const pid = Number(name);
      found.set(pid, { pid, parent: Number(fields[1]), commandLine, start_ticks: fields[19] ?? "" });
    } catch {
      // It ended meanwhile.
    }
  }
  return found;
}

/** A process and all that descends from it, as far as they live. */
function familyOf(root: number): Process[] {
  const all = processes();
  const belongs = (process: Process | undefined): boolean =>
    process !== undefined && (process.pid === root || belongs(all.get(process.parent)));
  return [...all.values()].filter(belongs);
}

const programOf: Record<Exclude<Victim, "runner" | "all">, RegExp> = {
  browser: /^\S*chrom\S* (?!.*--type=)/,
  shaper: /^\S*trilane-shaper /,
  server: /^\S*trilane-replay /,
};

function chosen(victim: Victim, family: readonly Process[], runner: number): Process[] {
  if (victim === "all") return [...family];
  if (victim === "runner") return family.filter(({ pid }) => pid === runner);
  // Not the process that another program's name is an argument of, and not the one between fork and exec.
  return family.filter(({ commandLine }) => programOf[victim].test(commandLine));
}

function isFinished(home: string): boolean {
  const results = openResults(home);
  try {
    return results.listSweeps()[0]?.finished_at != null;
  } finally {
    results.close();
  }
}

/** Each folder that one of the runs made for itself, wherever these are made. */
function foldersOf(runners: ReadonlySet<number>): string[] {
  return ["/dev/shm", tmpdir()].flatMap((parent) =>
    readdirSync(parent)
      .filter((name) => runners.has(Number(/^trilane-[a-z]+-(\d+)-/.exec(name)?.[1])))
      .map((name) => join(parent, name)),
  );
}

function integrityOf(home: string): string {
  const database = new DatabaseSync(resultsPath(home), { readOnly: true });
  try {
    const rows = ["integrity_check", "foreign_key_check"].flatMap((name) => database.prepare(`PRAGMA ${name}`).all());
    return rows.map((row) => Object.values(row).join(" ")).join("; ");
  } finally {
    database.close();
  }
}

/** What became of the attempts at loads of which none was valid. */
export function storiesOf(loads: readonly Load[]): string[] {
  const places = Map.groupBy(loads, ({ page, link, lane, block }) => `${page} ${link} ${lane} block ${block}`);
  return [...places].flatMap(([place, attempts]) =>
    attempts.some(({ status }) => status === "valid")
      ? []
      : attempts.map(({ attempt, reasons }) => `${place}, attempt ${attempt}: ${reasons.join("; ")}`),
  );
}

/** How many planned loads have not exactly one valid attempt, with what was not planned added. */
export function placesWrong(loads: readonly Load[], planned: number): number {
  const valid = Map.groupBy(
    loads.filter(({ status }) => status === "valid"),
    ({ page, link, lane, block }) => JSON.stringify([page, link, lane, block]),
  );
  const once = [...valid.values()].filter((attempts) => attempts.length === 1).length;
  return Math.abs(planned - once) + (valid.size - once);
}

const patience_ms = 10_000;

/** Runs the command line until the sweep is finished, `kills` processes having been killed on the way. */
export async function killedSweep(options: KilledSweep): Promise<KilledSweepOutcome> {
  const { home, repetitions, seed, pause_ms, say = () => undefined } = options;
  const plan = {
    name: "killed",
    pages: [{ synth: "object-10kB" }],
    lanes: ["h1", "h2", "h3"],
    links: ["20mbit/10ms"],
    repetitions,
    // A load may be shot down many times; how often is not what is asked here.
    retries: 20,
    tolerance: anyTolerance,
  };
  const planFile = join(home, "plan.json");
  writeFileSync(planFile, JSON.stringify(plan));
  const random = randomSource(seed, "kills");
  const counts: Record<Victim, number> = { runner: 0, browser: 0, shaper: 0, server: 0, all: 0 };
  const made = (): number => Object.values(counts).reduce((sum, count) => sum + count, 0);
  const seen = new Map<string, Process>();
  const runners = new Set<number>();
  const failures: string[] = [];
  let stored = 0;

  do {
    const child = spawn(trilane, ["sweep", planFile, "--json", "--home", home], {
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const runner = Number(child.pid);
    runners.add(runner);
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (/"load-finished".*"status":"valid"/.test(line)) stored++;
    });
    const closed = once(child, "close");
    const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
    while (!isOver() && made() < options.kills) {
      // Every second kill comes after a load was stored: on a slow machine one load alone would meet them all.
      for (const before = stored; made() % 2 === 1 && stored === before && !isOver(); ) await delay(5);
      await delay(random() * pause_ms);
      // Each is met as often as the others, so it is awaited where there is none in this moment.
      const victim = victims[made() % victims.length] as Victim;
      let met: Process[] = [];
      while (!isOver() && met.length === 0) {
        const family = familyOf(runner);
        for (const process of family) seen.set(`${process.pid} ${process.start_ticks}`, process);
        met = chosen(victim, family, runner);
        if (met.length === 0) await delay(3);
      }
      if (isOver() || met.length === 0) break;
      for (const { pid } of met) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It ended by itself, or with another one.
        }
      }
      counts[victim]++;
      if (made() % 10 === 0) say(`${made()} kills, ${runners.size} runs`);
      if (victim === "runner" || victim === "all") break;
    }
    const [status, signal] = await closed;
    if (status !== 0 && signal !== "SIGKILL") failures.push(`exit status ${status}: ${said.trim()}`);
  } while (!isFinished(home) && failures.length <= options.kills);

  const end_ms = performance.now() + patience_ms;
  const living = (): string[] => {
    const now = processes();
    return [...seen.values()]
      .filter(({ pid, start_ticks }) => now.get(pid)?.start_ticks === start_ticks)
      .map(({ pid, commandLine }) => `process ${pid}: ${commandLine.slice(0, 100)}`);
  };
  while (living().length > 0 && performance.now() < end_ms) await delay(50);
  const results = openResults(home);
  try {
    const sweeps = results.listSweeps();
    const loads = sweeps.flatMap(({ id }) => results.loadsOf(id));
    const planned = results.cellsOf(sweeps[0]?.id ?? 0).length * planOf(plan, "killed").repetitions;
    const left = [...living(), ...foldersOf(runners)];
    return { kills: counts, runs: runners.size, sweeps, loads, planned, integrity: integrityOf(home), left, failures };
  } finally {
    results.close();
  }
}
