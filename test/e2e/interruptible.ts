// A plan of each instrument that takes seconds, its rows, and the programs of which an attempt consists: what is interrupted, killed and
// resumed. Judges nothing.
import { DatabaseSync } from "node:sqlite";
import { measuredRunsOf } from "../../cli/instruments/command/store/measured_runs.ts";
import { fetchesOf } from "../../cli/instruments/fetch/store/fetch_runs.ts";
import { flowRunsOf } from "../../cli/instruments/flows/store/flow_runs.ts";
import { resultsPath } from "../../cli/results/store/database.ts";
import { type AnySweep, openResults, type Results } from "../../cli/results/store/results.ts";
import type { SweepEvent } from "../../schemas/generated/sweep_event.ts";
import type { LocalServers } from "../fetch/local_servers.ts";
import { anyTolerance } from "./untimed_load.ts";

export interface Row {
  readonly id: number;
  readonly position: number;
  readonly attempt: number;
  readonly status: string;
  readonly reasons: readonly string[];
}

export interface Interruptible {
  readonly plan: (repetitions: number) => object;
  /** Attempts of a repetition. */
  readonly each: number;
  /** Further options of a run that is stopped and resumed. */
  readonly words?: readonly string[];
  /** Programs of which an attempt cannot lose one, by their command lines. */
  readonly parts: Readonly<Record<string, RegExp>>;
  readonly rows: (results: Results, sweep: number) => readonly Row[];
}

export const isBegun = ({ event }: SweepEvent): boolean => /^(load|flow-run|fetch|command)-started$/.test(event);
export const isEnded = ({ event }: SweepEvent): boolean => /^(load|flow-run|fetch|command)-finished$/.test(event);

/** How often it may be shot down is not what is tested. */
const terms = { retries: 20, tolerance: anyTolerance };

export const interruptibles = {
  pages: {
    plan: (repetitions) => ({
      ...{ ...terms, name: "pages", pages: [{ synth: "object-10kB" }], lanes: ["h1", "h2", "h3"] },
      ...{ links: ["20mbit/10ms"], repetitions },
    }),
    each: 3,
    // Not the process that another program's name is an argument of, and not the one between fork and exec.
    parts: {
      browser: /^\S*chrom\S* (?=.*--user-data-dir)(?!.*--type=)/,
      shaper: /^\S*trilane-shaper /,
      server: /^\S*trilane-replay /,
    },
    rows: (results, sweep) => results.loadsOf(sweep),
  },
  flows: {
    plan: (repetitions) => ({
      ...{ ...terms, name: "flows", links: ["20mbit/20ms"], for_s: 1, repetitions },
      mixes: [{ flows: ["tcp:cubic", "tcp:reno@200ms"] }],
    }),
    each: 1,
    parts: {
      near: /^\S*trilane-flows near /,
      shaper: /^\S*trilane-shaper /,
      far: /^\S*trilane-flows far /,
    },
    rows: flowRunsOf,
  },
  commands: {
    plan: (repetitions) => ({
      ...{ name: "commands", repetitions },
      commands: ["0.2716", "0.2717"].map((time_s) => ({ name: time_s, words: ["sleep", time_s] })),
    }),
    each: 2,
    // One that is killed has failed, as it may by itself.
    parts: {},
    rows: measuredRunsOf,
  },
} satisfies Readonly<Record<string, Interruptible>>;

/** Over links so slow that their runs go side by side; a second flow might not connect in time. */
export const flowsBeside: Interruptible = {
  ...interruptibles.flows,
  plan: (repetitions) => ({
    ...{ ...interruptibles.flows.plan(repetitions), links: ["1mbit/20ms", "1mbit/10ms"] },
    mixes: [{ flows: ["tcp:cubic"] }],
  }),
  each: 2,
  words: ["--labs", "2"],
};

/** Of objects of a server on loopback, without a lab. */
export const fetchesFrom = ({ url, ca }: LocalServers): Interruptible => ({
  plan: (repetitions) => ({
    ...{ name: "fetches", objects: [0, 1, 2].map((number) => `${url.good}/${number}`), lanes: ["h1"] },
    ...{ pause_ms: 100, ca, repetitions },
  }),
  each: 3,
  parts: {},
  rows: fetchesOf,
});

export interface Stored {
  readonly sweeps: readonly AnySweep[];
  /** Of the oldest sweep. */
  readonly rows: readonly Row[];
  /** What SQLite's integrity_check and foreign_key_check say. */
  readonly integrity: string;
}

export function storedIn(home: string, { rows }: Interruptible): Stored {
  // It makes the database, if what was killed had not.
  using results = openResults(home);
  const database = new DatabaseSync(resultsPath(home), { readOnly: true });
  const checks = ["integrity_check", "foreign_key_check"].flatMap((name) => database.prepare(`PRAGMA ${name}`).all());
  database.close();
  const sweeps = results.listAllSweeps().toSorted((a, b) => a.id - b.id);
  const [oldest] = sweeps;
  return {
    sweeps,
    rows: oldest ? rows(results, oldest.id) : [],
    integrity: checks.map((row) => Object.values(row).join(" ")).join("; "),
  };
}

/** Tasks that have not exactly one valid attempt as their last, and attempts that are missing among a task's, each with its story. */
export function tasksWrong(rows: readonly Row[], tasks: number): string[] {
  const attempts = Map.groupBy(rows, ({ position }) => position);
  return Array.from({ length: Math.max(tasks, ...[...attempts.keys()].map((each) => each + 1)) }, (_, position) => {
    const found = attempts.get(position) ?? [];
    const isWhole =
      position < tasks &&
      found.every(
        ({ attempt, status }, index) => attempt === index && (status === "valid") === (index + 1 === found.length),
      );
    if (isWhole && found.length > 0) return [];
    return [
      `task ${position}: ${found.map(({ attempt, status, reasons }) => `${attempt} ${status} ${reasons.join("; ")}`)}`,
    ];
  }).flat();
}
