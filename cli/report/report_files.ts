// Where the reports of a home's sweeps are, and which are of one sweep. Knows nothing of what is in them.
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { atomicWrite } from "../base/atomic_write.ts";
import type { Results } from "../results/store/results.ts";
import type { MetricChoice } from "../results/verdict/compared_metric.ts";

const folderOf = (home: string): string => join(home, "reports");

const fileWord = (text: string): string => text.replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(0, 60);

/** Where a sweep's report is, unless it was requested elsewhere. */
export function reportPath(home: string, sweep: { id: number; name: string }, metric?: MetricChoice): string {
  const of = metric === undefined ? "" : `-${fileWord(metric)}`;
  return join(folderOf(home), `${sweep.id}-${fileWord(sweep.name)}${of}.html`);
}

/** The report of a stored sweep, as one HTML document. Who begins a sweep is given it, and needs to know no figure. */
export type ReportOf = (results: Results, sweep: number) => Promise<string>;

/** Writes a sweep's report to its place in the home. Returns its path. */
export async function writeReportFile(
  home: string,
  sweep: { id: number; name: string },
  document: string,
  metric?: MetricChoice,
): Promise<string> {
  mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
  const path = reportPath(home, sweep, metric);
  await atomicWrite(path, document);
  return path;
}

/** Writes the trend of the sweeps of a name to its place in the home. Returns its path. */
export async function writeTrendFile(home: string, name: string, document: string): Promise<string> {
  mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
  const path = join(folderOf(home), `trend-${fileWord(name)}.html`);
  await atomicWrite(path, document);
  return path;
}

/** Removes a sweep's reports, by whatever metric: a sweep's number is never given twice. */
export function removeReports(home: string, sweep: number): void {
  const folder = folderOf(home);
  if (!existsSync(folder)) return;
  const own = readdirSync(folder).filter((name) => name.startsWith(`${sweep}-`) && name.endsWith(".html"));
  for (const name of own) rmSync(join(folder, name), { force: true });
}
