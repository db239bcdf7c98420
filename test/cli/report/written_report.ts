// What a report of pages is made of, and the report where a test looks for it. Not how commands do it: they are given the report
// (cli/commands/command.ts).
import { atomicWrite } from "../../../cli/base/atomic_write.ts";
import { gatherReport, type ReportData } from "../../../cli/report/data.ts";
import { reportOf } from "../../../cli/report/report.ts";
import { writeReportFile } from "../../../cli/report/report_files.ts";
import { openResults } from "../../../cli/results/store/results.ts";
import type { MetricChoice } from "../../../cli/results/verdict/compared_metric.ts";
import { tempFolder } from "../../temp_folder.ts";
import { type Fixture, storeFixture } from "./fixture.ts";

type LinkTest = Parameters<ReturnType<typeof openResults>["recordLinkTest"]>[2];

/** Of a fixture's sweep, in a home of its own, whose links were tested so. */
export function reportData(fixture: Fixture, tests: readonly LinkTest[] = [], metric?: MetricChoice): ReportData {
  const home = tempFolder("trilane-report-");
  const sweep = storeFixture(home, fixture);
  using results = openResults(home);
  for (const test of tests) results.recordLinkTest(sweep, "a machine", test);
  return gatherReport(results, sweep, "0.1.0", metric);
}

/** A report's document with plain spaces before units: tests write them so. */
export const withPlainSpaces = (document: string): string => document.replaceAll("\u00a0", " ");

/** Its path. */
export async function writeReport(home: string, sweep: number, path?: string): Promise<string> {
  using results = openResults(home);
  const document = reportOf(results, sweep);
  if (path === undefined) return await writeReportFile(home, results.sweep(sweep), document);
  await atomicWrite(path, document);
  return path;
}
