// One load of a tab's page under the debugger, from the reload until the page has come to rest or cannot go on. Feeds the
// capture, asks the page for its times, asks for bodies where wanted, detaches. Writes nothing down.

import { askVideos } from "../capture/ask_videos.ts";
import { waitedFor } from "../capture/at_rest.ts";
import { askBodies } from "../capture/bodies.ts";
import { type CaptureEvent, capturedMethods } from "../capture/events.ts";
import { longTasksScript, timelineExpression, timelineOf } from "../capture/page_timeline.ts";
import { captureParts } from "../capture/profile.ts";
import { type Capture, newCapture, take } from "../capture/requests.ts";
import { videosScript } from "../capture/video_watch.ts";
import { pageVideosOf } from "../capture/videos.ts";
import { attachTo, type Commands, detachFrom, type TabEvent } from "./debugger_session.ts";
import { FailureError } from "./failure.ts";
import { bodiesByEntry } from "./held_bodies.ts";
import { loadNotes } from "./load_notes.ts";
import {
  answerTimeout_ms,
  endOf,
  type LoadListener,
  type LoadRequest,
  type LoadSeen,
  type RunningLoad,
  wait,
  within,
} from "./load_seen.ts";
import { type Ended, MainDocument } from "./main_document.ts";

const bodiesTimeout_ms = 30_000;
// The browser's bar that shows the debugger slides in, and makes the page smaller with every frame.
const barSlides_ms = 400;
const keptBodies_bytes = 64 * 1024 * 1024;
const maxPostData_bytes = 65_536;
const worldName = "trilane";

const methods: ReadonlySet<string> = new Set(capturedMethods);
/** Network and what the page's own target reports beside it. Before the target runs. */
async function prepare(send: Commands, target: string, { cache, keepBodies }: LoadRequest): Promise<void> {
  const kept = keepBodies ? keptBodies_bytes : 0;
  const network = send("Network.enable", {
    maxTotalBufferSize: kept,
    maxResourceBufferSize: kept,
    maxPostDataSize: maxPostData_bytes,
  });
  const cached = cache === "off" ? [send("Network.setCacheDisabled", { cacheDisabled: true })] : [];
  const watch = (source: string): Promise<unknown>[] => [
    send("Page.enable"),
    send("Page.addScriptToEvaluateOnNewDocument", { source, worldName }),
  ];
  if (target !== "page") {
    // Some kinds of targets have no Network domain.
    await Promise.allSettled([network, ...cached, ...(target === "iframe" ? watch(videosScript) : [])]);
    return;
  }
  await Promise.all([network, ...cached, send("Inspector.enable"), ...watch(longTasksScript + videosScript)]);
}

interface FrameTree {
  frame: { id: string; loaderId: string; url: string };
  childFrames?: FrameTree[];
}

const loadersOf = ({ frame, childFrames }: FrameTree): string[] => [
  frame.loaderId,
  ...(childFrames ?? []).flatMap(loadersOf),
];

/** The value of an expression in a world of our own; null where the page does not answer in time. */
async function evaluate(send: Commands, frameId: string, expression: string): Promise<unknown> {
  const ask = async (): Promise<unknown> => {
    const world = (await send("Page.createIsolatedWorld", { frameId, worldName })) as { executionContextId: number };
    const { result } = (await send("Runtime.evaluate", {
      expression,
      contextId: world.executionContextId,
      awaitPromise: true,
      returnByValue: true,
    })) as { result?: { value?: unknown } };
    return result?.value ?? null;
  };
  return within(ask(), answerTimeout_ms);
}

function bodyCommands(senders: ReadonlyMap<string, Commands>): Parameters<typeof askBodies>[1] {
  const to = (requestId: string): Commands => {
    const send = senders.get(requestId);
    if (!send) throw new Error("no session reported this request");
    return send;
  };
  return {
    responseBody: async (requestId) =>
      (await to(requestId)("Network.getResponseBody", { requestId })) as { body: string; base64Encoded: boolean },
    requestBody: async (requestId) =>
      (await to(requestId)("Network.getRequestPostData", { requestId })) as { postData: string },
  };
}

