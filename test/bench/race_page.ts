// One page raced by `trilane race` as a user would, in a data folder, and what came of it: validity, coverage, verdict. Judges
// nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { raceResult } from "../../cli/report/race_result.ts";
import type { Results } from "../../cli/results/store/results.ts";
import { openExistingResults } from "../../cli/results/store/results.ts";
import type { RaceResult } from "../../schemas/generated/race_result.ts";

const trilane = join(import.meta.dirname, "..", "..", "cli", "trilane");

export interface RacedPage {
  /** As the archive calls what was raced; null: nothing was. */
  readonly page: string | null;
  /** A page of the recording's shape was raced in its place. */
  readonly modelled: boolean;
  /** The least of the valid loads, from 0 to 1; null: there is none, or it was not stored. */
  readonly coverage: { readonly requests: number; readonly bytes: number } | null;
  readonly result: Pick<RaceResult, "lanes" | "comparisons" | "verdict" | "excluded"> | null;
  readonly exit: number | null;
  /** The last line on standard error; in full where the command crashed. */
  readonly said: string;
  readonly wall_s: number;
}

interface Coverage {
  readonly requests: number;
  readonly bytes: number;
}

function leastCoverage(results: Results, sweep: number): Coverage | null {
  const valid = results.loadsOf(sweep).filter(({ status }) => status === "valid");
  const known = valid.flatMap(({ id }) => {
    // Absent from loads of before it was stored.
    const { coverage } = results.harOf(id).log._trilane as { coverage?: Coverage | null };
    return coverage ? [coverage] : [];
  });
  if (known.length === 0) return null;
  const least = (of: keyof Coverage): number => Math.min(...known.map((coverage) => coverage[of]));
  return { requests: least("requests"), bytes: least("bytes") };
}

/** Ends the command, and with it what it started, when it takes longer than `timeout_s`. */
async function run(words: readonly string[], timeout_s: number): Promise<{ exit: number | null; err: string }> {
  const child = spawn(trilane, words, { stdio: ["ignore", "ignore", "pipe"] });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const timer = setTimeout(() => child.kill("SIGTERM"), timeout_s * 1000);
  const [exit] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  return { exit, err };
}

export interface RaceChoice {
  readonly home: string;
  readonly link: string;
  readonly runs: number;
  /** Further words of the command. */
  readonly words?: readonly string[];
  readonly timeout_s?: number;
}

/** `page`: whatever `trilane race` takes. */
export async function racePage(page: string, choice: RaceChoice): Promise<RacedPage> {
  const { home, link, runs, words = [], timeout_s = 1200 } = choice;
  const begun_ms = performance.now();
  const asked = ["race", page, "--link", link, "--runs", String(runs), "--new", "--no-filmstrip"];
  asked.push("--json", "--home", home, ...words);
  const before = openExistingResults(home);
  const newest = before?.listSweeps()[0]?.id ?? 0;
  before?.close();
  const { exit, err } = await run(asked, timeout_s);
  const wall_s = Math.round((performance.now() - begun_ms) / 1000);
  const lines = err.trim().split("\n");
  const crashed = lines.some((line) => /^\s+at .*[:(]\d+:\d+/.test(line));
  const said = crashed ? err.trim() : (lines.at(-1) ?? "");
  const results = openExistingResults(home);
  const sweep = results?.listSweeps().find(({ id }) => id > newest);
  try {
    if (!results || !sweep) return { page: null, modelled: false, coverage: null, result: null, exit, said, wall_s };
    const { page: raced, lanes, comparisons, verdict, excluded } = raceResult(results, home, sweep);
    const result = { lanes, comparisons, verdict, excluded };
    const coverage = leastCoverage(results, sweep.id);
    return { page: raced, modelled: raced.endsWith("-model"), coverage, result, exit, said, wall_s };
  } finally {
    results?.close();
  }
}

/** Whether the race said which lanes are faster, or that they are not told apart. */
export const hasVerdict = ({ exit, result }: RacedPage): boolean =>
  exit === 0 && (result?.comparisons.some(({ improvement_percent }) => improvement_percent !== null) ?? false);
