// One measured load: makes a lab with a fresh browser in it, loads the recording's page over one lane and one link,
// and returns the page load with its verdict. Everything it started or wrote is gone when it returns.
//
// A load that fails (a crash, a time-out, an error page) is a result, with its reason. Thrown is only what would fail
// every load: no browser, no user namespaces, no recording, or another one than was asked; and the abort signal's reason.
import { homedir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { ClsTbt } from "../../extension/capture/cls_tbt.ts";
import { metricsOf, type PageTimings } from "../../extension/capture/metrics.ts";
import { timelineExpression, timelineNow, timelineOf } from "../../extension/capture/page_timeline.ts";
import { pageVideosOf } from "../../extension/capture/videos.ts";
import type { CpuTimes, PageLoad, PageVideos, Pressure, Watched } from "../../schemas/generated/page_load.ts";
import type { VideoEvents } from "../../schemas/generated/video_events.ts";
import { debugLine } from "../base/debug.ts";
import { RunError, UserError } from "../base/errors.ts";
import { type Lane, laneFacts } from "../base/lanes.ts";
import { browserProgram, chromiumPath } from "../base/programs.ts";
import { type Exit, killedBy, StartError } from "../browser/browser.ts";
import { binaryDigest, versionInWords } from "../browser/browser_binary.ts";
import type { Device } from "../browser/device.ts";
import type { Engine, EngineBrowser, EnginePage, VisitOptions } from "../browser/engine.ts";
import { NavigationError, timingsSoFar } from "../browser/page.ts";
import { pinTimeScript } from "../browser/pin_time.ts";
import { makeScratchFolder, throwIfFull } from "../browser/scratch.ts";
import type { ScreencastFrame } from "../browser/screencast.ts";
import type { LinkProfile } from "../link/link.ts";
import { upgradesClearOrigins, urlOnLane } from "./clear_origins.ts";
import { composePageLoad, type Measured } from "./compose.ts";
import { cpuTimeBetween, labUseOf } from "./cpu_time.ts";
import {
  type CrossTraffic,
  countingArguments,
  giveSamples,
  prepareTraffic,
  type RunningTraffic,
  readTraffic,
  untilPageStart,
  watchTraffic,
} from "./cross_traffic.ts";
import type { Tolerance } from "./disturbance.ts";
import { engineOf } from "./engine_of.ts";
import { keepBrowserQlogs, keepLoad, keepReports, openEvidence } from "./evidence.ts";
import { extraRttArgumentsOf } from "./extra_rtts.ts";
import { farSide } from "./far_side.ts";
import { flightArguments, readFirstFlight } from "./first_flight.ts";
import { hidingArguments } from "./hidden_files.ts";
import { upgradesByItself } from "./hsts.ts";
import { labCommand, throwWhatFailsEveryLoad } from "./lab.ts";
import { boundTo } from "./lab_cpus.ts";
import { beginProfile } from "./made_profile.ts";
import { type NextHops, nextHopsExpression, nextHopsOf } from "./next_hops.ts";
import { type PressureReading, pressureBetween, readPressure } from "./pressure.ts";
import { quietAtMost_ms, untilQuiet } from "./quiet_page.ts";
import { recordedRequestsOf } from "./recorded_requests_of.ts";
import { readReplayReport, readShaperReport } from "./reports.ts";
import type { LoadServer } from "./servers/servers.ts";
import { type Serving, stockServing } from "./serving/serving.ts";
import { endless, neverBegan, timedOutAfter_ms, timeOut } from "./time_out.ts";
import { replacedRecording } from "./validity.ts";
import { readVideo, untilPlaying } from "./video/video_page.ts";
import { watchVideo, whyUnended } from "./video/watch_video.ts";
import type { FirstVisit } from "./visits.ts";

export type { Lane, PageLoad };

export interface LoadOptions {
  readonly home: string;
  readonly recording: {
    readonly name: string;
    readonly digest: string;
    readonly url: string;
    /** Requests that failed when it was recorded: they are to fail again. */
    readonly failedUrls?: readonly string[];
    /** Length of the video that its page plays: the load ends with it. Absent: it plays none. */
    readonly video_s?: number;
  };
  readonly lane: Lane;
  readonly link: LinkProfile;
  /** The browser's program. Default: chromiumPath. */
  readonly browser?: string;
  /** From navigation to load event; of a video to its end, beyond its length. */
  readonly timeout_ms: number;
  /** How long the page is watched after its load event at least; in any case until it is quiet (quiet_page.ts). Default 0. */
  readonly settle_ms?: number;
  /** Whether a repeat visit finds the first one's cache, cookies and storage. Default: only what resumes connections. */
  readonly keepCache?: boolean;
  /** Whether the recording must have an answer to each request before the load event. Default: only to most (metrics/coverage.ts). */
  readonly strict?: boolean;
  /** To which moment the page's clock is set, its random numbers seeded. Default: as `serving` asks, to the recording's. */
  readonly pinned_ms?: number | null;
  /** How the origins serve, and whether the page's time and chance are pinned. Default: as stock. */
  readonly serving?: Serving;
  /** What serves in front of trilane-replay, or in its place. Default: nothing. */
  readonly server?: LoadServer;
  /** The only CPUs that the lab may run on. Default: all. */
  readonly cpus?: readonly number[];
  /** Whether it is watched how much a server sends on a connection at first. Default: it is not, nor beside flows. */
  readonly watchesFlights?: boolean;
  /** A folder in which the load leaves captures, the transports' state and its reports; made where it is missing. */
  readonly evidence?: string;
  /** How long the machine may hold up its link. Default: usualTolerance. */
  readonly tolerance?: Tolerance;
  /** Flows that share the link with it, from before its navigation on. Default: none. Not on repeat visits. */
  readonly crossTraffic?: CrossTraffic;
  /** Default: the recording's. */
  readonly device?: Device;
  /** Given what the page showed, until a moment after its load event. Such a load may be slower: it is for no average. */
  readonly filmed?: (frames: readonly ScreencastFrame[]) => void;
  readonly signal?: AbortSignal;
}

// More than trilane-replay waits for an import that is writing the archive.
const startTimeout_ms = 40_000;
// A page whose main thread is busy for ever answers nothing.
const answerTimeout_ms = 5_000;
/** A frame in a process of its own may be busy for ever. */
const videosTimeout_ms = 1_000;

/** What was learnt of the page before the lab went. */
interface Observation {
  readonly page: EnginePage | null;
  readonly timings: PageTimings | null;
  readonly clsTbt: ClsTbt | null;
  readonly videos: PageVideos | null;
  readonly nextHops: NextHops;
  /** Until when, and whether the page was quiet then. */
  readonly watched: Watched | null;
  readonly cpu: CpuTimes;
  readonly pressure: Pressure | null;
  /** Of a video: until it played. */
  readonly startPressure: Pressure | null;
  readonly video: VideoEvents | null;
  /** Other loads were under way when it began or ended. */
  readonly isBeside: boolean;
  readonly browserVersion: string;
  /** What came before the load, on a lane of repeat visits. */
  readonly firstVisit: FirstVisit | null;
  /** Why the load did not end; null: it did. */
  readonly failure: string | null;
}

const causePatience_ms = 300;
/** What the load event's own scripts change is painted after it. */
const filmedAfterLoad_ms = 500;

/** What a visited page told, and what it cost. */
type Seen = Pick<
  Observation,
  "timings" | "clsTbt" | "videos" | "nextHops" | "watched" | "cpu" | "pressure" | "startPressure" | "video" | "isBeside"
>;
const nothingSeen: Seen = {
  timings: null,
  clsTbt: null,
  videos: null,
  nextHops: new Map(),
  watched: null,
  cpu: null,
  pressure: null,
  startPressure: null,
  video: null,
  isBeside: false,
};

/** Loads under way in this process. */
let underWay = 0;

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
const nowNs = (): number => Number(process.hrtime.bigint());

export async function measureLoad(options: LoadOptions): Promise<PageLoad> {
  underWay++;
  try {
    return await measureOne(options);
  } finally {
    underWay--;
  }
}

async function measureOne(options: LoadOptions): Promise<PageLoad> {
  const { home, recording, lane, link, signal } = options;
  const started_ns = nowNs();
  signal?.throwIfAborted();
  const program = options.browser === undefined ? chromiumPath() : browserProgram(options.browser);
  const engine = engineOf(program);
  const [browserDigest, recorded] = await Promise.all([binaryDigest(program), recordedRequestsOf(home, recording)]);
  const device = options.device ?? recorded?.device;
  const isLive = options.server?.definition.live !== undefined;
  // pasta ends TCP at this end of the link: its first flight says nothing of the server.
  const endsTcp = isLive && !laneFacts[lane].protocols.every((each) => each === "h3");
  const byBrowser =
    lane === "h1" &&
    !isLive &&
    (options.server !== undefined ||
      recorded?.isMixed ||
      (engine.hasPreloadList && (await upgradesByItself(program, recording.url))));
  const asked = options.serving ?? stockServing;
  const refused = engine.refusal({
    lane,
    films: options.filmed !== undefined,
    video: recording.video_s !== undefined,
    frequentAcks: asked.client_acks === "frequent",
    hosts: recorded?.addresses ?? new Map(),
    isLive,
  });
  if (refused !== null) throw new UserError(refused);
  const scratch = await makeScratchFolder();
  try {
    await beginProfile({ engine, program, digest: browserDigest, home }, scratch.profile);
    const serving = typeof options.pinned_ms === "number" ? { ...asked, pin_time: true } : asked;
    const evidence = options.evidence === undefined ? null : await openEvidence(options.evidence, scratch.folder);
    const far = await farSide({
      ...{ home, recording, lane, byBrowser, serving, server: options.server, evidence, scratch: scratch.folder },
    });
    const shaperOptions = [
      ...hidingArguments({ program, writable: [scratch.folder, ...(evidence ? [evidence.qlogs] : [])], data: home }),
      ...(serving.extra_rtt ? await extraRttArgumentsOf(home, recording) : []),
      ...(evidence?.shaperOptions ?? []),
    ];
    const { reports } = scratch;
    const traffic = options.crossTraffic
      ? await prepareTraffic(options.crossTraffic, { scratch: scratch.folder, evidence })
      : null;
    const flights =
      options.watchesFlights && !traffic && !endsTcp
        ? flightArguments(scratch.folder, evidence?.counters ?? null)
        : null;
    const lab = labCommand({
      ...{ home, link, reports, ...far.lab },
      shaperOptions: [
        ...shaperOptions,
        ...(flights?.words ?? []),
        ...(traffic ? countingArguments(traffic, evidence !== null) : []),
      ],
      ...(traffic ? { flows: traffic.files } : {}),
    });
    const browser = await engine.command({
      ...{ program, lane, profile: scratch.profile, temporary: scratch.folder, spkiList: far.spkiList },
      addresses: far.addresses,
      ...(recorded && !isLive ? { hosts: recorded.addresses } : {}),
      ...(device ? { device } : {}),
      frequentAcks: asked.client_acks === "frequent",
      autoplays: recording.video_s !== undefined,
      logs: evidence !== null,
    });
    const url = urlOnLane(recording.url, lane, byBrowser);
    const watched = traffic && watchTraffic(traffic, reports.shaper);
    const observation = await observe({ ...options, engine, ...(device ? { device } : {}), traffic }, url, {
      commandLine: [...boundTo(options.cpus), ...lab.replay, ...lab.shaper, ...browser.through, ...browser.words],
      environment: { ...browser.environment, ...evidence?.environment },
      timeout_ms: startTimeout_ms,
    }).finally(() => watched?.close());
    signal?.throwIfAborted();
    const { replay, ...served } = await far.read(await readReplayReport(scratch.reports.replay));
    if (observation.failure !== null || replay === null) throwIfFull(scratch);
    const replaced = replacedRecording(recording, replay);
    if (replaced !== null) throw new RunError(replaced);
    if (evidence) {
      await keepReports(evidence, reports, traffic?.files);
      await keepBrowserQlogs(evidence, (await engine.qlogs?.(scratch.folder)) ?? []);
    }
    if (traffic) await giveSamples(traffic, scratch.reports.shaper);
    const measured: Measured = {
      lane,
      serving,
      evidence: evidence?.folder ?? null,
      link,
      tolerance: options.tolerance,
      timeout_ms: options.timeout_ms,
      recording,
      recorded,
      strict: options.strict ?? false,
      upgraded: upgradesClearOrigins(lane, byBrowser),
      ...observation,
      browserVersion: versionInWords(observation.browserVersion, program),
      browserDigest,
      engine: engine.name,
      // Once the lab has gone: what its page told at the end counts, too.
      observed: observation.page?.observed(observation.timings) ?? null,
      replay,
      server: served,
      ...(flights
        ? { firstFlight_bytes: await readFirstFlight(flights.files, link.rtt_ms, laneFacts[lane].clear) }
        : {}),
      shaper: await readShaperReport(scratch.reports.shaper),
      traffic: traffic && { ...traffic, reports: await readTraffic(traffic) },
      commandLines: {
        replay: [...boundTo(options.cpus), ...lab.replay],
        shaper: [...lab.shaper],
        browser: [...browser.words],
      },
      places: [
        { path: scratch.profile, name: "$PROFILE" },
        { path: scratch.folder, name: "$REPORTS" },
        { path: home, name: "$TRILANE_HOME" },
        { path: homedir() === "/" ? "" : homedir(), name: "$HOME" },
        ...far.places,
        ...(evidence ? [{ path: evidence.folder, name: "$EVIDENCE" }] : []),
      ],
      started_ns,
    };
    await scratch.remove();
    const load = composePageLoad(measured, nowNs());
    debugLine("loads", () => {
      const { status, reasons } = load.log._trilane;
      return `${recording.name} ${lane}: ${[status, ...reasons].join("; ")}`;
    });
    if (evidence) await keepLoad(evidence, load);
    return load;
  } finally {
    await scratch.remove();
  }
}

type Start = Parameters<Engine["start"]>[0];
type Observing = LoadOptions & { readonly engine: Engine; readonly traffic: RunningTraffic | null };

/** Runs the lab from its start to its end. */
async function observe(options: Observing, url: string, start: Start): Promise<Observation> {
  const { signal } = options;
  let browser: EngineBrowser;
  try {
    browser = await options.engine.start(start, signal);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    throwWhatFailsEveryLoad(error);
    const failure = `the browser did not start: ${error.message}`;
    return { ...nothingSeen, page: null, browserVersion: "", firstVisit: null, failure };
  }
  const stop = () => void browser.stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await observePage(browser, options, url);
  } finally {
    signal?.removeEventListener("abort", stop);
    await browser.stop();
  }
}

