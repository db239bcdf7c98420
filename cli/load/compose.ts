// What a load left behind -> the page load document (schemas/page-load.schema.json). Pure: no clock, no files.

import { earlyMetrics, profileMetricsOf } from "../../extension/capture/web_vitals.ts";
import type { Environment } from "../../schemas/generated/environment.ts";
import type { PageLoad, ReplayFacts } from "../../schemas/generated/page_load.ts";
import { laneFacts } from "../base/lanes.ts";
import { version } from "../base/version.ts";
import type { EngineName } from "../browser/engine.ts";
import type { RecordedRequests } from "../recording/archive/recorded_requests.ts";
import { environmentOf, machine } from "./environment.ts";
import type { FarOutcome } from "./far_side.ts";
import type { LoadRequest } from "./load_request.ts";
import { withNextHops } from "./next_hops.ts";
import type { Observation } from "./observe.ts";
import type { ReplayReport, ShaperReport } from "./reports.ts";
import type { Serving } from "./serving/serving.ts";
import { type Ended, type LoadStep, merged } from "./step.ts";
import { verify } from "./validity.ts";
import { lastVisit } from "./visits.ts";

interface Measured {
  readonly request: LoadRequest;
  readonly steps: readonly LoadStep[];
  /** As it was served, with the time pinned if it was. */
  readonly serving: Serving;
  /** What served in front of trilane-replay, or in its place. */
  readonly server: Pick<FarOutcome, "facts" | "reasons">;
  /** The folder of what else the load left; null: nothing. */
  readonly evidence: string | null;
  /** What the recording has; null: another one was found in its place. */
  readonly recorded: RecordedRequests | null;
  readonly upgraded: boolean;
  readonly browser: { readonly name: EngineName; readonly version: string };
  readonly browserDigest: string | null;
  readonly observation: Observation;
  readonly replay: ReplayReport | null;
  readonly shaper: ShaperReport | null;
  readonly commandLines: Environment["command_lines"];
  readonly places: readonly { path: string; name: string }[];
  readonly started_ns: number;
}

export function composePageLoad(measured: Measured, ended_ns: number): PageLoad {
  const { request, steps, serving, server, recorded, browser, replay, shaper } = measured;
  const { lane, link, recording, strict = false, timeout_ms } = request;
  const { page, reading, failure } = measured.observation;
  const { timings, clsTbt } = reading;
  // The lab has gone: what its page reported at the end is in it, too.
  const observed = page?.observed(timings) ?? null;
  const metrics = failure === null ? profileMetricsOf(timings, clsTbt) : earlyMetrics(timings, failure);
  const navigation_s = observed?.navigation_s ?? null;
  const navigation_ns = navigation_s === null ? null : Math.round(navigation_s * 1e9);
  const at_ns: Ended["at_ns"] = (time_ms) =>
    navigation_ns === null || typeof time_ms !== "number" ? null : navigation_ns + Math.round(time_ms * 1e6);
  const pageEnd_ns = at_ns(metrics.plt_ms);
  const last = steps.find((step) => step.ends);
  const loadEnd_ns = pageEnd_ns === null || !last?.ends ? pageEnd_ns : last.ends({ at_ns });
  const said = steps.map((step) => step.says?.({ navigation_ns, loadEnd_ns, failure, replay, shaper, at_ns }) ?? {});
  const verdict = verify({
    ...{ lane, link, recorded, strict, timeout_ms, loadEnd_ns, replay, shaper, failure },
    entries: observed?.entries ?? [],
    failedUrls: recording.failedUrls ?? [],
    upgraded: measured.upgraded,
    documents: observed?.documents ?? [],
    spoilt: said.flatMap(({ reasons = [] }) => reasons),
    server: server.reasons,
    isUnlogged: server.facts?.program === null && server.facts.logged === 0,
    isLive: server.facts?.live ?? false,
    ...merged(steps.map(({ judged }) => judged)),
  });
  const { dns = [] } = (replay && laneFacts[lane].repeat ? lastVisit(replay) : replay) ?? {};
  const load: PageLoad = {
    log: {
      version: "1.2",
      creator: { name: "trilane", version },
      browser,
      pages: [
        {
          startedDateTime: (observed?.began ?? new Date(0)).toISOString(),
          id: "page_1",
          title: recording.url,
          pageTimings: { onContentLoad: metrics.dcl_ms ?? -1, onLoad: metrics.plt_ms ?? -1 },
        },
      ],
      entries: withNextHops(verdict.entries, reading.nextHops),
      _trilane: {
        schema: "trilane/page-load/1",
        ...{ lane, link },
        page: recording.name,
        recording_digest: recording.digest,
        status: verdict.status,
        reasons: verdict.reasons,
        ...(reading.watched ? { watched: reading.watched } : {}),
        metrics,
        counts: verdict.counts,
        coverage: verdict.coverage,
        protocols: verdict.protocols,
        ...(verdict.fallback ? { fallback: verdict.fallback } : {}),
        repeat: null,
        background: verdict.background,
        dns: dns.map(({ name, type, answer, time_ns }) => ({ name, type, answer, time_ns })),
        serving,
        ...(server.facts ? { server: server.facts } : {}),
        ...(measured.evidence === null ? {} : { evidence: measured.evidence }),
        replay: replay && withoutLists(replay),
        shaper,
        environment: environmentOf({
          machine: machine(),
          versions: {
            trilane: version,
            node: process.versions.node,
            ...(browser.version ? { [browser.name.toLowerCase()]: browser.version } : {}),
            ...replay?.versions,
          },
          browserDigest: measured.browserDigest,
          congestionControl: {
            tcp: replay?.transport.tcp.congestion_control ?? null,
            quic: replay?.transport.quic.congestion_control ?? null,
          },
          commandLines: measured.commandLines,
          places: measured.places,
        }),
        started_ns: measured.started_ns,
        ...(clsTbt?.longTasks
          ? { long_tasks: clsTbt.longTasks.map(({ start, duration }) => ({ start_ms: start, duration_ms: duration })) }
          : {}),
        ...(timings?.userTimings ? { user_timings: [...timings.userTimings] } : {}),
        ...(reading.videos ? { videos: reading.videos } : {}),
        ...merged(said.map(({ facts }) => facts)),
        navigation_start_ns: navigation_ns,
        wall_ms: (ended_ns - measured.started_ns) / 1e6,
      },
    },
  };
  return steps.reduce((whole, step) => step.complete?.(whole) ?? whole, load);
}

/** The page's requests are in the entries, the names asked in `dns`. */
function withoutLists({ requests, dns, ...rest }: ReplayReport): ReplayFacts {
  void requests;
  void dns;
  return rest;
}
