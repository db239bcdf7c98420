// The one page of a measured load: attaches to it and to the frames and workers that it starts in processes of their
// own, hands all their events to the capture, navigates, waits for the load event. Judges nothing.
//
// Only the domains Network and Page are turned on (with Target, to follow the page's processes, and one Runtime call at
// the end): they observe. Unless a first script is requested, nothing is injected but into an isolated world, which shares
// the page's document and timeline, but no object that the page's scripts can reach: before the document an observer of long
// tasks and listeners for videos where they are requested, and after the load what reads the page's times.

import { setTimeout as delay } from "node:timers/promises";
import { askVideos, type FrameVideos } from "../../extension/capture/ask_videos.ts";
import { type CaptureEvent, capturedMethods } from "../../extension/capture/events.ts";
import { longTasksScript, timelineNow, timelineOf } from "../../extension/capture/page_timeline.ts";
import { type Capture, newCapture, take } from "../../extension/capture/requests.ts";
import { videosScript } from "../../extension/capture/video_watch.ts";
import type { PageTimings } from "../../extension/capture/web_vitals.ts";
import type { CDPSession, Connection } from "./browser.ts";
import { type Device, emulatedScreen } from "./device.ts";
import { type Film, startFilm } from "./screencast.ts";

export interface WatchedPage {
  readonly capture: Capture;
  /** Rejects where the page cannot go on: it crashed. */
  readonly crashed: Promise<never>;
  /** Settles at the load event of the document that is then shown. Rejects with a NavigationError. */
  load(url: string): Promise<void>;
  /** The value of an expression, evaluated in a world of its own: nothing there is the page's to change. Promises are awaited. */
  evaluate(expression: string): Promise<unknown>;
  /** Its videos and those of its frames, where they are watched. `late` settles when no more answers are waited for. */
  videos(late: Promise<unknown>): Promise<FrameVideos>;
  /** Begins to film what it shows. */
  film(): Promise<Film>;
  /** From now on no one minds what becomes of it. */
  detach(): void;
}

/** The page did not come, or did not stay. */
export class NavigationError extends Error {
  override readonly name = "NavigationError";
}

/** What the protocol says of a document that gave way to another while a question was under way. */
const documentGone = /navigated or closed|context was destroyed|Cannot find context|No frame for given id/;

async function inDocument<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Error && documentGone.test(error.message))
      throw new NavigationError(
        "the page replaced itself before its times could be read: its load has no one beginning",
      );
    throw error;
  }
}

/** A world of our own: what is the page's cannot reach it, nor it what is the page's. */
const worldName = "trilane";
const maxPostData_bytes = 65_536;
const emptyPagePoll_ms = 5;

/** Given each event as it came, with the session that reported it. */
export type Overhear = (event: CaptureEvent, session: CDPSession) => void;

export interface WatchOptions {
  readonly overhear?: Overhear;
  /** How much of the bodies the browser shall keep for who asks for them; default 0. */
  readonly keptBodies_bytes?: number;
  /** Larger bodies of requests are left out of their events. */
  readonly postData_bytes?: number;
  /** Evaluated before their own scripts in every frame and worker (cli/browser/pin_time.ts). Default: nothing. */
  readonly firstScript?: string;
  /** Whether the main thread's long tasks are watched from each document's start (timelineExpression). */
  readonly watchesLongTasks?: boolean;
  /** Whether videos are watched from each document's start. */
  readonly watchesVideos?: boolean;
  /** Whose screen it is shown on, as far as the browser's window is not that already. */
  readonly device?: Device;
  /** The target id of the page; default: the page that the browser started with. */
  readonly tab?: string;
}

type Watching = Required<Omit<WatchOptions, "overhear" | "tab" | "device" | "watchesLongTasks">> & {
  readonly taker: Overhear;
  /** Of the page and its frames. */
  readonly frames: CDPSession[];
};

const isFrame = (target: string): boolean => target === "page" || target === "iframe";

/** A frame runs them with each document that it comes to show; a worker, which stands still before its first script, the first one now. */
async function runFirst(
  session: CDPSession,
  target: string,
  { firstScript, watchesVideos }: Pick<Watching, "firstScript" | "watchesVideos">,
): Promise<void> {
  const scripts = [
    ...(firstScript === "" ? [] : [{ source: firstScript }]),
    ...(watchesVideos ? [{ source: videosScript, worldName }] : []),
  ];
  if (isFrame(target) && scripts.length > 0) {
    // All at once: the target may be let run by the command that comes after them.
    await Promise.all([
      session.send("Page.enable"),
      ...scripts.map((script) => session.send("Page.addScriptToEvaluateOnNewDocument", script)),
    ]);
  } else if (target.endsWith("worker") && firstScript !== "") {
    await session.send("Runtime.evaluate", { expression: firstScript });
  }
}

