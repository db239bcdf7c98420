// What accompanies a load, or watches it, as load.ts knows it: it says what it needs, is called as the load proceeds, and at the end says what the
// page load has of it and what spoils the load. All members are optional. steps.ts has the list.
import type { LoadFacts, PageLoad } from "../../schemas/generated/page_load.ts";
import type { BrowserOptions, EngineBrowser, EngineNeeds, EnginePage } from "../browser/engine.ts";
import type { Evidence } from "./evidence.ts";
import type { LabOptions } from "./lab.ts";
import type { PageReading } from "./quiet_page.ts";
import type { ReplayReport, ShaperReport } from "./reports.ts";
import type { Evidence as Judged } from "./validity.ts";

/** A page that is open, and not yet loaded. */
export interface Visit {
  readonly browser: EngineBrowser;
  readonly page: EnginePage;
  /** Aborted once the load has ended, however it did. */
  readonly signal: AbortSignal;
  /** As the promise, but rejects as soon as the load has failed. */
  orFail<T>(promise: T | Promise<T>): Promise<T>;
  /** From now on what comes next has so long, in place of what was set before; then the load has failed, in these words. */
  limit(time_ms: number, failure: string): void;
}

/** The visit before the measured one. */
export interface EarlierVisit extends Visit {
  /** Loads its page, as the steps' `onFirstVisit` say. */
  load(): Promise<PageReading>;
  /** Ends it, and gives the page that is measured. */
  leave(between: Parameters<EngineBrowser["nextVisit"]>[1]): Promise<EnginePage>;
}

/** Of one page: each is called with the measured one, in this order. */
export interface PageStep {
  /** How much longer than a page's its load may take, and what one is called that takes longer than given_ms in all. */
  readonly lasts?: { readonly more_ms: number; readonly overdue: (given_ms: number) => string };
  /** Before the navigation. */
  opened?(visit: Visit): Promise<void> | void;
  /** After the load event; the load ends once it settles. */
  until?(visit: Visit): Promise<void>;
  /** At the end of the load. */
  loaded?(visit: Visit): void;
  /** Once the page is quiet, and its times are read; the last step first. */
  rested?(visit: Visit): Promise<void> | void;
}

/** Why a load failed; `patience_ms`: how long its page may take to answer. */
export interface Cause {
  readonly message: string;
  readonly isTimeOut: boolean;
  readonly patience_ms: number;
}

/** What is known once the lab has gone. */
export interface Ended {
  /** Times on CLOCK_MONOTONIC; null: it did not come so far. */
  readonly navigation_ns: number | null;
  readonly loadEnd_ns: number | null;
  /** null: it ended. */
  readonly failure: string | null;
  readonly replay: ReplayReport | null;
  readonly shaper: ShaperReport | null;
  /** A time of the page, which counts from its navigation, on that clock. */
  at_ns(time_ms: number | null | undefined): number | null;
}

export interface LoadStep extends PageStep {
  /** What the browser must be able to do; one that is not is refused. */
  readonly needs?: Partial<Pick<EngineNeeds, "films" | "video">>;
  /** How it is started. */
  readonly started?: Partial<BrowserOptions>;
  /** What differs in how the load is judged. */
  readonly judged?: Partial<Judged>;
  /** Before the lab is composed: its part in that, and the files that evidence keeps. */
  prepare?(folders: {
    readonly scratch: string;
    readonly evidence: Evidence | null;
    /** The shaper's report to come. */
    readonly shaper: string;
  }): Promise<Pick<LabOptions, "shaperOptions" | "flows"> & { readonly kept?: readonly string[] }>;
  /** While the lab runs. null: nothing is watched. */
  watch?(): { close(): Promise<void> } | null;
  /** Makes a visit before the measured one, and gives the page of that. */
  visit?(first: EarlierVisit): Promise<EnginePage>;
  /** Of that visit. */
  readonly onFirstVisit?: Pick<PageStep, "lasts" | "until">;
  /** At once if the load fails. A text is the reason in place of the cause's. */
  failed?(cause: Promise<Cause>): Promise<string> | null;
  /** When the lab has gone and its files are still there. */
  gone?(): Promise<void>;
  /** When the load ended, if not with its load event; null: never. */
  ends?(ended: Pick<Ended, "at_ns">): number | null;
  /** What the page load has of it, and why it does not count; steps before it in the list have said theirs. */
  says?(ended: Ended): { readonly facts?: Partial<LoadFacts>; readonly reasons?: readonly string[] };
  /** Adds what follows from the whole page load. */
  complete?(load: PageLoad): PageLoad;
}

/** What several steps say, as one. */
export const merged = <Part extends object>(parts: readonly (Part | undefined)[]): Partial<Part> =>
  Object.assign({}, ...parts) as Partial<Part>;
