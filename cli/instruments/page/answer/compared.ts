// Page loads as a comparison of sweeps takes them (cli/results/compare), and budgets (cli/results/gate).

import { type ComparedNouns, type ComparedSweep, interleavedSides } from "../../../results/compare/interleaved.ts";
import type { Results } from "../../../results/store/results.ts";

export const pageNouns: ComparedNouns = {
  ...{ of: "pages", lane: "lane", load: "load", loads: "loads", place: "page, link and lane", metric: null },
  heads: ["page and link", "lane"],
  budget: { names: ["page", "lane"], words: "a page, a link and a lane" },
  together: "run `trilane compare --interleaved`",
};

export function comparedPages(results: Results, id: number): ComparedSweep {
  const sweep = results.sweep(id);
  const { metric, dilate } = sweep.plan;
  return {
    ...{ cells: results.cellsOf(id), loads: results.loadsOf(id), nouns: pageNouns, metric, dilate },
    ...{ sidesOf: (run) => interleavedSides(sweep, run), hasRequests: true },
  };
}
