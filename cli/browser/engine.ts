// What a measured load asks of a browser, whatever engine it is: how it is started on a lane, its one page, and what that page reported.
// An engine says here what it cannot give; no one else makes a number of what was not measured.
import type { PageTimings } from "../../extension/capture/web_vitals.ts";
import type { HarEntry } from "../../schemas/generated/page_load.ts";
import type { Lane } from "../base/lanes.ts";
import type { Device } from "./device.ts";
import type { WatchedPage, WatchOptions } from "./page.ts";
import type { Started, StartOptions } from "./pipe_program.ts";

export type EngineName = "Chromium" | "Firefox";

/** For its command line. */
export interface BrowserOptions {
  readonly program: string;
  readonly lane: Lane;
  /** A folder that is fresh for each load: nothing of a page is cached, resumed or remembered. */
  readonly profile: string;
  /** For temporary files. */
  readonly temporary: string;
  /** Base64 SHA-256 of the public keys to trust, comma-joined, as `trilane-replay --print-spki` prints them. */
  readonly spkiList: string;
  /** Default: the usual one. */
  readonly device?: Device;
  /** By host of the recording, an address that it is served from. */
  readonly hosts?: ReadonlyMap<string, string>;
  /** Hosts that are at another address than their names lead to. */
  readonly addresses?: readonly { readonly host: string; readonly address: string }[];
  /** QUIC packets are acknowledged after a millisecond at most. On every lane, or they would differ. */
  readonly frequentAcks?: boolean;
  /** Videos play without anybody's click, with their sound. */
  readonly autoplays?: boolean;
  /** It logs its QUIC connections, if it can (`qlogs` of its engine). */
  readonly logs?: boolean;
}

export interface BrowserCommand {
  /** Before the browser's own words: a program of ours that speaks for it; empty where it needs none. */
  readonly through: readonly string[];
  /** The program and its arguments. */
  readonly words: readonly string[];
  readonly environment: Record<string, string>;
}

/** What a load's page reported, once it is over. */
export interface Observed {
  /** On CLOCK_MONOTONIC; null: no request of the page was seen. */
  readonly navigation_s: number | null;
  /** The same moment as a date. */
  readonly began: Date | null;
  readonly entries: HarEntry[];
  /** Documents that the main frame came to show. */
  readonly documents: readonly string[];
}

/** What is still going on. */
export interface UnderWay {
  /** Another text whenever a request began or ended. */
  readonly state: string;
  /** Requests that are waited for. */
  readonly waitedFor: number;
}

export interface EnginePage extends Pick<WatchedPage, "crashed" | "load" | "evaluate" | "videos" | "film" | "detach"> {
  observed(timings: PageTimings | null): Observed;
  /** `silent_ms`: since `state` changed. */
  underWay(silent_ms: number): UnderWay;
}

export type VisitOptions = Pick<WatchOptions, "firstScript" | "watchesLongTasks" | "watchesVideos" | "device">;

export interface EngineBrowser extends Started {
  version(): Promise<string>;
  page(options: VisitOptions): Promise<EnginePage>;
  /** From now on https:// requests leave the browser for http:// (clear.ts). */
  sendInClear(): Promise<void>;
  /** Ends the first visit, closes its connections, forgets all but what resumes them, and gives the page of the second one. */
  nextVisit(
    first: EnginePage,
    between: { keepCache: boolean; rtt_ms: number },
    options: VisitOptions,
  ): Promise<EnginePage>;
}

/** What an engine may be unable to give. */
export interface EngineNeeds {
  readonly lane: Lane;
  readonly films?: boolean;
  readonly video?: boolean;
  readonly frequentAcks: boolean;
  /** By host of the recording, an address that it is served from; empty: not known yet. */
  readonly hosts: ReadonlyMap<string, string>;
  /** Its servers are live ones. */
  readonly isLive?: boolean;
}

/** Where a browser's first start is, whose profile later ones begin with. */
export interface FirstStart {
  readonly program: string;
  /** Empty; the profile that is left of it is in it afterwards. */
  readonly profile: string;
  readonly temporary: string;
  /** What runs the command: a lab without a network. */
  readonly lab: readonly string[];
  readonly timeout_ms: number;
}

export interface Engine {
  readonly name: EngineName;
  /** Whether it makes https:// of some sites' http:// by a list that no option turns off (HSTS preload). */
  readonly hasPreloadList: boolean;
  /** Whether what it shows can be filmed. */
  readonly films: boolean;
  /** Why it cannot load this; null: it can. */
  refusal(needs: EngineNeeds): string | null;
  /**
   * Of an engine that starts much sooner with a profile of its own making: starts the program once, and leaves of the profile what shows no
   * page. Absent: an empty profile is as good.
   */
  makeProfile?(first: FirstStart): Promise<void>;
  /** Its logs of QUIC connections (qlog) below a load's folder for temporary files. Absent: it writes none. */
  qlogs?(temporary: string): Promise<readonly string[]>;
  /** Writes into the profile what the load needs. */
  command(options: BrowserOptions): Promise<BrowserCommand>;
  start(options: StartOptions, signal?: AbortSignal): Promise<EngineBrowser>;
}
