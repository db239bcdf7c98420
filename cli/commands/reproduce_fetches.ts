// `trilane reproduce` of a study of fetches: runs its plan, then prints each published figure beside ours. What fetches take and print
// besides is cli/instruments/fetch/run's.

import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { execute } from "../engine/execute.ts";
import { fetchesByPurpose } from "../instruments/fetch/answer/purpose.ts";
import { describeFetches, fetchPlanLines } from "../instruments/fetch/plan/describe.ts";
import { readyStudyPlan } from "../instruments/fetch/plan/page.ts";
import { type FetchPlan, fetchPlanDigest, fetchPlanOf, readFetchPlan } from "../instruments/fetch/plan/plan.ts";
import { fetchInstrument } from "../instruments/fetch/run/instrument.ts";
import { comparedFetchFigures } from "../instruments/fetch/studies/fetch_agreement.ts";
import type { FetchStudy } from "../instruments/fetch/studies/fetch_study.ts";
import { openExistingResults } from "../results/store/results.ts";
import { askedToEnd } from "../sweep/asked_to_end.ts";
import { verbosityOf } from "../sweep/progress/verbosity.ts";
import type { House } from "./command.ts";
import { optionsOfFlows, printNumbers } from "./reproduce_flows.ts";
import type { SweepOptions } from "./sweep.ts";

type ReproduceFetchesOptions = Omit<SweepOptions, "plan"> & { readonly full: boolean };

function planFor(name: string, runs: number | undefined): FetchPlan {
  const plan = readFetchPlan(name);
  return runs === undefined ? plan : fetchPlanOf({ ...plan, repetitions: runs }, name);
}

/** Of the plan's newest sweep, whether or not it was stopped. */
function printCompared(home: string, study: FetchStudy, digest: string, json: boolean): void {
  const results = openExistingResults(home);
  try {
    const sweep = results?.newestFetchSweep(digest) ?? null;
    if (!results || !sweep) return;
    const fetches = fetchesByPurpose(results.fetchesOf(sweep.id), sweep.plan.repetitions);
    printNumbers(study, sweep.id, comparedFetchFigures(study, fetches, sweep.seed), json);
  } finally {
    results?.close();
  }
}

/** `given`: the options that were given another value than they have by themselves. */
export async function reproduceFetches(
  study: FetchStudy,
  options: ReproduceFetchesOptions,
  { pageSource }: House,
  given: readonly string[],
): Promise<void> {
  const other = given.find((name) => !optionsOfFlows.has(name) || name === "evidence");
  if (other !== undefined) throw new UserError(`--${other}: ${study.name} has fetches and no page loads: leave it out`);
  const home = homeFolder(options.home);
  const { json, full, runs } = options;
  const planned = planFor(full ? study.full : study.quick, runs);
  if (options["dry-run"]) {
    const described = describeFetches(planned);
    return json ? printJson(described) : printLines(fetchPlanLines(planned, described));
  }
  const source = await pageSource();
  const { plan, recording, sizes } = await readyStudyPlan(home, source, planned);
  const end = askedToEnd(home, options);
  const verbosity = verbosityOf(options);
  const execution = { home, source, plan, recording, sizes, fresh: options.new, json, verbosity, askedToEnd: end };
  await execute(execution, fetchInstrument(execution));
  printCompared(home, study, fetchPlanDigest(plan, recording?.digest ?? null), json);
}
