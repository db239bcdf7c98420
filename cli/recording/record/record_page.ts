// One page recorded: a fresh browser loads it, is left until it is quiet, gives its bodies and ends; what was reported and
// logged becomes a page load to import. Everything it started or wrote is gone when it returns. Stores nothing.
import { mkdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { waitedFor } from "../../../extension/capture/at_rest.ts";
import { askBodies, type BodyTexts } from "../../../extension/capture/bodies.ts";
import type { Capture } from "../../../extension/capture/requests.ts";
import { freeBytes } from "../../base/disk_room.ts";
import { RunError } from "../../base/errors.ts";
import { formatSize } from "../../base/numbers.ts";
import { makeProcessFolder, sweepProcessFolders } from "../../base/process_folder.ts";
import { chromiumPath } from "../../base/programs.ts";
import { removedAtEnd } from "../../base/removed_at_end.ts";
import { type CDPSession, type RunningBrowser, StartError, startBrowser } from "../../browser/browser.ts";
import { userAgentOf } from "../../browser/browser_binary.ts";
import { chromiumEnvironment } from "../../browser/chromium.ts";
import { type Device, usualDevice } from "../../browser/device.ts";
import { NavigationError, type WatchedPage, watchPage } from "../../browser/page.ts";
import { pinTimeScript } from "../../browser/pin_time.ts";
import { throwIfFull } from "../../browser/scratch.ts";
import { guardCommand, type HostAddress, reachOf } from "../../link/live/reach.ts";
import { type RecordedLane, recorderArguments } from "./chromium_arguments.ts";
import { composeRecorded, type Recorded } from "./compose.ts";
import { startRemedy, withRemedy } from "./failure.ts";
import { type NetLog, readNetLog } from "./net_log.ts";
import { beginsLate } from "./pair.ts";

// A page is scrolled to its end, screen by screen, so that it asks for what it leaves until it is looked at; one that grows for ever is left
// after so many screens.
const screens = 60;
const pause_ms = 150;

/** Settles when the end is reached or the page has been given enough; its value: how many screens were scrolled. */
const scrollExpression = `(async () => {
  const pause = () => new Promise((resolve) => setTimeout(resolve, ${pause_ms}));
  const root = document.scrollingElement;
  if (!root) return 0;
  let scrolled = 0;
  for (let still = 0; scrolled < ${screens} && still < 3; ) {
    const before = root.scrollTop;
    root.scrollTo({ top: before + innerHeight * 0.9, behavior: "instant" });
    await pause();
    if (root.scrollTop > before) {
      scrolled++;
      still = 0;
    } else still++;
  }
  return scrolled;
})()`;

const poll_ms = 50;

/**
 * True as soon as for `quiet_ms` nothing was reported and nothing is under way; false where `until_ms` comes first. Rejects with
 * the signal.
 */
export async function comesToRest(
  capture: Capture,
  lastEvent_ms: () => number,
  quiet_ms: number,
  until_ms: number,
  signal?: AbortSignal,
): Promise<boolean> {
  for (;;) {
    const now_ms = performance.now();
    const silent_ms = now_ms - lastEvent_ms();
    if (silent_ms >= quiet_ms && waitedFor(capture, silent_ms).length === 0) return true;
    if (now_ms >= until_ms) return false;
    await delay(Math.min(poll_ms, Math.max(1, until_ms - now_ms)), undefined, signal ? { signal } : {});
  }
}

export interface RecordOptions {
  readonly url: string;
  /** Chromium's program. Default: chromiumPath. */
  readonly browser?: string | undefined;
  readonly lane: RecordedLane;
  readonly device?: Partial<Device>;
  readonly scroll: boolean;
  /** How long nothing may be under way before the page counts as done. */
  readonly quiet_ms: number;
  /** From navigation to the page's rest. */
  readonly timeout_ms: number;
  /** Whether the page's time and chance are pinned, as loads of the recording can be (cli/browser/pin_time.ts). */
  readonly pinTime?: boolean;
  readonly trustedKeys: readonly string[];
  readonly addresses: readonly HostAddress[];
  /** Whether the page may reach this machine and its networks wherever it comes from (reach.ts). Default: it may not. */
  readonly allowLocalNetwork?: boolean;
  /** What the browser is started by, as liveLabCommand says. */
  readonly within: readonly string[];
  readonly signal?: AbortSignal;
  /** How large the browser's network log may grow. Default: `mostLog_bytes`, and half of what is free. */
  readonly log_bytes?: number;
}

/** A page that plays a film has one of two or three times its bytes; one that streams without an end has one without an end. */
const mostLog_bytes = 4e9;
const logLook_ms = 250;

export interface RecordedPage extends Recorded {
  /** "Chromium 156.0.7987.1". */
  readonly browser: string;
  readonly screensScrolled: number | null;
}

const startTimeout_ms = 30_000;
// Closing writes the log's last lines.
const closePatience_ms = 20_000;
const bodiesPatience_ms = 30_000;
// What the log has no bytes of is requested, as far as it costs little.
const keptBodies_bytes = 64 * 1024 * 1024;
const wantedBody_bytes = 1024 * 1024;
const wantedBodies_bytes = 32 * 1024 * 1024;
const postData_bytes = 16 * 1024 * 1024;

/** Chromium makes a socket there, 45 bytes further down, and a socket's path has no more than 107. */
const temporaryOf = (folder: string): string => (Buffer.byteLength(folder) <= 60 ? folder : "/tmp");

interface Seen {
  readonly capture: Capture;
  readonly bodies: BodyTexts;
  readonly browser: { readonly name: string; readonly version: string };
  readonly screensScrolled: number | null;
}

/**
 * Hands what was recorded to `use`, until whose end large bodies can be read. UserError for what the site or the options
 * cannot give, RunError where the browser fails.
 */
export async function recordPage<Result>(
  options: RecordOptions,
  use: (page: RecordedPage) => Promise<Result>,
): Promise<Result> {
  const { signal } = options;
  signal?.throwIfAborted();
  const chromium = options.browser ?? chromiumPath();
  // On disk and not in memory: the log holds all bodies.
  await sweepProcessFolders(tmpdir(), "record");
  const folder = makeProcessFolder(tmpdir(), "record");
  const keep = removedAtEnd(folder);
  const profile = join(folder, "profile");
  const netLog = join(folder, "net-log.json");
  try {
    throwIfFull({ folder });
    await mkdir(profile);
    const { url, addresses, allowLocalNetwork = false } = options;
    const reach = allowLocalNetwork ? null : await reachOf(url, addresses);
    const browserArguments = recorderArguments({
      ...options,
      device: { ...usualDevice, ...options.device },
      allowLocalNetwork,
      addresses: reach?.pinned ? [...addresses, reach.pinned] : addresses,
      profile,
      netLog,
      userAgent: await userAgentOf(chromium),
    });
    const { log_bytes = Math.min(mostLog_bytes, freeBytes(folder) / 2) } = options;
    const outgrown = (end: AbortSignal): Promise<never> => logOutgrown(netLog, log_bytes, url, end);
    const seen = await observe(options, outgrown, {
      commandLine: [...options.within, ...(reach ? await guardCommand(reach) : []), chromium, ...browserArguments],
      environment: chromiumEnvironment(profile, temporaryOf(folder), process.env),
      timeout_ms: startTimeout_ms,
    });
    signal?.throwIfAborted();
    // Of bodies that the log had no room for, others of their size would be stored.
    throwIfFull({ folder });
    const log = await readNetLog(netLog).catch((): NetLog => ({ requests: [], connections: [] }));
    const { capture, bodies, browser, screensScrolled } = seen;
    if (beginsLate(log.requests, capture))
      throw new RunError(`${url}: the browser's network process ended while it recorded: try again`);
    return await use({
      ...composeRecorded(capture, bodies, log, browser),
      browser: `${browser.name} ${browser.version}`,
      screensScrolled,
    });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    keep();
  }
}

/** Looks at the log until it is larger than that, which rejects, or until `end`. */
async function logOutgrown(path: string, most_bytes: number, url: string, end: AbortSignal): Promise<never> {
  while (!end.aborted) {
    await delay(logLook_ms, undefined, { ref: false });
    const { size } = await stat(path).catch(() => ({ size: 0 }));
    if (size > most_bytes && !end.aborted)
      throw new RunError(
        `${url}: the page takes more than a recording holds (its network log has ${formatSize(size)}): record a page that comes to an end`,
      );
  }
  return await new Promise<never>(() => {});
}

async function observe(
  options: RecordOptions,
  outgrown: (end: AbortSignal) => Promise<never>,
  start: Parameters<typeof startBrowser>[0],
): Promise<Seen> {
  const { signal } = options;
  let browser: RunningBrowser;
  try {
    browser = await startBrowser(start, signal);
  } catch (error) {
    if (error instanceof StartError) throw new RunError(`the browser did not start: ${startRemedy(error.message)}`);
    throw error;
  }
  const over = new AbortController();
  const stop = () => void browser.stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const seen = await Promise.race([watched(browser, options), ended(browser), outgrown(over.signal)]);
    browser.connection.send("Browser.close").catch(() => {});
    await Promise.race([browser.exited, delay(closePatience_ms, undefined, { ref: false })]);
    return seen;
  } catch (error) {
    // A browser that is stopped looks like one that ended.
    signal?.throwIfAborted();
    if (error instanceof NavigationError)
      throw new RunError(`${options.url}: ${withRemedy(error.message, options.url)}`);
    throw error;
  } finally {
    over.abort();
    signal?.removeEventListener("abort", stop);
    await browser.stop();
  }
}

