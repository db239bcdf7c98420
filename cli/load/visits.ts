// A repeat visit in the replay's report: which part of it is the second visit's, what its connections were, and whether
// it was the visit that was wanted; and the step of a load that makes the first visit.
import { metricsOf } from "../../extension/capture/web_vitals.ts";
import type { RepeatVisit } from "../../schemas/generated/page_load.ts";
import type { ReplayReport } from "./reports.ts";
import type { LoadStep } from "./step.ts";

/** What came before a repeat visit, in the same browser. */
export interface FirstVisit {
  readonly plt_ms: number | null;
  readonly keepCache: boolean;
}

type Connection = ReplayReport["connections"][number];

/** The report without what belongs to earlier visits; `requests` still name their connections by id. */
export function lastVisit(replay: ReplayReport): ReplayReport {
  const began_ns = replay.visits_ns.at(-1);
  if (began_ns === undefined) return replay;
  return {
    ...replay,
    connections: replay.connections.filter(({ opened_ns }) => opened_ns >= began_ns),
    requests: replay.requests.filter(({ request_ns }) => request_ns >= began_ns),
    dns: replay.dns.filter(({ time_ns }) => time_ns >= began_ns),
  };
}

const isSecure = (connection: Connection): boolean => connection.secured_ns !== null;

/** Of the last visit's report. */
export function repeatVisitOf(first: FirstVisit, visit: ReplayReport | null): RepeatVisit {
  const secure = (visit?.connections ?? []).filter(isSecure);
  return {
    first_plt_ms: first.plt_ms,
    cache: first.keepCache ? "kept" : "emptied",
    connections: secure.length,
    resumed: secure.filter(({ resumed }) => resumed).length,
    early_data: secure.filter(({ early_data }) => early_data).length,
  };
}

/** Why the visit is no repeat visit as requested: the page itself has to come over a connection with early data. */
export function repeatReasons(replay: ReplayReport): string[] {
  if (replay.visits_ns.length === 0) return ["trilane-replay was not told of the repeat visit"];
  const visit = lastVisit(replay);
  const first = visit.requests.toSorted((a, b) => a.request_ns - b.request_ns)[0];
  // With a kept cache nothing may have been requested at all.
  if (!first) return [];
  const connection = visit.connections.find(({ id }) => id === first.connection);
  if (connection === undefined) return ["the page's connection is one of the first visit"];
  if (connection.early_data) return [];
  const how = connection.resumed ? "was resumed without early data" : "was not resumed";
  return [`the page's connection ${how}: ${first.url}`];
}

export function repeatStep(between: { readonly keepCache: boolean; readonly rtt_ms: number }): LoadStep {
  let first: FirstVisit | null = null;
  return {
    async visit({ browser, load, leave }) {
      const { timings } = await load();
      first = { plt_ms: metricsOf(timings).plt_ms, keepCache: between.keepCache };
      const page = await leave(between);
      // The replay begins anew: it gives repeated answers from the first one on, and marks the moment in its report.
      browser.signal("SIGUSR1");
      return page;
    },
    says: ({ replay }) => ({ facts: { repeat: first && repeatVisitOf(first, replay && lastVisit(replay)) } }),
  };
}
