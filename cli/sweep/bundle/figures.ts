// What is made from a sweep's results alone, whoever makes it and wherever: the report, its loads as CSV, and each figure.

import { version } from "../../base/version.ts";
import { gatherReport } from "../../report/data.ts";
import { figureFiles } from "../../report/figure_files.ts";
import { buildReport } from "../../report/report.ts";
import { csvLines } from "../../results/export/csv.ts";
import type { Results } from "../../results/store/results.ts";
import { figureMember, loadsName, reportName } from "./layout.ts";

export interface MadeFile {
  /** A bundle's member, and a file below the folder of what is reproduced. */
  readonly name: string;
  readonly text: string;
}

export function figuresOf(results: Results, sweepId: number): MadeFile[] {
  const report = buildReport(gatherReport(results, sweepId, version));
  const { plan } = results.sweep(sweepId);
  const films = results.filmedLoadsOf(sweepId);
  const loads = [...csvLines(plan, results.cellsOf(sweepId), results.loadsOf(sweepId), films)].join("");
  return [
    { name: reportName, text: report },
    { name: loadsName, text: loads },
    ...figureFiles(report).map(({ name, text }) => ({ name: figureMember(name), text })),
  ];
}
