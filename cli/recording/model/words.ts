// What a modelled page says of itself, in lines for a reader. Makes text.
import { count, formatSize } from "../../base/numbers.ts";
import type { ModelFacts } from "./model_page.ts";

export function modelLines(facts: ModelFacts): string[] {
  const { requests, documents, known_by, computation_ms, after_load, larger, larger_by_bytes, left_out } = facts;
  const inferred = known_by.initiator + known_by.referer + known_by.timing;
  const share = (amount: number): string => `${Math.round((100 * amount) / Math.max(1, inferred))} %`;
  const lines = [
    `modelled page: ${count(requests, "request")} in ${count(documents, "document")}`,
    `what asked for them: ${share(known_by.initiator)} by recorded initiators, ${share(known_by.referer)} by Referer, ${share(known_by.timing)} inferred from timing`,
    `computation before one request: at most ${computation_ms} ms`,
  ];
  if (after_load > 0) lines.push(`${count(after_load, "request")} after the load event`);
  if (left_out > 0) lines.push(`left out: ${count(left_out, "exchange")} that the recording browser made by itself`);
  if (larger > 0)
    lines.push(
      `${count(larger, "body is", "bodies are")} larger than recorded, by ${formatSize(larger_by_bytes)} in all: too small for what ${larger === 1 ? "it asks" : "they ask"} for`,
    );
  return lines;
}
