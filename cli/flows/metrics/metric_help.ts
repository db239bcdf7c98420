// What is measured of flows, for help: each metric's name in data, unit and meaning, as schemas/flow-result.schema.json has them.
import { wrappedText } from "../../base/wrapped_text.ts";
import { directionMetrics, type FlowMetricFacts, flowMetrics, groupMetrics, pingMetrics } from "./measured.ts";

const sections = [
  ["Of each flow", flowMetrics],
  ["Of the flows of one --flow together", groupMetrics],
  ["Of all flows of a direction, and its link", directionMetrics],
  ["Of the pings", pingMetrics],
] as const;

/** What a terminal's 80 columns leave beside the indent. */
const width = 72;

function linesOf(facts: Readonly<Record<string, FlowMetricFacts>>): string[] {
  return Object.entries(facts).flatMap(([name, { meaning, unit }]) => [
    `  ${name} (${unit})`,
    ...wrappedText(meaning, width).map((line) => `      ${line}`),
  ]);
}

export function metricHelp(): string {
  const lines = sections.flatMap(([title, facts]) => [`${title}:`, ...linesOf(facts)]);
  return ["What is measured; over runs medians, with 95 % intervals of order statistics.", ...lines].join("\n");
}
