// `trilane reproduce` of a study: runs its plan, then prints each published figure beside ours. Which instrument a study is of, and how its
// figures are computed, is the instrument's (cli/instruments/all.ts); of page loads they stand in the sweep's own verdict.
import { UserError } from "../base/errors.ts";
import { homeFolder } from "../base/home.ts";
import { printJson, printLines } from "../base/terminal_text.ts";
import { wrapped } from "../base/wrapped_text.ts";
import type { PlanKind, ReadPlan } from "../engine/plan_kind.ts";
import { openExistingResults } from "../results/store/results.ts";
import { agreementSentence } from "../results/studies/agreement.ts";
import { figuresDocument } from "../results/studies/figures_document.ts";
import { comparedLines } from "../results/studies/number_words.ts";
import type { StudyFacts } from "../results/studies/study.ts";
import type { House } from "./command.ts";
import { changesOf, isTaken, runReadPlan, type SweepOptions } from "./sweep.ts";

type ReproduceStudyOptions = Omit<SweepOptions, "plan"> & {
  readonly full: boolean;
  readonly pages: number | undefined;
  readonly corpus: string | undefined;
};

/** Of the plan's newest sweep, whether or not it was stopped. With --json as one document. */
async function printFigures(home: string, kind: PlanKind, study: StudyFacts, plan: ReadPlan, json: boolean) {
  using results = openExistingResults(home);
  const sweep = results && plan.newestSweep?.(results);
  if (!results || !sweep) return;
  const figures = (await kind.stored()).studyFigures?.(results, sweep.id, study.name) ?? [];
  if (json) return printJson(figuresDocument(study, sweep.id, figures));
  const sentence = agreementSentence(figures);
  if (sentence === null) return;
  const hint = `Why signs may differ, and all figures: \`trilane report ${sweep.id}\`.`;
  printLines(["", ...comparedLines(figures), "", ...wrapped(sentence), ...wrapped(hint)]);
}

/** `given`: the options that were given another value than they have by themselves. */
export async function reproduceStudy(
  { kind, published: study }: { readonly kind: PlanKind; readonly published: StudyFacts },
  options: ReproduceStudyOptions,
  house: House,
  given: readonly string[],
): Promise<void> {
  const other = given.find((name) => name !== "full" && name !== "quick" && !isTaken(kind, name));
  if (other !== undefined)
    throw new UserError(`--${other}: ${study.name} has ${kind.sweeps} and no page loads: leave it out`);
  const home = homeFolder(options.home);
  const own = kind.studyOptions?.(study.name, options) ?? options;
  const plan = kind.read(options.full ? study.full : study.quick, changesOf(options), own);
  if (!(await runReadPlan(plan, home, options, house))) return;
  await printFigures(home, kind, study, plan, options.json);
}
