// What a load left behind -> the page load document (schemas/page-load.schema.json). Pure: no clock, no files.

import { type ClsTbt, profileMetricsOf } from "../../extension/capture/cls_tbt.ts";
import { earlyMetrics, type PageTimings } from "../../extension/capture/metrics.ts";
import type { Environment } from "../../schemas/generated/environment.ts";
import type {
  CpuTimes,
  Disturbance,
  PageLoad,
  PageVideos,
  Pressure,
  ReplayFacts,
  Watched,
} from "../../schemas/generated/page_load.ts";
import type { VideoEvents } from "../../schemas/generated/video_events.ts";
import type { Lane } from "../base/lanes.ts";
import { version } from "../base/version.ts";
import type { EngineName, Observed } from "../browser/engine.ts";
import type { LinkProfile } from "../link/link.ts";
import type { RecordedRequests } from "../recording/archive/recorded_requests.ts";
import { type CrossTraffic, type TrafficReports, trafficFacts, trafficReasons } from "./cross_traffic.ts";
import { disturbanceOf, estimatedEffect_ms, heldUpReasons, mostDisturbed, type Tolerance } from "./disturbance.ts";
import { environmentOf, machine } from "./environment.ts";
import type { FarOutcome } from "./far_side.ts";
import { criticalPath } from "./metrics/critical_path.ts";
import { playbackOf } from "./metrics/video/playback.ts";
import { type NextHops, withNextHops } from "./next_hops.ts";
import type { ReplayReport, ShaperReport } from "./reports.ts";
import type { Serving } from "./serving/serving.ts";
import { verify } from "./validity.ts";
import { type FirstVisit, lastVisit, repeatVisitOf } from "./visits.ts";

export interface Measured {
  readonly lane: Lane;
  readonly link: LinkProfile;
  readonly serving: Serving;
  /** What served in front of trilane-replay, or in its place. Absent: nothing. */
  readonly server?: Pick<FarOutcome, "facts" | "reasons">;
  /** The most that a server sent at first on a connection. Absent: it was not watched. */
  readonly firstFlight_bytes?: number | null;
  /** The folder of what else the load left; null: nothing. */
  readonly evidence: string | null;
  /** undefined: the usual one. */
  readonly tolerance?: Tolerance | undefined;
  readonly recording: {
    readonly name: string;
    readonly digest: string;
    readonly url: string;
    readonly failedUrls?: readonly string[];
    readonly video_s?: number;
  };
  /** What the recording has; null: another one was found in its place. */
  readonly recorded: RecordedRequests | null;
  readonly strict: boolean;
  readonly upgraded: boolean;
  readonly engine: EngineName;
  /** What its page told; null: there was none. */
  readonly observed: Observed | null;
  /** Of a load that timed out: as far as its page had come. */
  readonly timings: PageTimings | null;
  readonly clsTbt: ClsTbt | null;
  readonly videos?: PageVideos | null;
  readonly nextHops?: NextHops;
  readonly watched?: Watched | null;
  readonly cpu: CpuTimes;
  readonly pressure: Pressure | null;
  /** Of a video: until it played. */
  readonly startPressure?: Pressure | null;
  /** null: the page plays none, or it is not known how it played. */
  readonly video?: VideoEvents | null;
  readonly isBeside?: boolean;
  readonly browserVersion: string;
  readonly browserDigest: string | null;
  /** null: the load was a first visit, or the first one did not end. */
  readonly firstVisit: FirstVisit | null;
  readonly failure: string | null;
  /** From navigation to load event. */
  readonly timeout_ms: number;
  readonly replay: ReplayReport | null;
  readonly shaper: ShaperReport | null;
  /** The flows beside it; null: none. */
  readonly traffic: (CrossTraffic & { readonly reports: TrafficReports }) | null;
  readonly commandLines: Environment["command_lines"];
  readonly places: readonly { path: string; name: string }[];
  readonly started_ns: number;
}

export function composePageLoad(measured: Measured, ended_ns: number): PageLoad {
  return withEstimate(composeMeasured(measured, ended_ns), measured);
}

/** With the disturbance's effect, if it is known what the page waited for: of a video that is not how it plays. */
function withEstimate(load: PageLoad, { link, recording, pressure }: Measured): PageLoad {
  const { disturbance } = load.log._trilane;
  const path = disturbance && recording.video_s === undefined ? criticalPath(load) : null;
  const estimate_ms =
    disturbance && path && estimatedEffect_ms(disturbance, pressure, { ...path, rtt_ms: link.rtt_ms });
  if (!disturbance || typeof estimate_ms !== "number") return load;
  return { log: { ...load.log, _trilane: { ...load.log._trilane, disturbance: { ...disturbance, estimate_ms } } } };
}

