// The only user of chrome.debugger: attaches to one tab and to the frames and workers that it starts in processes of
// their own, passes their events on as they came, sends commands, detaches. Knows nothing of profiles.
//
// Child targets come as flat sessions and stand still until they are let run, so that none of their requests is missed.
// Listeners are set when the service worker starts (listen), not at attaching: a worker that wakes up must have them.
import { FailureError } from "./failure.ts";

export type Commands = (method: string, params?: object) => Promise<unknown>;

export interface TabEvent {
  readonly method: string;
  readonly params: object;
  /** Type of the target that sent it: page, iframe, worker, shared_worker, service_worker, ... */
  readonly target: string;
  /** Sends to the session that sent it. */
  readonly send: Commands;
}

export interface Watcher {
  readonly event: (event: TabEvent) => void;
  /** The debugger is gone, and not by detach(). closed: with its tab. taken: by the user or the browser. */
  readonly gone: (why: "closed" | "taken") => void;
  /** Prepares a new target before it is let run. */
  readonly prepare: (send: Commands, target: string) => Promise<void>;
}

const protocolVersion = "1.3";

interface Session {
  /** Type of the target. */
  readonly target: string;
  readonly send: Commands;
}

interface Attached {
  readonly watcher: Watcher;
  /** By their ids; undefined: the page's own. */
  readonly sessions: Map<string | undefined, Session>;
}

const attached = new Map<number, Attached>();

const commandsTo =
  (tabId: number, sessionId?: string): Commands =>
  (method, params = {}) =>
    chrome.debugger.sendCommand(sessionId === undefined ? { tabId } : { tabId, sessionId }, method, { ...params });

/** Why a tab cannot be attached to, from the browser's own words. */
export function attachFailure(message: string, url: string): FailureError {
  if (/another debugger/i.test(message))
    return new FailureError(
      "debugger-taken",
      "Another debugger is attached to this tab.",
      "Close the other program or extension that debugs it, then profile again.",
    );
  if (/^file:/i.test(url))
    return new FailureError(
      "file-not-allowed",
      "The browser does not let Trilane read files.",
      'Allow it under chrome://extensions, Trilane, "Allow access to file URLs".',
    );
  if (/no tab with|no target/i.test(message))
    return new FailureError("no-page", "The tab was closed.", "Open the page again, then profile it.");
  if (
    /cannot (access|attach)|missing host permission|not allowed|cannot be (scripted|debugged)|extensions gallery/i.test(
      message,
    )
  )
    return new FailureError(
      "page-not-allowed",
      "Extensions may not look into the browser's own pages, its web store or other extensions' pages.",
      "Open a page of a web site, then profile it.",
    );
  return new FailureError("failed", `The browser did not let Trilane watch this tab: ${message}`, "Try again.");
}

async function follow(
  tabId: number,
  sessionId: string,
  target: string,
  { watcher, sessions }: Attached,
): Promise<void> {
  const send = commandsTo(tabId, sessionId);
  sessions.set(sessionId, { target, send });
  // In this order to the target: whatever it answers, it is let run.
  await Promise.allSettled([
    watcher.prepare(send, target),
    send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
    send("Runtime.runIfWaitingForDebugger"),
  ]);
}

/** To be called once, as the service worker starts. */
export function listenToDebugger(): void {
  chrome.debugger.onEvent.addListener((source, method, params) => {
    const { tabId, sessionId } = source as { tabId?: number; sessionId?: string };
    const tab = tabId === undefined ? undefined : attached.get(tabId);
    if (tabId === undefined || !tab) return;
    const given = (params ?? {}) as Record<string, unknown>;
    if (method === "Target.attachedToTarget") {
      const { sessionId: child, targetInfo } = given as { sessionId?: string; targetInfo?: { type?: string } };
      if (child) void follow(tabId, child, targetInfo?.type ?? "other", tab);
      return;
    }
    const session = tab.sessions.get(sessionId) ?? { target: "other", send: commandsTo(tabId, sessionId) };
    tab.watcher.event({ method, params: given, ...session });
  });
  chrome.debugger.onDetach.addListener(({ tabId }, reason) => {
    const tab = tabId === undefined ? undefined : attached.get(tabId);
    if (tabId === undefined || !tab) return;
    attached.delete(tabId);
    tab.watcher.gone(reason === "target_closed" ? "closed" : "taken");
  });
}

/** Attaches, prepares the page's own target, and returns how to send to it. FailureError where the browser forbids it. */
export async function attachTo(tabId: number, url: string, watcher: Watcher): Promise<Commands> {
  const send = commandsTo(tabId);
  const tab: Attached = { watcher, sessions: new Map([[undefined, { target: "page", send }]]) };
  try {
    await chrome.debugger.attach({ tabId }, protocolVersion);
  } catch (error) {
    throw attachFailure(error instanceof Error ? error.message : String(error), url);
  }
  attached.set(tabId, tab);
  try {
    await watcher.prepare(send, "page");
    await send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
  } catch (error) {
    await detachFrom(tabId);
    throw attachFailure(error instanceof Error ? error.message : String(error), url);
  }
  return send;
}

/** Lets the tab go; nothing where it is gone already. */
export async function detachFrom(tabId: number): Promise<void> {
  attached.delete(tabId);
  await chrome.debugger.detach({ tabId }).catch(() => {});
}