/** A signal that is the started program's own hit trilane-replay, which runs the others; theirs arrive as its exit status. */
export function endDuringLoad(exit: Exit): string {
  if (exit.signal !== null) return `trilane-replay was killed during the load (${exit.signal})`;
  return `the browser ended during the load (${killedBy(exit) ?? `exit status ${exit.code}`})`;
}

async function observePage(browser: EngineBrowser, options: Observing, url: string): Promise<Observation> {
  let page: EnginePage | null = null;
  let seen = nothingSeen;
  let browserVersion = "";
  let firstVisit: FirstVisit | null = null;
  let timer: NodeJS.Timeout | undefined;
  /** Of the load that is measured. */
  const begun = {
    page: null as EnginePage | null,
    isLoaded: false,
    pressure: null as PressureReading | null,
    isBeside: false,
  };
  const { video_s } = options.recording;
  const failWhen = Promise.withResolvers<never>();
  failWhen.promise.catch(() => {});
  void browser.exited.then((exit) => failWhen.reject(new NavigationError(endDuringLoad(exit))));
  const limit = (time_ms: number, what: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => failWhen.reject(new NavigationError(what)), time_ms);
  };
  const orFail = <T>(promise: Promise<T>): Promise<T> => Promise.race([promise, failWhen.promise]);
  const ended = new AbortController();
  try {
    limit(startTimeout_ms, `the browser showed no page within ${startTimeout_ms} ms`);
    const [watched, version] = await orFail(Promise.all([browser.page(watching(options)), browser.version()]));
    browserVersion = version;
    if (laneFacts[options.lane].clear) await orFail(browser.sendInClear());
    const visit = async (visited: EnginePage): Promise<Seen> => {
      page = visited;
      const which = laneFacts[options.lane].repeat && firstVisit === null ? " of the first visit" : "";
      visited.crashed.catch((error: unknown) => failWhen.reject(error));
      const isLast = !laneFacts[options.lane].repeat || firstVisit !== null;
      if (options.traffic) {
        limit(options.traffic.pageStart_ms + startTimeout_ms, "the cross traffic did not begin");
        await orFail(untilPageStart(options.traffic, ended.signal));
      }
      const film = options.filmed && isLast ? await orFail(visited.film()) : null;
      const before = isLast ? readPressure(browser.pid) : null;
      begun.pressure = before;
      begun.isBeside = underWay > 1;
      if (isLast) begun.page = visited;
      const given_ms = options.timeout_ms + (video_s ?? 0) * 1000;
      const unplayed = isLast ? endless(given_ms) : neverBegan(given_ms);
      limit(given_ms, video_s === undefined ? timeOut(given_ms, which) : unplayed);
      const video = await browser.heldDuring(async () => {
        await orFail(visited.load(url));
        begun.isLoaded = isLast;
        if (video_s === undefined) return null;
        // What makes connections to its servers resume is there once it plays.
        if (!isLast) await orFail(untilPlaying(visited));
        return isLast ? await watchVideo(visited, orFail, () => readPressure(browser.pid)) : null;
      });
      const loaded = isLast ? readPressure(browser.pid) : null;
      const settle_ms = options.settle_ms ?? 0;
      limit(
        Math.max(settle_ms, quietAtMost_ms) + answerTimeout_ms,
        `the page did not answer within ${answerTimeout_ms} ms after it had come to rest`,
      );
      // A page may give way to another one while it is watched: then what it told here is all there is.
      const atLoad = visited.evaluate(timelineExpression).then(timelineOf);
      atLoad.catch(() => undefined);
      const { timings, clsTbt, videos, nextHops, watched } = await orFail(readAtRest(visited, atLoad, settle_ms));
      const all = isLast ? labUseOf(browser.pid) : null;
      const cpu =
        before && loaded && all ? { load: cpuTimeBetween(before.use.cpu, loaded.use.cpu), all: all.cpu } : null;
      const pressure = before && loaded ? pressureBetween(before, loaded) : null;
      const startPressure = before && video?.began ? pressureBetween(before, video.began) : null;
      if (film) {
        await orFail(delay(filmedAfterLoad_ms));
        options.filmed?.(await orFail(film.stop()));
      }
      const record = video?.record ?? null;
      const isBeside = begun.isBeside || underWay > 1;
      return { timings, clsTbt, videos, nextHops, watched, cpu, pressure, startPressure, video: record, isBeside };
    };
    seen = await visit(watched);
    if (laneFacts[options.lane].repeat) {
      firstVisit = { plt_ms: metricsOf(seen.timings).plt_ms, keepCache: options.keepCache ?? false };
      seen = nothingSeen;
      limit(startTimeout_ms, `the browser was not ready for the repeat visit within ${startTimeout_ms} ms`);
      const { keepCache = false, link } = options;
      const between = { keepCache, rtt_ms: link.rtt_ms };
      const second = await orFail(browser.nextVisit(watched, between, watching(options)));
      // The replay begins anew: it gives repeated answers from the first one on, and marks the moment in its report.
      browser.signal("SIGUSR1");
      seen = await visit(second);
    }
    return { page, ...seen, browserVersion, firstVisit, failure: null };
  } catch (error) {
    if (begun.pressure && seen.pressure === null) {
      // That the machine kept it waiting up to now: one that timed out would else count as slow.
      const now = readPressure(browser.pid);
      const pressure = now && pressureBetween(begun.pressure, now);
      seen = { ...seen, pressure, isBeside: begun.isBeside || underWay > 1 };
    }
    // A browser that died first shows as a call without an answer; its end, which is the reason, is known once the lab has ended.
    const until_ms = error instanceof NavigationError ? causePatience_ms : 10 * causePatience_ms;
    const cause = await Promise.race([failWhen.promise.catch(asError), delay(until_ms, asError(error))]);
    const isTimeOut = timedOutAfter_ms([cause.message]) !== null;
    const patience_ms = isTimeOut ? answerTimeout_ms : causePatience_ms;
    const video = begun.page && video_s !== undefined ? await lastRecord(begun.page, patience_ms) : null;
    const isEndless = isTimeOut && video_s !== undefined;
    const failure = isEndless ? whyUnended(video, cause.message, begun.isLoaded) : cause.message;
    const asked = isTimeOut ? begun.page : null;
    const timings = asked && (await timingsSoFar(asked, asked.observed(null).documents, answerTimeout_ms));
    return { page, ...seen, timings, video, browserVersion, firstVisit, failure };
  } finally {
    clearTimeout(timer);
    ended.abort();
  }
}

