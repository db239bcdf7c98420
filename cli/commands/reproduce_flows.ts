// `trilane reproduce` of a study of flows: runs its plan, then prints each published figure beside ours. What flows take and print besides
// is cli/instruments/flows/run's.

import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { wrapped } from "../base/wrapped_text.ts";
import { execute } from "../engine/execute.ts";
import { describeFlows, flowPlanLines } from "../instruments/flows/plan/describe.ts";
import { type FlowPlan, flowPlanDigest, flowPlanOf, readFlowPlan } from "../instruments/flows/plan/plan.ts";
import { flowInstrument } from "../instruments/flows/run/instrument.ts";
import { comparedFlowFigures } from "../instruments/flows/studies/flow_agreement.ts";
import type { FlowStudy } from "../instruments/flows/studies/flow_study.ts";
import { openExistingResults } from "../results/store/results.ts";
import { agreementSentence } from "../results/studies/agreement.ts";
import type { ComparedNumber, PublishedNumber } from "../results/studies/compared_number.ts";
import { figuresDocument } from "../results/studies/figures_document.ts";
import { comparedLines } from "../results/studies/number_words.ts";
import { askedToEnd } from "../sweep/asked_to_end.ts";
import { verbosityOf } from "../sweep/progress/verbosity.ts";
import type { House } from "./command.ts";
import type { SweepOptions } from "./sweep.ts";

type ReproduceFlowsOptions = Omit<SweepOptions, "plan"> & { readonly full: boolean };

/** Of a study of flows, or of fetches: the others are of page loads. */
export const optionsOfFlows: ReadonlySet<string> = new Set(
  "full quick runs new dry-run evidence stop-file stop-after quiet status verbose home json debug".split(" "),
);

function planFor(study: FlowStudy, { full, runs }: ReproduceFlowsOptions): FlowPlan {
  const name = full ? study.full : study.quick;
  const plan = readFlowPlan(name);
  return runs === undefined ? plan : flowPlanOf({ ...plan, repetitions: runs }, name);
}

/** With --json as one document. `sweep`: whose runs ours are of. */
export function printNumbers(
  study: { readonly name: string },
  sweep: number,
  compared: readonly ComparedNumber<PublishedNumber & { readonly mix?: string }>[],
  json: boolean,
): void {
  if (json) {
    printJson(figuresDocument(study, sweep, compared));
    return;
  }
  const sentence = agreementSentence(compared);
  if (sentence === null) return;
  const hint = `Why signs may differ, and all figures: \`trilane report ${sweep}\`.`;
  printLines(["", ...comparedLines(compared), "", ...wrapped(sentence), ...wrapped(hint)]);
}

/** Of the plan's newest sweep, whether or not it was stopped. */
function printCompared(home: string, study: FlowStudy, plan: FlowPlan, json: boolean): void {
  const results = openExistingResults(home);
  try {
    const sweep = results?.newestFlowSweep(flowPlanDigest(plan)) ?? null;
    if (!results || !sweep) return;
    const runs = results.flowRunsOf(sweep.id);
    printNumbers(study, sweep.id, comparedFlowFigures(study, runs, sweep.seed), json);
  } finally {
    results?.close();
  }
}

/** `given`: the options that were given another value than they have by themselves. */
export async function reproduceFlows(
  study: FlowStudy,
  options: ReproduceFlowsOptions,
  { pageSource }: House,
  given: readonly string[],
): Promise<void> {
  const other = given.find((name) => !optionsOfFlows.has(name));
  if (other !== undefined) throw new UserError(`--${other}: ${study.name} has flows and no page loads: leave it out`);
  const plan = planFor(study, options);
  if (options["dry-run"]) {
    const planned = describeFlows(plan);
    return options.json ? printJson(planned) : printLines(flowPlanLines(plan, planned));
  }
  const home = homeFolder(options.home);
  const { json, evidence, new: fresh } = options;
  const end = askedToEnd(home, options);
  const source = await pageSource();
  const execution = { home, source, plan, fresh, json, evidence, askedToEnd: end, verbosity: verbosityOf(options) };
  await execute(execution, flowInstrument(execution));
  printCompared(home, study, plan, json);
}