async function ended({ exited }: RunningBrowser): Promise<never> {
  const { code, signal } = await exited;
  throw new RunError(`the browser ended while it recorded (${signal ?? `exit status ${code}`}): try again`);
}

async function watched(browser: RunningBrowser, options: RecordOptions): Promise<Seen> {
  const { connection } = browser;
  await connection.send("Browser.setDownloadBehavior", { behavior: "deny" });
  const sessions = new Map<string, CDPSession>();
  let lastEvent_ms = performance.now();
  const page = await watchPage(connection, {
    keptBodies_bytes,
    postData_bytes,
    ...(options.pinTime ? { firstScript: pinTimeScript() } : {}),
    device: { ...usualDevice, ...options.device },
    overhear({ params }, session) {
      lastEvent_ms = performance.now();
      if ("requestId" in params) sessions.set(params.requestId, session);
    },
  });
  const { product } = await connection.send("Browser.getVersion");
  const [name = "Chromium", version = ""] = product.split("/");
  const until_ms = performance.now() + options.timeout_ms;
  const gone = new AbortController();
  void browser.exited.then(() => gone.abort());
  // What would be read of them meanwhile would take its time from the page's computation, which a model is made of.
  const load = (url: string): Promise<void> => browser.heldDuring(() => page.load(url));
  const screensScrolled = await loadWhole({ page, load }, options, until_ms, () => lastEvent_ms, gone.signal);
  const bodies = await bodiesOf(page.capture, sessions);
  return {
    capture: page.capture,
    bodies,
    browser: { name: name.replace("HeadlessChrome", "Chromium"), version },
    screensScrolled,
  };
}

