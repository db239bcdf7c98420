// What is to be said of fetches beside their times: what failed and why, what answered with an error or a redirect, what did not count,
// and what hosts say of HTTP/3 by their HTTPS records and Alt-Svc. Sentences from rows; pure.

import type { FetchRecord } from "../../../../schemas/generated/fetch_record.ts";
import { liveNote } from "../../../base/factors.ts";
import { count } from "../../../base/numbers.ts";
import { excludedAttempts } from "../../../load/disturbance.ts";
import { isLive, reasonInWords, servingHost } from "../metrics/fetched.ts";
import type { StoredFetch } from "../store/fetch_runs.ts";
import { altSvcOffersH3 } from "./discovery.ts";

/** Further reasons are in the export. */
const mostReasons = 4;
const longestReason = 160;

const shortened = (text: string): string =>
  text.length > longestReason ? `${text.slice(0, longestReason - 1)}…` : text;

/** `h3: 6 failed (connect: the server did not answer in time over QUIC), as https://a.example/`. */
function failureLines(fetches: readonly StoredFetch[]): string[] {
  const failed = fetches.filter(({ status }) => status === "failed");
  const kinds = Map.groupBy(failed, ({ lane, reasons }) => JSON.stringify([lane, reasons[0]]));
  const ordered = [...kinds.values()].toSorted((a, b) => b.length - a.length);
  const lines = ordered.slice(0, mostReasons).map((of) => {
    const [first] = of as [StoredFetch, ...StoredFetch[]];
    const objects = new Set(of.map(({ object }) => object)).size;
    const where = objects > 1 ? `${count(objects, "object")}, as ${first.object}` : first.object;
    return `${first.lane}: ${count(of.length, "fetch", "fetches")} failed: ${shortened(reasonInWords(first.reasons[0] ?? "no reason was given", first))} (${where}).`;
  });
  const rest = ordered.slice(mostReasons).reduce((sum, of) => sum + of.length, 0);
  return rest > 0 ? [...lines, `${rest} more failed for other reasons: see \`trilane export\`.`] : lines;
}

function statusLine(fetches: readonly StoredFetch[]): string[] {
  const bad = fetches.filter(({ record }) => record !== null && record.error === null && (record.status ?? 0) >= 400);
  if (bad.length === 0) return [];
  const statuses = [...new Set(bad.map(({ record }) => record?.status))].toSorted();
  return [`${count(bad.length, "response")} had a status of ${statuses.join(", ")}; they count.`];
}

function liveLine(fetches: readonly StoredFetch[]): string[] {
  if (!fetches.some(({ lane }) => isLive(lane))) return [];
  return [liveNote];
}

/** Their times are of the redirect alone. */
function redirectLine(fetches: readonly StoredFetch[]): string[] {
  const isRedirect = ({ record }: StoredFetch): boolean => {
    if (record === null || record.error !== null || record.status === null || record.location === null) return false;
    return record.status >= 300 && record.status < 400 && record.status !== 304;
  };
  const n = fetches.filter(isRedirect).length;
  if (n === 0) return [];
  return [`${count(n, "response")} ${n === 1 ? "was a redirect" : "were redirects"}, not followed: --follow 5.`];
}

/** A lane whose early data the server did not take is as slow as one without: that is to be seen. */
function earlyDataLines(fetches: readonly StoredFetch[]): string[] {
  const came = fetches.filter(({ lane, status }) => lane.endsWith("-0rtt") && status === "valid");
  return [...Map.groupBy(came, ({ lane }) => lane)].flatMap(([lane, of]) => {
    const without = of.filter(({ record }) => record?.early_data !== "accepted");
    const [first] = without;
    if (!first) return [];
    const why = first.record?.unavailable.early_data ?? `it was ${first.record?.early_data ?? "not sent"}`;
    return [`${lane}: ${without.length} of ${count(of.length, "fetch", "fetches")} without early data (${why}).`];
  });
}

const have = (number: number): string => (number === 1 ? "has" : "have");

/** What hosts say of themselves; empty if none was queried. */
function hostLine(fetches: readonly StoredFetch[]): string[] {
  const records = fetches.flatMap(({ record }) => (record === null ? [] : [record]));
  const byHost = [...Map.groupBy(records, (record) => servingHost({ record })).values()];
  const hosts = (has: (record: FetchRecord) => boolean): number => byHost.filter((of) => of.some(has)).length;
  const queried = hosts(({ https_record: { state } }) => state === "present" || state === "absent");
  const named = hosts(({ https_record: { records: all } }) => all.some(({ alpn }) => alpn.includes("h3")));
  const present = hosts(({ https_record: { state } }) => state === "present");
  const offered = hosts(({ alt_svc }) => alt_svc !== null && altSvcOffersH3(alt_svc));
  const answered = hosts(({ status }) => status !== null);
  const https =
    queried === 0
      ? []
      : [
          `${present} of ${count(queried, "host")} ${have(present)} an HTTPS record${present === 0 ? "" : `, ${named} with h3`}`,
        ];
  const altSvc =
    answered === 0
      ? []
      : [`${offered} of ${count(answered, "host")} ${offered === 1 ? "offers" : "offer"} h3 by Alt-Svc`];
  const all = [...https, ...altSvc];
  return all.length === 0 ? [] : [`${all.join("; ")}.`];
}

/** Null: all count that did not fail. */
export const excludedFetches = (fetches: readonly StoredFetch[]): string | null =>
  excludedAttempts(
    fetches.filter(({ status }) => status === "invalid"),
    fetches.length,
  );

const remarks = (fetches: readonly StoredFetch[], excluded: string | null): string[] => [
  ...liveLine(fetches),
  ...failureLines(fetches),
  ...statusLine(fetches),
  ...redirectLine(fetches),
  ...earlyDataLines(fetches),
  ...(excluded === null ? [] : [excluded]),
  ...hostLine(fetches),
];

/** Without how many do not count, for who says that elsewhere. */
export const fetchRemarks = (fetches: readonly StoredFetch[]): string[] => remarks(fetches, null);

export const fetchNotes = (fetches: readonly StoredFetch[]): string[] => remarks(fetches, excludedFetches(fetches));
