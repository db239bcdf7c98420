// One load of a tab's page, as profiling requests it and gets it, whatever watched it: the debugger (page_load.ts) or, in Firefox, what the
// browser reports of its requests (watched_load.ts). Types only.

import type { ProfileParts } from "../capture/profile.ts";
import type { ClsTbt, PageTimings } from "../capture/web_vitals.ts";
import type { HeldBodies } from "./held_bodies.ts";
import type { Ended } from "./main_document.ts";

export interface LoadRequest {
  readonly tabId: number;
  readonly url: string;
  readonly cache: "on" | "off";
  readonly keepBodies: boolean;
  /** From the reload to the load event. */
  readonly timeout_ms: number;
}

export interface LoadSeen
  extends Pick<ProfileParts, "entries" | "started" | "onContentLoad_ms" | "onLoad_ms" | "notes"> {
  readonly ended: Ended;
  readonly timings: PageTimings | null;
  readonly clsTbt: ClsTbt | null;
  readonly videos: NonNullable<ProfileParts["videos"]> | null;
  readonly title: string;
  /** Of the document that was shown last; null: none was. */
  readonly url: string | null;
  /** The browser's own word for why it shows an error page instead. */
  readonly failure: string | null;
  readonly bodies: HeldBodies | null;
  readonly wall_ms: number;
}

export interface RunningLoad {
  /** Ends it with what was seen. */
  stop(): void;
  readonly seen: Promise<LoadSeen>;
}

export interface LoadListener {
  /** How many were sent, reported not more often than a person can read it. */
  requests(count: number): void;
  settling(): void;
}
