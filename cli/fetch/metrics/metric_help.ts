// What is measured of fetches, for help: each metric's name in data, unit and meaning.
import { wrappedText } from "../../base/wrapped_text.ts";
import { fetchMetrics } from "./fetch_metrics.ts";

const width = 72;

export function fetchMetricHelp(): string {
  const lines = Object.entries(fetchMetrics).flatMap(([name, { meaning, unit }]) => [
    `  ${name} (${unit})`,
    ...wrappedText(meaning, width).map((line) => `      ${line}`),
  ]);
  return ["What is measured. Times run from the start of the connection; dns_ms is before it.", ...lines].join("\n");
}
