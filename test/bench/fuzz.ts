// Each fuzz target from its stored inputs for so many executions: how many there were, how much code they reached, and whether anything was
// found. As many targets at once as there are CPUs. `--runs N`, default ten million for those in C; `--hours H` is the most for one target,
// default an hour; words name targets, `--only PART` those with it in their names.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { UserError } from "../../cli/base/errors.ts";
import { checkout } from "../../cli/base/programs.ts";
import { targets as parsers } from "../fuzz/parsers/targets.ts";
import { corpusOf, watchedFuzz } from "../fuzz/parsers/watched.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

const usualRuns = 10_000_000;

interface Fuzzed {
  readonly executions: number;
  /** libFuzzer's edges, or characters of TypeScript. */
  readonly reached: number;
  /** null: nothing. */
  readonly finding: string | null;
}

const inC = (): string[] => {
  const lists = readFileSync(join(checkout, "test", "fuzz", "CMakeLists.txt"), "utf8");
  return [...lists.matchAll(/^trilane_fuzz\((\w+) /gm)].map(([, name = ""]) => name);
};

/** Its exit status, and what it says. */
function fuzzScript(...words: string[]): Promise<{ readonly status: unknown; readonly said: string }> {
  const options = { cwd: checkout, maxBuffer: 1 << 28 };
  return new Promise((resolve) => {
    execFile("bash", ["test/fuzz/run.sh", ...words], options, (error, _, said) =>
      resolve({ status: error?.code ?? 0, said }),
    );
  });
}

async function build(target: string): Promise<void> {
  const { status, said } = await fuzzScript(target, "--minutes", "0");
  if (status !== 0) throw new Error(said);
}

async function fuzzC(target: string, runs: number, most_s: number): Promise<Fuzzed> {
  const { status, said } = await fuzzScript(target, "--minutes", `${Math.ceil(most_s / 60)}`, "--runs", `${runs}`);
  const number = (pattern: RegExp): number => Number([...said.matchAll(pattern)].at(-1)?.[1] ?? 0);
  return {
    executions: number(/stat::number_of_executed_units: *(\d+)/g),
    reached: number(/ cov: (\d+) /g),
    finding: status === 0 ? null : (/^SUMMARY: .*$/m.exec(said)?.[0] ?? `exit status ${status}`),
  };
}

async function fuzzParser(target: string, most_s: number): Promise<Fuzzed> {
  const folders = [corpusOf(target)];
  const seed = Date.now() % 1e9;
  const fuzzed = await watchedFuzz({ target, folders, time_ms: most_s * 1000, seed, found: null });
  return { executions: fuzzed.executions, reached: fuzzed.characters, finding: fuzzed.finding?.what ?? null };
}

export const bench: Bench = async (say, only, { runs, more, paths }) => {
  const most_s = Math.round(Number(more.hours ?? 1) * 3600);
  const all = [...inC(), ...Object.keys(parsers)];
  const unknown = paths.find((path) => !all.includes(path));
  if (unknown !== undefined) throw new UserError(`no target ${unknown}: name some of ${all.join(", ")}`);
  const names = paths.length > 0 ? paths : all.filter((name) => name.includes(only));
  const count = (name: string, value: number, bar: number | null = null): Measurement =>
    measurement(name, [value], bar, { unit: "times" });
  // Not at once: they share a folder.
  for (const name of names) if (!parsers[name]) await build(name);
  const measured = new Map<string, Measurement[]>();
  const left = [...names];
  const work = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const fuzzed = parsers[name] ? await fuzzParser(name, most_s) : await fuzzC(name, runs ?? usualRuns, most_s);
      const { executions, reached, finding } = fuzzed;
      say(`${name}: ${finding ?? "nothing found"}`);
      measured.set(name, [
        count(`${name}: executions`, executions),
        count(`${name}: ${parsers[name] ? "characters" : "edges"} reached`, reached),
        count(`${name}: inputs stored`, readdirSync(corpusOf(name)).length),
        count(`${name}: findings`, finding === null ? 0 : 1, 0),
      ]);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return names.flatMap((name) => measured.get(name) ?? []);
};
