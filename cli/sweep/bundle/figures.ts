// What is made from a sweep's results alone, whoever makes it and wherever: the report, its attempts as CSV, and each figure.

import { figureFiles } from "../../report/figure_files.ts";
import type { Results } from "../../results/store/results.ts";
import type { BundledSweeps } from "./bundled_sweeps.ts";
import { figureMember, loadsName, reportName } from "./layout.ts";

export interface MadeFile {
  /** A bundle's member, and a file below the folder of what is reproduced. */
  readonly name: string;
  readonly text: string;
}

export function figuresOf(results: Results, sweep: number, kind: BundledSweeps): MadeFile[] {
  const report = kind.report(results, sweep, {});
  return [
    { name: reportName, text: report },
    { name: loadsName, text: kind.rows(results, sweep) },
    ...figureFiles(report).map(({ name, text }) => ({ name: figureMember(name), text })),
  ];
}
