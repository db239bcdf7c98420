// A load's lab from its start to its end: the browser is started in it, its page is opened, loaded and read, and the steps of the load are
// called as it proceeds. Composes nothing and judges nothing.
import { setTimeout as delay } from "node:timers/promises";
import { laneFacts } from "../base/lanes.ts";
import { type Exit, killedBy, StartError } from "../browser/browser.ts";
import type { Engine, EngineBrowser, EnginePage, VisitOptions } from "../browser/engine.ts";
import { NavigationError, timingsSoFar } from "../browser/page.ts";
import { pinTimeScript } from "../browser/pin_time.ts";
import { throwWhatFailsEveryLoad } from "./lab.ts";
import type { LoadRequest } from "./load_request.ts";
import { causePatience_ms, nothingRead, type PageReading, quietAtMost_ms, readAtRest } from "./quiet_page.ts";
import type { Cause, LoadStep, PageStep, Visit } from "./step.ts";
import { timedOutAfter_ms, timeOut, unstartedReason } from "./time_out.ts";

// More than trilane-replay waits for an import that is writing the archive.
export const startTimeout_ms = 40_000;
// A page whose main thread is busy for ever answers nothing.
const answerTimeout_ms = 5_000;

/** What was learnt of the page before the lab went. */
export interface Observation {
  readonly page: EnginePage | null;
  readonly reading: PageReading;
  readonly browserVersion: string;
  /** Why the load did not end; null: it did. */
  readonly failure: string | null;
}

interface Observing {
  readonly request: LoadRequest;
  readonly steps: readonly LoadStep[];
  readonly engine: Engine;
  readonly url: string;
  /** The program that the lab's command line starts, or becomes. */
  readonly outermost: string;
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Runs the lab from its start to its end. */
export async function observe(observing: Observing, start: Parameters<Engine["start"]>[0]): Promise<Observation> {
  const { signal } = observing.request;
  let browser: EngineBrowser;
  try {
    browser = await observing.engine.start(start, signal);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    throwWhatFailsEveryLoad(error);
    return { page: null, reading: nothingRead, browserVersion: "", failure: unstartedReason(error.message) };
  }
  const stop = () => void browser.stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await observePage(browser, observing);
  } finally {
    signal?.removeEventListener("abort", stop);
    await browser.stop();
  }
}

/** A signal hit the started program itself, which runs the others; theirs arrive as its exit status. */
export function endDuringLoad(exit: Exit, outermost: string): string {
  if (exit.signal !== null) return `${outermost} was killed during the load (${exit.signal})`;
  return `the browser ended during the load (${killedBy(exit) ?? `exit status ${exit.code}`})`;
}

async function observePage(browser: EngineBrowser, { request, steps, url, outermost }: Observing) {
  const { lane, timeout_ms, settle_ms = 0 } = request;
  const options = watching(request);
  let page: EnginePage | null = null;
  let measured: EnginePage | null = null;
  let browserVersion = "";
  let timer: NodeJS.Timeout | undefined;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  void browser.exited.then((exit) => failed.reject(new NavigationError(endDuringLoad(exit, outermost))));
  const limit = (time_ms: number, what: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => failed.reject(new NavigationError(what)), time_ms);
  };
  const orFail = <T>(promise: T | Promise<T>): Promise<T> => Promise.race([promise, failed.promise]);
  const ended = new AbortController();
  const visitOf = (visited: EnginePage): Visit => ({ browser, page: visited, signal: ended.signal, orFail, limit });
  const load = async (visited: EnginePage, during: readonly PageStep[], which: string): Promise<PageReading> => {
    page = visited;
    visited.crashed.catch((error: unknown) => failed.reject(error));
    const visit = visitOf(visited);
    for (const step of during) await orFail(step.opened?.(visit));
    const lasts = during.find((step) => step.lasts)?.lasts;
    const given_ms = timeout_ms + (lasts?.more_ms ?? 0);
    limit(given_ms, lasts ? lasts.overdue(given_ms) : timeOut(given_ms, which));
    await browser.heldDuring(async () => {
      await orFail(visited.load(url));
      for (const step of during) await orFail(step.until?.(visit));
    });
    for (const step of during) step.loaded?.(visit);
    limit(
      Math.max(settle_ms, quietAtMost_ms) + answerTimeout_ms,
      `the page did not answer within ${answerTimeout_ms} ms after it had come to rest`,
    );
    const reading = await orFail(readAtRest(visited, settle_ms));
    for (const step of during.toReversed()) await orFail(step.rested?.(visit));
    return reading;
  };
  const leave = async (first: EnginePage, between: Parameters<EngineBrowser["nextVisit"]>[1]) => {
    limit(startTimeout_ms, `the browser was not ready for the repeat visit within ${startTimeout_ms} ms`);
    return await orFail(browser.nextVisit(first, between, options));
  };
  try {
    limit(startTimeout_ms, `the browser showed no page within ${startTimeout_ms} ms`);
    const [opened, version] = await orFail(Promise.all([browser.page(options), browser.version()]));
    browserVersion = version;
    if (laneFacts[lane].clear) await orFail(browser.sendInClear());
    const onFirst = steps.flatMap(({ onFirstVisit = [] }) => onFirstVisit);
    let last = opened;
    for (const step of steps) {
      const first = last;
      last =
        (await step.visit?.({
          ...visitOf(first),
          load: () => load(first, onFirst, " of the first visit"),
          leave: (between) => leave(first, between),
        })) ?? first;
    }
    measured = last;
    return { page: last, reading: await load(last, steps, ""), browserVersion, failure: null };
  } catch (error) {
    // A browser that died first shows as a call without an answer; its end, which is the reason, is known once the lab has ended.
    const until_ms = error instanceof NavigationError ? causePatience_ms : 10 * causePatience_ms;
    const caused = Promise.race([failed.promise.catch(asError), delay(until_ms, asError(error))]);
    const cause = caused.then(({ message }): Cause => {
      const isTimeOut = timedOutAfter_ms([message]) !== null;
      return { message, isTimeOut, patience_ms: isTimeOut ? answerTimeout_ms : causePatience_ms };
    });
    const words = await Promise.all(steps.map((step) => step.failed?.(cause)));
    const { message, isTimeOut } = await cause;
    const failure = words.find((word) => typeof word === "string") ?? message;
    const late = isTimeOut ? measured : null;
    const timings = late && (await timingsSoFar(late, late.observed(null).documents, answerTimeout_ms));
    return { page, reading: { ...nothingRead, timings }, browserVersion, failure };
  } finally {
    clearTimeout(timer);
    ended.abort();
  }
}

function watching({ serving, pinned_ms = null, device }: LoadRequest): VisitOptions {
  const isPinned = pinned_ms !== null || serving?.pin_time;
  const firstScript = pinTimeScript(pinned_ms === null ? {} : { moment_ms: pinned_ms });
  return {
    watchesLongTasks: true,
    watchesVideos: true,
    ...(isPinned ? { firstScript } : {}),
    ...(device ? { device } : {}),
  };
}
