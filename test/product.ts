// The product as a child process: what it prints, its events, what its labs run and keep. Judges nothing but that an event is one.
import { type ChildProcess, type SpawnOptions, type SpawnSyncOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { SweepEvent } from "../schemas/generated/sweep_event.ts";
import { schemaErrors } from "./schemas/schema_errors.ts";

export const trilane = join(import.meta.dirname, "..", "cli", "trilane");

export interface Ended {
  readonly status: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Those so far. */
  readonly events: readonly SweepEvent[];
  /** @throws Error if it ends before. */
  until(what: string, holds: () => boolean): Promise<void>;
  readonly ended: Promise<Ended>;
}

function eventOf(line: string): SweepEvent {
  const event = JSON.parse(line) as SweepEvent;
  const fault = schemaErrors("sweep-event", event);
  if (fault !== null) throw new Error(`an event that is none: ${fault}`);
  return event;
}

/** Of a command with --json: its lines, the last one if it is whole. */
const eventsIn = (stdout: string): SweepEvent[] =>
  stdout
    .split("\n")
    .slice(0, -1)
    .filter((line) => line.startsWith('{"event":'))
    .map(eventOf);

const environmentOf = (home: string, more: NodeJS.ProcessEnv = {}) => ({ ...process.env, TRILANE_HOME: home, ...more });

/**
 * The data folder by `--home` in place of TRILANE_HOME, which every child inherits: whether the product passes the option on shows only
 * so. What does not get it works in `elsewhere`.
 */
export const homeByOption = (home: string) => ({
  words: ["--home", home],
  env: { TRILANE_HOME: undefined, XDG_DATA_HOME: join(home, "elsewhere") },
  elsewhere: join(home, "elsewhere", "trilane"),
});

/** Starts the command line in a process group of its own, as a shell does. */
export function start(home: string, words: readonly string[], options: SpawnOptions = {}): Started {
  const env = environmentOf(home, options.env);
  const child = spawn(trilane, words, { stdio: ["ignore", "pipe", "pipe"], detached: true, ...options, env });
  let [stdout, stderr] = ["", ""];
  let read = 0;
  const events: SweepEvent[] = [];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    const end = stdout.lastIndexOf("\n") + 1;
    events.push(...eventsIn(stdout.slice(read, end)));
    read = Math.max(read, end);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = once(child, "close").then(([status, signal]) => ({ status, signal, stdout, stderr }));
  const until = async (what: string, holds: () => boolean): Promise<void> => {
    while (!holds()) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`it ended before this: ${what}\n${(await ended).stderr}`);
      await delay(5);
    }
  };
  return { child, pid: Number(child.pid), events, until, ended };
}

interface RunOptions extends Pick<SpawnSyncOptions, "cwd" | "env" | "input"> {
  /** What starts it. */
  readonly around?: readonly string[];
}

/** Runs it to its end, whatever it prints. */
export function output(
  home: string,
  words: readonly string[],
  { around = [], ...options }: RunOptions = {},
): Ended & { readonly pid: number } {
  const [program = "", ...rest] = [...around, trilane, ...words];
  const env = environmentOf(home, options.env);
  return spawnSync(program, rest, { maxBuffer: 1e8, ...options, encoding: "utf8", env });
}

/** The same of a command that prints events with --json. */
export function run(home: string, words: readonly string[], options: RunOptions = {}) {
  const ended = output(home, words, options);
  return { ...ended, events: eventsIn(ended.stdout) };
}

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly commandLine: string;
  /** With the number, one process and no other. */
  readonly start_ticks: string;
}

/** All that run, by their numbers. */
export function processes(): Map<number, Process> {
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

/** Those whose command line matches. */
export const running = (words: RegExp): Process[] =>
  [...processes().values()].filter(({ commandLine }) => words.test(commandLine));

/** A process and all that descend from it, as far as they live. */
export function familyOf(root: number): Process[] {
  const all = processes();
  const belongs = (process: Process | undefined): boolean =>
    process !== undefined && (process.pid === root || belongs(all.get(process.parent)));
  return [...all.values()].filter(belongs);
}

/** Of a command line's labs: each has in its command line the folder that is named after our process. */
export const labProcesses = (pid: number): Process[] => running(new RegExp(`/trilane-[a-z]+-${pid}-`));

/** Those that a command line made for itself, wherever these are made. */
export function labFolders(pid: number): string[] {
  const isIts = new RegExp(`^trilane-[a-z]+-${pid}-`);
  return ["/dev/shm", tmpdir()].filter(existsSync).flatMap((parent) =>
    readdirSync(parent)
      .filter((name) => isIts.test(name))
      .map((name) => join(parent, name)),
  );
}

/** Those of them that still live after some patience: what a killed process leaves ends a moment later. */
export async function living(seen: readonly Process[], patience_ms = 30_000): Promise<Process[]> {
  const end_ms = performance.now() + patience_ms;
  for (;;) {
    const now = processes();
    const left = seen.filter(({ pid, start_ticks }) => now.get(pid)?.start_ticks === start_ticks);
    if (left.length === 0 || performance.now() >= end_ms) return left;
    await delay(50);
  }
}
