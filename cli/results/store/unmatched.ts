// The document `unmatched` of a load: which of its requests got no exact answer, and what they got instead. Used by the results' owner
// alone.
import type { SQLOutputValue } from "node:sqlite";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";

/** One request that was not matched exactly, over all loads in which it came. */
export interface Unmatched {
  readonly page: string;
  readonly method: string;
  /** As asked for; of several loads, the first. */
  readonly url: string;
  readonly outcome: "fuzzy" | "missed";
  /** What was given instead; null: nothing recorded. */
  readonly recorded_url: string | null;
  readonly difference: "body" | "port" | "query" | "path" | null;
  /** Of the two queries or paths, 0 to 1, the least of all loads. */
  readonly similarity: number | null;
  /** Loads with such a request, by lane. */
  readonly loads: Readonly<Record<string, number>>;
}

/** One request of a load, as its document has it. */
interface UnmatchedRequest {
  /** Among the page's requests, from 0. */
  readonly place: number;
  readonly method: string;
  /** As requested. */
  readonly url: string;
  readonly outcome: Unmatched["outcome"];
  readonly recorded_url: string | null;
  readonly difference: Unmatched["difference"];
  readonly likeness: number | null;
}

/** null: each of its requests was matched exactly. */
export function unmatchedIn({ log }: PageLoad): UnmatchedRequest[] | null {
  const found = log.entries.flatMap(({ request: { method, url }, _trilane: { match, instead } }, place) => {
    if (match !== "fuzzy" && match !== "missed") return [];
    const { url: recorded_url = null, difference = null, likeness = null } = instead ?? {};
    return [{ place, method, url, outcome: match, recorded_url, difference, likeness }];
  });
  return found.length === 0 ? null : found;
}

/**
 * Requests whose URLs differ from load to load (a time stamp, say) are one where the same recorded answer was given: what
 * was missed is told by its path then, as nothing was given.
 */
const sameUrl = "coalesce(recorded_url, CASE instr(url, '?') WHEN 0 THEN url ELSE substr(url, 1, instr(url, '?')) END)";

const fields = ["place", "method", "url", "outcome", "recorded_url", "difference", "likeness"];

export function readUnmatched(read: (query: string) => Record<string, SQLOutputValue>[]): Unmatched[] {
  const rows = read(
    `WITH unmatched AS (
       SELECT cell.subject AS page, cell.lane, attempt.id AS load, ${fields.map((name) => `value ->> '${name}' AS ${name}`).join(", ")}
       FROM document JOIN attempt ON attempt.id = document.attempt JOIN cell ON cell.id = attempt.cell, json_each(document.content)
       WHERE cell.sweep = ? AND document.name = 'unmatched')
     SELECT page, method, min(url) AS url, outcome, recorded_url, difference, min(likeness) AS similarity, lane,
       count(DISTINCT load) AS loads, ${sameUrl} AS same
     FROM unmatched GROUP BY page, method, outcome, difference, same, lane ORDER BY page, outcome DESC, min(place)`,
  );
  const groups = Map.groupBy(rows, ({ page, method, outcome, difference, same }) =>
    JSON.stringify([page, method, outcome, difference, same]),
  );
  return [...groups.values()].map((group) => {
    const [first] = group;
    const similarities = group.flatMap(({ similarity }) => (similarity === null ? [] : [Number(similarity)]));
    return {
      page: String(first?.page),
      method: String(first?.method),
      url: String(first?.url),
      outcome: first?.outcome === "missed" ? "missed" : "fuzzy",
      recorded_url: first?.recorded_url === null ? null : String(first?.recorded_url),
      difference: (first?.difference ?? null) as Unmatched["difference"],
      similarity: similarities.length > 0 ? Math.min(...similarities) : null,
      loads: Object.fromEntries(group.map(({ lane, loads }) => [String(lane), Number(loads)])),
    };
  });
}
