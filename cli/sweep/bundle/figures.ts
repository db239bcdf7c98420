// What is made from a sweep's results alone, whoever makes it and wherever: the report, its attempts as CSV, and each figure.

import { version } from "../../base/version.ts";
import { gatherReport } from "../../report/data.ts";
import { figureFiles } from "../../report/figure_files.ts";
import { buildReport } from "../../report/report.ts";
import { csvLines } from "../../results/export/csv.ts";
import type { Results } from "../../results/store/results.ts";
import type { BundledKinds, BundledSweeps } from "./bundled_sweeps.ts";
import { figureMember, loadsName, reportName } from "./layout.ts";

const bundledPages: BundledSweeps = {
  nouns: ["load", "loads"],
  title: null,
  noRerun: null,
  planSchema: "sweep-plan",
  report: (results, sweep) => buildReport(gatherReport(results, sweep, version)),
  rows: (results, sweep) => {
    const films = results.filmedLoadsOf(sweep);
    return [...csvLines(results.sweep(sweep).plan, results.cellsOf(sweep), results.loadsOf(sweep), films)].join("");
  },
};

export const bundledKind = async (kind: string, others: BundledKinds): Promise<BundledSweeps | null> =>
  kind === "pages" ? bundledPages : await others(kind);

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