/** To its load event, its end if wanted, and its rest. */
async function loadWhole(
  { page, load }: { readonly page: WatchedPage; readonly load: WatchedPage["load"] },
  { url, timeout_ms, scroll, quiet_ms }: RecordOptions,
  until_ms: number,
  lastEvent_ms: () => number,
  gone: AbortSignal,
): Promise<number | null> {
  const tooLong = delay(timeout_ms, undefined, { ref: false }).then((): never => {
    throw new NavigationError(`the load event did not come within ${timeout_ms / 1000} s: give it more with --timeout`);
  });
  tooLong.catch(() => {});
  await Promise.race([load(url), page.crashed, tooLong]);
  const rest = () => comesToRest(page.capture, lastEvent_ms, quiet_ms, until_ms, gone);
  await rest();
  if (!scroll) return null;
  const screens = await Promise.race([
    page.evaluate(scrollExpression),
    page.crashed,
    delay(until_ms - performance.now(), undefined, { ref: false }),
  ]);
  await rest();
  return typeof screens === "number" ? screens : 0;
}

async function bodiesOf(capture: Capture, sessions: ReadonlyMap<string, CDPSession>): Promise<BodyTexts> {
  const of = (requestId: string): CDPSession => {
    const session = sessions.get(requestId);
    if (!session) throw new RangeError(`no session reported request ${requestId}`);
    return session;
  };
  let wanted_bytes = 0;
  const patience = AbortSignal.timeout(bodiesPatience_ms);
  const soon = <T>(answer: Promise<T>): Promise<T> =>
    Promise.race([
      answer,
      new Promise<never>((_, reject) => patience.addEventListener("abort", reject, { once: true })),
    ]);
  return await askBodies(
    capture,
    {
      responseBody: async (requestId) => soon(of(requestId).send("Network.getResponseBody", { requestId })),
      requestBody: async (requestId) => soon(of(requestId).send("Network.getRequestPostData", { requestId })),
    },
    ({ end }) => {
      const size = end?.how === "finished" ? end.encodedBytes : 0;
      wanted_bytes += size;
      return size <= wantedBody_bytes && wanted_bytes <= wantedBodies_bytes && !patience.aborted;
    },
  );
}
