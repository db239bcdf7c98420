// The page loads of a bundle again, in a data folder of their own: `trilane reproduce BUNDLE --rerun`. What is made ready there is
// cli/sweep/bundle/rerun.ts's.

import type { ExecutionTerms } from "../../../engine/instrument.ts";
import { openExistingResults, type Sweep } from "../../../results/store/results.ts";
import { publishedSentences } from "../../../results/studies/published_sentences.ts";
import type { RerunRequest } from "../../../sweep/bundle/bundled_sweeps.ts";
import { prepareRerun } from "../../../sweep/bundle/rerun.ts";
import { planDigest } from "../../../sweep/plan/plan.ts";
import { executePages } from "../run/instrument.ts";

/** The same again resumes it, and runs nothing once it is finished. */
export async function rerunPages(request: RerunRequest, terms: ExecutionTerms): Promise<Sweep | null> {
  const plan = await prepareRerun(request);
  await executePages({ ...terms, plan, once: !terms.fresh, published: publishedSentences });
  using there = openExistingResults(request.home);
  return there?.newestSweep(planDigest(plan)) ?? null;
}