async function watch(session: CDPSession, target: string, watching: Watching, connection: Connection): Promise<void> {
  const { taker, keptBodies_bytes, postData_bytes } = watching;
  if (isFrame(target)) watching.frames.push(session);
  for (const method of capturedMethods) {
    // TypeScript cannot follow that `method` and `params` belong together through the loop.
    session.on(method, (params: unknown) => taker({ method, params, target } as CaptureEvent, session));
  }
  session.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
    const child = connection.session(sessionId);
    if (!child) return;
    // The new process stands still until it is let run, so that none of its requests is missed.
    watch(child, targetInfo.type, watching, connection).catch(() => {});
  });
  const isPage = target === "page";
  // No one is there to press OK, and a page that asks stands still until somebody does.
  session.on("Page.javascriptDialogOpening", () => {
    session.send("Page.handleJavaScriptDialog", { accept: true }).catch(() => {});
  });
  await Promise.all([
    // Where no one asks for bodies, the browser need not keep copies of them.
    session
      .send("Network.enable", {
        maxTotalBufferSize: keptBodies_bytes,
        maxResourceBufferSize: keptBodies_bytes,
        maxPostDataSize: postData_bytes,
      })
      // Some kinds of targets have no Network domain.
      .catch((error: unknown) => {
        if (isPage) throw error;
      }),
    ...(isPage ? [session.send("Page.enable")] : []),
    // Before the target is let run: commands are taken in their order.
    runFirst(session, target, watching).catch((error: unknown) => {
      if (isPage) throw error;
    }),
    session
      .send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true })
      .catch(() => {}),
    ...(isPage ? [] : [session.send("Runtime.runIfWaitingForDebugger")]),
  ]);
}

/**
 * The browser opens its window while it already answers. A navigation that is begun before the window shows its empty
 * page would be cancelled by it.
 */
async function emptyPageShown(session: CDPSession): Promise<void> {
  for (;;) {
    const { currentIndex, entries } = await session.send("Page.getNavigationHistory");
    // The entry that every window is born with has no URL.
    if (entries[currentIndex]?.url) return;
    await new Promise((resolve) => setTimeout(resolve, emptyPagePoll_ms));
  }
}

/** As Chromium's window cannot: see emulatedScreen(). */
export async function showOn(session: CDPSession, device: Device): Promise<void> {
  const screen = emulatedScreen(device);
  if (screen === null) return;
  await Promise.all([
    session.send("Emulation.setDeviceMetricsOverride", screen),
    session.send("Emulation.setTouchEmulationEnabled", { enabled: screen.mobile }),
  ]);
}

/** Attaches to a page. */
export async function watchPage(connection: Connection, options: WatchOptions = {}): Promise<WatchedPage> {
  const { targetInfos } = await connection.send("Target.getTargets");
  let info = targetInfos.find(({ type, targetId }) => type === "page" && (options.tab ?? targetId) === targetId);
  if (!info) {
    // Started without a page yet: the browser makes one within milliseconds, but need not.
    const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
    info = (await connection.send("Target.getTargetInfo", { targetId })).targetInfo;
  }
  const mainFrame = info.targetId;
  const session = await connection.createSession(info);
  const capture = newCapture(mainFrame);

  const crash = Promise.withResolvers<never>();
  crash.promise.catch(() => {});
  let left = false;
  const fail = (targetId: string, why: string) => {
    if (targetId === mainFrame && !left) crash.reject(new NavigationError(why));
  };
  connection.on("Target.targetCrashed", ({ targetId, status, errorCode }) =>
    fail(targetId, `the page's process ended (${status}, ${errorCode})`),
  );
  connection.on("Target.targetDestroyed", ({ targetId }) => fail(targetId, "the page closed itself"));
  const detach = () => {
    left = true;
  };
  const watching: Watching = {
    keptBodies_bytes: options.keptBodies_bytes ?? 0,
    postData_bytes: options.postData_bytes ?? maxPostData_bytes,
    firstScript: options.firstScript ?? "",
    watchesVideos: options.watchesVideos ?? false,
    frames: [],
    taker(event, from) {
      options.overhear?.(event, from);
      take(capture, event);
    },
  };
  await watch(session, "page", watching, connection);
  if (options.watchesLongTasks)
    await session.send("Page.addScriptToEvaluateOnNewDocument", { source: longTasksScript, worldName });
  await emptyPageShown(session);
  if (options.device) await showOn(session, options.device);

  const load = async (url: string): Promise<void> => {
    const loaded = new Promise<void>((resolve) => {
      session.on("Page.loadEventFired", () => {
        if (capture.loadEvent_s !== null) resolve();
      });
    });
    const { errorText } = await session.send("Page.navigate", { url });
    if (errorText) throw new NavigationError(`the page did not load: ${errorText}`);
    await loaded;
  };
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await inDocument(async () => {
      const { executionContextId } = await session.send("Page.createIsolatedWorld", {
        frameId: mainFrame,
        worldName,
      });
      return await session.send("Runtime.evaluate", {
        expression,
        contextId: executionContextId,
        awaitPromise: true,
        returnByValue: true,
      });
    });
    if (exceptionDetails) throw new NavigationError(`the page could not be asked: ${exceptionDetails.text}`);
    return result.value as unknown;
  };
  const videos = (late: Promise<unknown>): Promise<FrameVideos> =>
    // The protocol's types know a command by its name, which askVideos chooses.
    askVideos(
      watching.frames.map((frame) => (method, params) => frame.send(method as "Page.getFrameTree", params as never)),
      worldName,
      late,
    );
  const film = (): Promise<Film> => startFilm(session);
  return { capture, crashed: crash.promise, load, evaluate, videos, film, detach };
}

/**
 * What a page had reached when its load timed out: its first byte and first paint are what they are, whatever its load event waited for.
 * Null: it was too busy to answer within `patience_ms`, or no document came, or another one in its place.
 */
export async function timingsSoFar(
  { evaluate }: Pick<WatchedPage, "evaluate">,
  documents: readonly string[],
  patience_ms: number,
): Promise<PageTimings | null> {
  if (documents.length !== 1) return null;
  const answer = await Promise.race([
    evaluate(timelineNow).catch(() => null),
    delay(patience_ms, null, { ref: false }),
  ]);
  return timelineOf(answer).timings;
}
