// Whether a server keeps priorities: of two responses on one connection, does the more urgent end first although it was requested later? By
// the browser's priorities and times alone. Pure.
import type { HarEntry } from "../../../schemas/generated/page_load.ts";

/** From urgent to not, in the words of the browser. */
const urgencies = ["VeryHigh", "High", "Medium", "Low", "VeryLow"];

interface Response {
  readonly urgency: number;
  readonly sent_ns: number;
  readonly first_ns: number;
  readonly end_ns: number;
}

function responseOf({ _priority, _trilane: { end_ns }, timings }: HarEntry): Response[] {
  const urgency = urgencies.indexOf(_priority ?? "");
  if (urgency < 0 || end_ns === null || timings.receive < 0) return [];
  const first_ns = end_ns - timings.receive * 1e6;
  return [{ urgency, sent_ns: first_ns - Math.max(0, timings.wait) * 1e6, first_ns, end_ns }];
}

/** null: no two responses were in each other's way. */
export function urgentFirst_percent(entries: readonly HarEntry[]): number | null {
  const byConnection = Map.groupBy(entries, ({ _connectionId }) => _connectionId);
  byConnection.delete(undefined);
  const kept = [...byConnection.values()].flatMap((own) => {
    const responses = own.flatMap(responseOf);
    return responses.flatMap((late) =>
      responses
        .filter(
          (early) => early.urgency > late.urgency && early.sent_ns < late.sent_ns && late.sent_ns < early.first_ns,
        )
        .map((early) => late.end_ns < early.end_ns),
    );
  });
  return kept.length === 0 ? null : (kept.filter(Boolean).length / kept.length) * 100;
}