/** Attaches, reloads, and returns when the reload is under way. FailureError where the tab may not be watched. */
export async function beginLoad(request: LoadRequest, listener: LoadListener): Promise<RunningLoad> {
  const { tabId } = request;
  const began_ms = performance.now();
  const senders = new Map<string, Commands>();
  const frameSessions: Commands[] = [];
  let capture: Capture | null = null;
  let oldLoaders: ReadonlySet<string> = new Set();
  let lastChange_ms = performance.now();
  let gone = false;
  const end = Promise.withResolvers<Ended>();
  const document = new MainDocument((why) => end.resolve(why));

  const event = ({ method, params, target, send }: TabEvent): void => {
    if (!capture || document.over) return;
    if (method === "Network.requestWillBeSent") {
      const { requestId, loaderId, type } = params as { requestId: string; loaderId: string; type?: string };
      // What the document that is being left still asks for is not this load's.
      if (oldLoaders.has(loaderId)) return;
      if (target === "page") document.requested(params as Parameters<MainDocument["requested"]>[0], type);
      if (document.over) return;
      senders.set(requestId, send);
    }
    if (target === "page") document.event(method, params);
    if (!methods.has(method)) return;
    // TypeScript cannot follow that method and params belong together.
    take(capture, { method, params, target } as CaptureEvent);
    // A stream's data comes for ever.
    if (method !== "Network.dataReceived") lastChange_ms = performance.now();
    if (method === "Page.loadEventFired" && capture.loadEvent_s !== null) document.loaded();
  };

  const send = await attachTo(tabId, request.url, {
    event,
    prepare(to, target) {
      if (target === "page" || target === "iframe") frameSessions.push(to);
      return prepare(to, target, request);
    },
    gone(why) {
      gone = true;
      end.resolve(why === "closed" ? "closed" : "detached");
    },
  });

  try {
    // The page shall not be laid out anew while it loads; layout shifts after such a change would not count.
    await wait(barSlides_ms);
    if (gone) throw new FailureError("no-page", "The tab went away before it was loaded.", "Open the page again.");
    const { frameTree } = (await send("Page.getFrameTree")) as { frameTree: FrameTree };
    oldLoaders = new Set(loadersOf(frameTree));
    document.mainFrame = frameTree.frame.id;
    capture = newCapture(frameTree.frame.id);
    await Promise.race([send("Page.reload"), end.promise]);
  } catch (error) {
    await detachFrom(tabId);
    throw error;
  }
  const seenCapture = capture;
  const watch = async (): Promise<LoadSeen> => {
    const ended = await endOf(end, request, listener, {
      count: () => seenCapture.requests.length,
      isLoaded: () => document.isLoaded,
      whenLoaded: document.whenLoaded,
      lastChange_ms: () => lastChange_ms,
      isWaiting: (silent_ms) => waitedFor(seenCapture, silent_ms).length > 0,
    });
    document.over = true;
    const wall_ms = performance.now() - began_ms;
    const answers = !gone && ended !== "crashed" && ended !== "navigated" && document.shown !== null;
    const ask = (expression: string): Promise<unknown> =>
      answers && document.failure === null ? evaluate(send, seenCapture.mainFrame, expression) : Promise.resolve(null);
    try {
      const { timings, clsTbt } = timelineOf(await ask(timelineExpression));
      const title = await ask("document.title");
      const videos =
        timings === null ? null : pageVideosOf(await askVideos(frameSessions, worldName, wait(answerTimeout_ms)));
      const bodies =
        request.keepBodies && !gone
          ? await within(askBodies(seenCapture, bodyCommands(senders)), bodiesTimeout_ms)
          : null;
      // The page's own clock begins anew with each document, so it ties to the capture's only where there was one.
      const parts = captureParts(seenCapture, document.sentOn === 0 ? timings : null, Date.now() - wall_ms);
      return {
        ...parts,
        notes: loadNotes({ capture: seenCapture, ended, document }),
        ended,
        timings,
        clsTbt,
        videos,
        title: typeof title === "string" ? title : "",
        url: document.shown,
        failure: document.failure,
        bodies: bodies && bodiesByEntry(bodies, parts.entries),
        wall_ms,
      };
    } finally {
      await detachFrom(tabId);
    }
  };
  return { stop: () => end.resolve("canceled"), seen: watch() };
}
