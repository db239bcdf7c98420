// Which sweep, and which of its loads, the words of a command mean. Reads results only.
import { existsSync, statSync } from "node:fs";
import { UserError } from "../../base/errors.ts";
import { shellWord } from "../../base/shell_word.ts";
import {
  type AnySweep,
  type Load,
  openExistingResults,
  openResultsFile,
  type Results,
  type Sweep,
} from "../store/results.ts";

/** Opens the results of a home that must have some. */
export function resultsOf(home: string): Results {
  const results = openExistingResults(home);
  if (!results)
    throw new UserError(
      `no results in ${home}: run \`trilane race\` or \`trilane sweep\` first, or say where they are with --home`,
    );
  return results;
}

/** Follows a sweep's number in errors: which file has it, if a file was named. */
export const ofFile = ({ path, remedies }: Results): string => (remedies.isForeign ? ` of ${path}` : "");

/** What lists those that there are, in errors. */
export const listingCommand = ({ path, remedies }: Results): string =>
  `\`trilane export ${remedies.isForeign ? `${shellWord(path)} ` : ""}--format csv\``;

/** A positive whole number as typed. */
export function readNumber(text: string | number, name: string, remedy = "see `trilane list`"): number {
  const number = typeof text === "number" ? text : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new UserError(`${name} must be a number from 1 on (got ${JSON.stringify(text)}): ${remedy}`);
  }
  return number;
}

/** The sweep of that number, or the newest one. */
export function chooseSweep(results: Results, named: string | number | undefined): Sweep {
  if (named !== undefined) return results.sweep(readNumber(named, "sweep"));
  const [newest] = results.listSweeps();
  if (!newest) throw new UserError("no sweep in the results yet: run `trilane race` or `trilane sweep` first");
  return newest;
}

/** As chooseSweep, of any kind; the newest of those that `isWanted` takes. */
export function chooseAnySweep(results: Results, named: string | number | undefined): AnySweep {
  if (named !== undefined) return results.anySweep(readNumber(named, "sweep"));
  const newest = results.listAllSweeps()[0];
  if (!newest) throw new UserError("no sweep in the results yet: run `trilane race`, `sweep` or `flows` first");
  return newest;
}

/** `3`: a sweep of the data folder; `old.db`, `old-home/`, `old.db#3`: one of other results. `file`: of these. */
interface NamedSweep {
  readonly results: Results;
  readonly named: string | undefined;
  readonly file: string | null;
}

/** Opens the results that a word names; without one the home's. */
export function openNamed(word: string | undefined, home: string): NamedSweep {
  if (word === undefined || /^\d+$/.test(word)) return { results: resultsOf(home), named: word, file: null };
  const { path, sweep } = word.match(/^(?<path>.+?)(?:#(?<sweep>\d+))?$/)?.groups ?? {};
  if (path === undefined || !existsSync(path))
    throw new UserError(`${word}: neither a sweep's number nor a file of results: name one, as 3 or old/results.db#3`);
  const results = statSync(path).isDirectory() ? resultsOf(path) : openResultsFile(path);
  return { results, named: sweep, file: path };
}

/** A sweep and those of its loads that were requested: all, or one by its number, which then also names the sweep. */
export function chooseLoads(
  results: Results,
  requestedSweep: string | number | undefined,
  requestedLoad: string | number | undefined,
): { sweep: Sweep; loads: Load[] } {
  if (requestedLoad === undefined) {
    const sweeps = requestedSweep === undefined ? results.listSweeps() : [chooseSweep(results, requestedSweep)];
    // A newer one that was stopped before its first load has nothing to export.
    for (const sweep of sweeps) {
      const loads = results.loadsOf(sweep.id);
      if (loads.length > 0) return { sweep, loads };
    }
    const { id, name } = sweeps[0] ?? chooseSweep(results, requestedSweep);
    const what = name.startsWith("race-") ? "race" : "sweep";
    throw new UserError(`${what} ${id}${ofFile(results)} has no loads yet: the command that began it resumes it`);
  }
  const id = readNumber(requestedLoad, "load");
  const sweeps = requestedSweep === undefined ? results.listSweeps() : [chooseSweep(results, requestedSweep)];
  for (const sweep of sweeps) {
    const load = results.loadsOf(sweep.id).find((each) => each.id === id);
    if (load) return { sweep, loads: [load] };
  }
  const where = requestedSweep === undefined ? "in the results" : `in sweep ${requestedSweep}`;
  throw new UserError(
    `no load ${id} ${where}${ofFile(results)}: ${listingCommand(results)} lists the loads of a sweep`,
  );
}
