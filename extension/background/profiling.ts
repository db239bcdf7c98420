// Profiling one tab at a time: begins a load, follows it in the state, composes the profile, puts it into the history.
import type { Failure, ProfilePhase } from "../actions.ts";
import { profileOf } from "../capture/profile.ts";
import { metricsOf, profileMetricsOf } from "../capture/web_vitals.ts";
import { putProfile } from "../history/history.ts";
import { browserFacts } from "./browser_facts.ts";
import { detachFrom } from "./debugger_session.ts";
import { FailureError, failureOf } from "./failure.ts";
import { dropBodies, holdBodies } from "./held_bodies.ts";
import type { LoadSeen, RunningLoad } from "./load_seen.ts";
import { beginLoad as beginDebuggedLoad } from "./page_load.ts";
import { changeState, currentState } from "./state.ts";
import { beginWatchedLoad } from "./watched_load.ts";

// Firefox has no debugger for extensions.
const beginLoad = TRILANE_FIREFOX ? beginWatchedLoad : beginDebuggedLoad;

// What the toolbar's button shows while no popup is open.
const working = "#0072B2";
const trouble = "#B3261E";

/** null: as it was. */
async function show(text: string, colour: string | null, title: string): Promise<void> {
  await Promise.all([
    chrome.action.setBadgeText({ text }),
    chrome.action.setTitle({ title }),
    ...(colour === null ? [] : [chrome.action.setBadgeBackgroundColor({ color: colour })]),
  ]).catch(() => {});
}

const showProfiling = (): Promise<void> => show("…", working, "Trilane is profiling this page");

function showProfiled(error: Failure | null): Promise<void> {
  return error ? show("!", trouble, `${error.message} ${error.remedy}`) : show("", null, "Profile this page");
}

export interface ProfileRequest {
  readonly tabId: number;
  readonly cache: "off" | "on";
  readonly keepBodies: boolean;
}

interface Profiling {
  readonly id: string;
  readonly tabId: number;
  load: RunningLoad | null;
  /** When it is over, in whatever way. */
  readonly over: PromiseWithResolvers<void>;
}

let current: Profiling | null = null;

const defaultTimeout_s = 60;

/** chrome.storage.local `loadTimeout_s`: how long a page may take to its load event. */
async function loadTimeout_ms(): Promise<number> {
  const { loadTimeout_s } = (await chrome.storage.local.get("loadTimeout_s")) as { loadTimeout_s?: unknown };
  return 1000 * (typeof loadTimeout_s === "number" && loadTimeout_s > 0 ? loadTimeout_s : defaultTimeout_s);
}

export async function tabUrl(tabId: number): Promise<string> {
  try {
    const tab = await chrome.tabs.get(tabId);
    return tab.url ?? tab.pendingUrl ?? "";
  } catch {
    throw new FailureError("no-page", "The tab was closed.", "Open the page again, then profile it.");
  }
}

const setPhase = (phase: ProfilePhase, now = false): Promise<void> =>
  changeState((state) => (state.profiling ? { ...state, profiling: { ...state.profiling, phase } } : state), now);

/** Returns the profile's id when the load is under way. FailureError where it cannot be. */
export async function startProfile(request: ProfileRequest): Promise<string> {
  if (current)
    throw new FailureError("busy", "A page is being profiled already.", "Wait until it is done, or stop it.");
  const { tabId, cache, keepBodies } = request;
  const profiling: Profiling = { id: crypto.randomUUID(), tabId, load: null, over: Promise.withResolvers() };
  current = profiling;
  try {
    const url = await tabUrl(tabId);
    await dropBodies();
    const { id } = profiling;
    await changeState(
      (state) => ({
        ...state,
        profiling: { profile: id, tabId, url, since_ms: Date.now(), requests: 0, phase: "attaching" },
      }),
      true,
    );
    await showProfiling();
    const timeout_ms = await loadTimeout_ms();
    profiling.load = await beginLoad(
      { tabId, url, cache, keepBodies, timeout_ms },
      {
        requests: (requests) =>
          void changeState((state) =>
            state.profiling ? { ...state, profiling: { ...state.profiling, requests } } : state,
          ),
        settling: () => void setPhase("settling"),
      },
    );
    await setPhase("loading", true);
    void finish(profiling, profiling.load, request, url);
    return id;
  } catch (error) {
    await over(profiling, null, failureOf(error));
    throw error;
  }
}

/** Returns when the profile of this id is no longer under way; at once where it is not. */
export async function profilingOf(id: string): Promise<void> {
  if (current?.id === id) await current.over.promise;
}

export function stopProfile(): void {
  if (!current?.load) throw new FailureError("not-profiling", "No page is being profiled.", "Start one first.");
  current.load.stop();
}

async function over({ tabId, over: ended }: Profiling, profile: string | null, error: Failure | null): Promise<void> {
  current = null;
  await changeState((state) => ({ ...state, profiling: null, last: { tabId, profile, error } }), true);
  ended.resolve();
  await showProfiled(error);
}

async function finish(profiling: Profiling, load: RunningLoad, request: ProfileRequest, url: string): Promise<void> {
  try {
    const seen = await load.seen;
    await setPhase("saving");
    await keep(profiling.id, seen, request, url);
    await over(profiling, profiling.id, null);
  } catch (error) {
    await over(profiling, null, failureOf(error));
  }
}

async function keep(id: string, seen: LoadSeen, request: ProfileRequest, url: string): Promise<void> {
  const { ended, bodies, timings, clsTbt, failure, ...parts } = seen;
  const metrics = profileMetricsOf(timings, clsTbt);
  const reason = failure ?? (metricsOf(timings).plt_ms === null && ended !== "quiet" ? ended : null);
  if (parts.entries.length === 0 && ended !== "quiet" && ended !== "timeout")
    throw new FailureError("no-page", "Nothing was loaded before it ended.", "Open the page again, then profile it.");
  const profile = profileOf({
    ...parts,
    id,
    version: TRILANE_VERSION,
    url: seen.url ?? url,
    kind: "reload",
    cache: request.cache,
    ended,
    metrics: reason === null ? metrics : unavailableBecause(metrics, reason),
    browser: browserFacts(),
  });
  await putProfile(profile);
  if (bodies) await holdBodies(id, bodies);
}

type Metrics = ReturnType<typeof profileMetricsOf>;

const inWords: Readonly<Record<string, string>> = {
  timeout: "the load event did not come in time",
  canceled: "loading was stopped",
  closed: "the tab was closed",
  navigated: "the tab went on to another page",
  crashed: "the page crashed",
  detached: "the debugger was taken away",
  download: "no page came",
};

/** The same reason for all that is missing. */
function unavailableBecause(metrics: Metrics, reason: string): Metrics {
  const text = inWords[reason] ?? `the page did not come (${reason})`;
  return {
    ...metrics,
    unavailable: Object.fromEntries(Object.keys(metrics.unavailable).map((name) => [name, text])),
  };
}

/** After the service worker was killed: what it was profiling is lost, and the tab is let go. */
export async function mendProfiling(): Promise<void> {
  const { profiling } = await currentState();
  if (!profiling || current) return;
  if (!TRILANE_FIREFOX) await detachFrom(profiling.tabId);
  await showProfiled(null);
  await changeState(
    (state) => ({
      ...state,
      profiling: null,
      bodies: {},
      last: {
        tabId: profiling.tabId,
        profile: null,
        error: {
          code: "failed",
          message: "The browser ended Trilane's service worker while it profiled.",
          remedy: "Profile the page again.",
        },
      },
    }),
    true,
  );
}