function composeMeasured(measured: Measured, ended_ns: number): PageLoad {
  const { observed, timings, clsTbt, recording, replay, shaper, failure, firstVisit } = measured;
  const visit = replay && firstVisit ? lastVisit(replay) : replay;
  const navigation_s = observed?.navigation_s ?? null;
  const metrics = failure === null ? profileMetricsOf(timings, clsTbt) : earlyMetrics(timings, failure);
  const start_ns = navigation_s === null ? null : Math.round(navigation_s * 1e9);
  const pageEnd_ns = start_ns === null || metrics.plt_ms === null ? null : start_ns + Math.round(metrics.plt_ms * 1e6);
  const playback = measured.video ? playbackOf(measured.video.events) : null;
  const at_ns = (time_ms: number | null | undefined): number | null =>
    start_ns === null || time_ms === null || time_ms === undefined ? null : start_ns + Math.round(time_ms * 1e6);
  // A page that plays a video is loaded until that ends.
  const loadEnd_ns = recording.video_s === undefined || pageEnd_ns === null ? pageEnd_ns : at_ns(playback?.ended_ms);
  // One that did not end was disturbed up to the end of its lab.
  const end_ns = loadEnd_ns ?? (failure === null ? null : (shaper?.end_ns ?? null));
  const { overdue } = shaper ?? {};
  const { pressure, startPressure = null, tolerance, isBeside = false } = measured;
  const disturbanceUntil = (until_ns: number | null, waited: Pressure | null): Disturbance[] =>
    start_ns === null || until_ns === null || until_ns < start_ns || !overdue
      ? []
      : [
          disturbanceOf({
            window: { start_ns, end_ns: until_ns },
            ...{ overdue, pressure: waited, tolerance, isBeside },
          }),
        ];
  const spans = [
    ...disturbanceUntil(end_ns, pressure),
    // Against a whole video's length what delays its start would be little.
    ...disturbanceUntil(at_ns(playback?.began_ms), startPressure),
  ];
  const { traffic } = measured;
  const times = { navigation_ns: start_ns, loadEnd_ns };
  const verdict = verify({
    lane: measured.lane,
    link: measured.link,
    entries: observed?.entries ?? [],
    failedUrls: recording.failedUrls ?? [],
    // A player chooses what it asks for: no share of a video's recording is expected of it, but an answer to each request.
    recorded: recording.video_s === undefined ? measured.recorded : null,
    strict: measured.strict,
    exact: recording.video_s !== undefined,
    timeout_ms: measured.timeout_ms,
    upgraded: measured.upgraded,
    documents: observed?.documents ?? [],
    loadEnd_ns,
    replay,
    shaper,
    traffic: traffic ? trafficReasons(traffic, traffic.reports, times) : [],
    heldUp: heldUpReasons(spans),
    server: measured.server?.reasons ?? [],
    isUnlogged: measured.server?.facts?.program === null && measured.server.facts.logged === 0,
    isLive: measured.server?.facts?.live ?? false,
    failure,
  });
  return {
    log: {
      version: "1.2",
      creator: { name: "trilane", version },
      browser: { name: measured.engine, version: measured.browserVersion },
      pages: [
        {
          startedDateTime: (observed?.began ?? new Date(0)).toISOString(),
          id: "page_1",
          title: recording.url,
          pageTimings: { onContentLoad: metrics.dcl_ms ?? -1, onLoad: metrics.plt_ms ?? -1 },
        },
      ],
      entries: measured.nextHops ? withNextHops(verdict.entries, measured.nextHops) : verdict.entries,
      _trilane: {
        schema: "trilane/page-load/1",
        lane: measured.lane,
        link: measured.link,
        page: recording.name,
        recording_digest: recording.digest,
        status: verdict.status,
        reasons: verdict.reasons,
        ...(measured.watched ? { watched: measured.watched } : {}),
        ...(measured.video ? { video: measured.video } : {}),
        metrics,
        counts: verdict.counts,
        coverage: verdict.coverage,
        protocols: verdict.protocols,
        ...(verdict.fallback ? { fallback: verdict.fallback } : {}),
        repeat: firstVisit && repeatVisitOf(firstVisit, visit),
        background: verdict.background,
        dns: (visit?.dns ?? []).map(({ name, type, answer, time_ns }) => ({ name, type, answer, time_ns })),
        serving: measured.serving,
        ...(measured.server?.facts ? { server: measured.server.facts } : {}),
        ...(measured.firstFlight_bytes === undefined ? {} : { first_flight_bytes: measured.firstFlight_bytes }),
        ...(measured.evidence === null ? {} : { evidence: measured.evidence }),
        replay: replay && withoutLists(replay),
        shaper,
        environment: environmentOf({
          machine: machine(),
          versions: {
            trilane: version,
            node: process.versions.node,
            ...(measured.browserVersion ? { [measured.engine.toLowerCase()]: measured.browserVersion } : {}),
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
        ...(measured.videos ? { videos: measured.videos } : {}),
        cpu: measured.cpu,
        pressure: measured.pressure,
        disturbance: mostDisturbed(spans),
        ...(traffic ? { cross_traffic: trafficFacts(traffic, traffic.reports, times) } : {}),
        navigation_start_ns: navigation_s === null ? null : Math.round(navigation_s * 1e9),
        wall_ms: (ended_ns - measured.started_ns) / 1e6,
      },
    },
  };
}

/** The page's requests are in the entries, the names asked in `dns`. */
function withoutLists({ requests, dns, ...rest }: ReplayReport): ReplayFacts {
  void requests;
  void dns;
  return rest;
}
