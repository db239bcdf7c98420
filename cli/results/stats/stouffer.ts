// One probability of several independent one-sided tests (Stouffer et al. 1949). Tests of few values are careful on one side only:
// five loads in each sample never show less than 6 %, but may well say 99.99 %, and one such test would outvote ten others. So
// each test's voice is as loud against as it can be for, and none is louder than most, or one of many values would outvote ten of
// few. Tests that may depend on one another, as those of a page's lanes do, which
// were loaded in the same minutes, have one voice together: their mean is at most as loose as one of them alone.
import { normalQuantile, normalUpperTail } from "./normal_tail.ts";

interface OneTest {
  readonly probability: number;
  /** The least that it can be of so many values. */
  readonly least: number;
}

const zOf = (probability: number): number =>
  probability <= 0.5 ? normalQuantile(probability) : -normalQuantile(1 - probability);

/** Two deviations. */
const loudestOfAll = 0.02275;

function voiceOf({ probability, least }: OneTest): number {
  const loudest = Math.min(Math.max(least, loudestOfAll), 0.5);
  return zOf(Math.min(Math.max(probability, loudest), 1 - loudest));
}

/** Of independent groups of tests; within a group they may depend on one another. 1 for none. */
export function stouffer(groups: readonly (readonly OneTest[])[]): number {
  if (groups.length === 0) return 1;
  const voices = groups.map((tests) => tests.reduce((sum, test) => sum + voiceOf(test), 0) / tests.length);
  return normalUpperTail(voices.reduce((sum, voice) => sum + voice, 0) / Math.sqrt(groups.length));
}