/** Of a video that did not come to its end, if its page still answers. */
async function lastRecord(page: EnginePage, patience_ms: number): Promise<VideoEvents | null> {
  return await Promise.race([readVideo(page).catch(() => null), delay(patience_ms, null, { ref: false })]);
}

type Timeline = ReturnType<typeof timelineOf>;

/** The page's times once it is quiet; `atLoad`, if it has given way to another page by then. */
async function readAtRest(
  page: EnginePage,
  atLoad: Promise<Timeline>,
  settle_ms: number,
): Promise<Timeline & Pick<Observation, "videos" | "nextHops" | "watched">> {
  try {
    const quiet = await untilQuiet({ page, settle_ms });
    await atLoad;
    // What a quiet page drew has been on the screen for long.
    const read = timelineOf(await page.evaluate(quiet ? timelineNow : timelineExpression));
    const videos = pageVideosOf(await page.videos(delay(videosTimeout_ms, undefined, { ref: false })));
    const nextHops = nextHopsOf(await page.evaluate(nextHopsExpression));
    return { ...read, videos, nextHops, watched: watchedUntil(read, quiet) };
  } catch (error) {
    if (!(error instanceof NavigationError)) throw error;
    // A browser or page that died is told of a moment later, and has no metrics.
    await delay(causePatience_ms);
    const told = await atLoad;
    return { ...told, videos: null, nextHops: new Map(), watched: watchedUntil(told, false) };
  }
}

const watchedUntil = ({ timings }: Timeline, quiet: boolean): Watched | null =>
  timings?.read !== undefined ? { until_ms: Math.max(0, timings.read - timings.activationStart), quiet } : null;

function watching({ serving, pinned_ms = null, device }: LoadOptions): VisitOptions {
  const isPinned = pinned_ms !== null || serving?.pin_time;
  const firstScript = pinTimeScript(pinned_ms === null ? {} : { moment_ms: pinned_ms });
  return {
    watchesLongTasks: true,
    watchesVideos: true,
    ...(isPinned ? { firstScript } : {}),
    ...(device ? { device } : {}),
  };
}
