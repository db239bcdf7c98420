// Writes the report of a stored sweep of pages where a test looks for it. Not how commands do it: they are given the report (cli/commands/command.ts).
import { atomicWrite } from "../../../cli/base/atomic_write.ts";
import { reportOf } from "../../../cli/report/report.ts";
import { writeReportFile } from "../../../cli/report/report_files.ts";
import { openResults } from "../../../cli/results/store/results.ts";

/** Its path. */
export async function writeReport(home: string, sweep: number, path?: string): Promise<string> {
  using results = openResults(home);
  const document = reportOf(results, sweep);
  if (path === undefined) return await writeReportFile(home, results.sweep(sweep), document);
  await atomicWrite(path, document);
  return path;
}
