// The contract between the views and the service worker: what a view may ask (chrome.runtime.sendMessage), what it is
// answered, and the state that it can watch (chrome.storage.session). Types and names only; does nothing.
//
// Every answer comes when what was requested is under way or known: `profile` and `race` answer when the work has
// begun, so that a popup may close; how it proceeds is in the state, and what came of it in the history.
import type { Links } from "../schemas/generated/links.ts";
import type { LoadFacts } from "../schemas/generated/page_load.ts";

export type Lane = LoadFacts["lane"];

/** What a view asks, by `do`. */
export type Action =
  /** Loads the tab's page anew under the debugger. With keepBodies, contents stay in memory for a race (see State.bodies). */
  | { do: "profile"; tabId: number; cache: "off" | "on"; keepBodies: boolean }
  /** Reads the page's performance timeline as it is; nothing is loaded. The profile is finished when this answers. */
  | { do: "observe"; tabId: number }
  /** Ends the profiling that is under way; what was seen is kept. */
  | { do: "stop-profile" }
  /** How the helper program is. Needs the permission nativeMessaging, which only a view can ask for, at a click. */
  | { do: "host" }
  | { do: "links" }
  | { do: "doctor" }
  /**
   * Hands the profile with its contents to the helper and races it. A profile that is still under way is waited for by
   * the service worker: the view that requested it may be closed meanwhile.
   */
  | { do: "race"; profile: string; lanes: readonly Lane[]; link: string; runs: number; keepCredentials: boolean }
  | { do: "cancel-race"; race: string }
  /** Asks the helper again for a finished race's result, where it is missing here, and puts it into the history. */
  | { do: "race-result"; race: string }
  /** Wakes the service worker, which then continues what it was stopped at. */
  | { do: "wake" }
  /** Opens the race's full report in a tab. */
  | { do: "open-report"; race: string };

export interface Failure {
  /** Stable; see errorCodes. Also the helper's own codes. */
  code: string;
  message: string;
  /** What to do. */
  remedy: string;
}

export type HostState =
  | { state: "ready"; version: string; features: string[] }
  /** missing: not installed for this browser, or not permitted yet (code). */
  | { state: "missing" | "other-version" | "failed"; code: string; message: string; remedy: string };

/** What is answered to each, beside `ok: true`. */
export interface Answers {
  profile: { profile: string };
  observe: { profile: string };
  "stop-profile": Record<never, never>;
  host: { host: HostState };
  links: { links: Links["links"] };
  doctor: { doctor: unknown };
  race: { race: string };
  "cancel-race": Record<never, never>;
  "race-result": Record<never, never>;
  "open-report": Record<never, never>;
  wake: Record<never, never>;
}

export type Answer<A extends Action["do"]> = ({ ok: true } & Answers[A]) | { ok: false; error: Failure };

/** The codes that the extension itself gives; the helper has its own (schemas/message.schema.json). */
export type ErrorCode =
  | "malformed"
  | "page-not-allowed"
  | "file-not-allowed"
  | "debugger-taken"
  | "no-page"
  | "busy"
  | "not-profiling"
  | "no-profile"
  | "no-bodies"
  | "nothing-to-race"
  | "no-race"
  | "race-failed"
  | "canceled"
  | "history-full"
  | "history-newer"
  | "host-permission"
  | "host-missing"
  | "host-version"
  | "host-ended"
  | "host-garbage"
  | "host-silent"
  | "failed";

/** Key of chrome.storage.session under which the State stands. */
export const stateKey = "status";

export type ProfilePhase = "attaching" | "loading" | "settling" | "saving";

interface ProfilingState {
  /** The profile's id, under which it will be in the history. */
  profile: string;
  tabId: number;
  url: string;
  /** Date.now() at its beginning. */
  since_ms: number;
  requests: number;
  phase: ProfilePhase;
}

/** What became of the last profiling, so that a popup that is opened later can tell. */
export interface LastProfile {
  tabId: number;
  /** In the history; null: there is none, for the reason. */
  profile: string | null;
  error: Failure | null;
}

type RacePhase =
  | "handing-over"
  | "importing"
  | "racing"
  /** The disk is full; it continues when there is room. */
  | "paused"
  | "filming"
  | "reporting"
  | "finished"
  | "failed"
  | "canceled";

export interface RaceState {
  profile: string;
  /** The page's title or URL. */
  name: string;
  link: string;
  lanes: Lane[];
  phase: RacePhase;
  /** Loads that ended, and how many there will be. */
  done: number;
  loads: number;
  /** null: not known yet. */
  left_s: number | null;
  /** Loads of each lane that ended. */
  lanesDone: Partial<Record<Lane, number>>;
  /** Page load times of each lane's valid loads, as they come. */
  plts: Partial<Record<Lane, number[]>>;
  error: Failure | null;
}

export interface State {
  profiling: ProfilingState | null;
  last: LastProfile | null;
  /** Profiles whose contents are in memory, so that they can be raced, and until when (Date.now()). */
  bodies: Record<string, { until_ms: number }>;
  /** Races under way, and those that ended since the browser started. */
  races: Record<string, RaceState>;
}

export const emptyState: State = { profiling: null, last: null, bodies: {}, races: {} };

/** Where the views are; ids as given by the actions. */
export const pages = {
  result: (profile: string, other?: string): string =>
    `views/result/result.html?profile=${encodeURIComponent(profile)}${other === undefined ? "" : `&with=${encodeURIComponent(other)}`}`,
  race: (race: string): string => `views/race/race.html?race=${encodeURIComponent(race)}`,
};
