// What is measured, for `--help`: each metric's name in data, unit and meaning.
import { wrapped } from "../base/wrapped_text.ts";
import { metrics, type Rows, type Subject } from "./metrics.ts";

/** What a terminal's 80 columns leave beside the indent. */
const width = 72;

function linesOf(rows: Rows<string>): string[] {
  return Object.entries(rows).flatMap(([name, { meaning, unit }]) => [
    `  ${name}${unit === null ? "" : ` (${unit})`}`,
    ...wrapped(meaning, width).map((line) => `      ${line}`),
  ]);
}

/** `titles`: of each subject a line above its metrics; empty: none. */
export function metricHelp(intro: string, titles: Readonly<Partial<Record<Subject, string>>>): string {
  const subjects = Object.entries(titles) as [Subject, string][];
  const lines = subjects.flatMap(([subject, title]) => [...(title ? [`${title}:`] : []), ...linesOf(metrics[subject])]);
  return [intro, ...lines].join("\n");
}
