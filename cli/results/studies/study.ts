// A published study that Trilane can run: its plans, its figures if it gives any, and what ours are beside them. Data; nothing is computed here.
import type { Interval } from "../../base/interval.ts";
import type { AnyMetric } from "../verdict/compared_metric.ts";
import type { LanePair } from "../verdict/sample.ts";

/** One cell of a published figure. */
export interface Published {
  readonly pair: LanePair;
  /** Null: over all of the study's pages. */
  readonly page: string | null;
  /** A short form, with networks' names for their traces. Null: over all of the sweep's links. */
  readonly link: string | null;
  /** Of what; absent: of the page load time. */
  readonly metric?: AnyMetric;
  /** (over - lane) / over * 100; null where only its sign is known. */
  readonly percent: number | null;
  /** The two times themselves, as they were printed. */
  readonly times?: { readonly lane: string; readonly over: string };
  /** -1, 0 or 1. */
  readonly sign: number;
  /** Of a study of ratios over pages: of which quantile over them; absent: of their median. */
  readonly quantile?: number;
}

/** How much the loads of one page on one link vary, as a study found it. */
export interface PublishedSpread {
  readonly lane: string;
  readonly page: string;
  readonly link: string;
  /** Standard deviation over mean, as printed. */
  readonly published: string;
  /** What the study set it beside: its spread is less than this one. */
  readonly less_than: number;
  readonly than_what: string;
}

/** A page that a study lists among those that a lane helped or hurt most, with what it is made of. */
export interface PublishedExtreme {
  readonly side: "helped" | "hurt";
  /** Mean over all of its links. */
  readonly percent: number;
  readonly servers: number;
  readonly requests: number;
  /** Of an object on the average. */
  readonly objectBytes: number;
  readonly bytes: number;
}

/** What a study says sets the pages that a lane helps most apart from those that it hurts most. */
interface PublishedContrast {
  readonly pair: LanePair;
  readonly extremes: readonly PublishedExtreme[];
  /** The helped pages' mean over the hurt ones'. */
  readonly changes: Readonly<Record<"servers" | "requests" | "objectBytes" | "bytes" | "https", number>>;
}

/** Of the studies of 2014 and 2015, for what they say `differs`. */
export const protocolsOf2014 = "The study's protocols were SPDY 3.1 and Google's QUIC of 2014";

/** What every study has, whatever its plans measure. */
export interface StudyFacts {
  readonly name: string;
  readonly reference: string;
  /** Names of shipped plans: a part that takes minutes, and all of it. */
  readonly quick: string;
  readonly full: string;
  /** What was otherwise then, and why signs may differ. */
  readonly differs: string;
}

/** The study that a plan belongs to. */
export const studyOfPlan = <Of extends StudyFacts>(studies: readonly Of[], plan: string): Of | null =>
  studies.find(({ quick, full }) => plan === quick || plan === full) ?? null;

/** Of page loads. */
export interface Study extends StudyFacts {
  readonly published: readonly Published[];
  readonly spreads?: readonly PublishedSpread[];
  readonly contrast?: PublishedContrast;
  /** Whether its pages are a corpus, and others may take their place. */
  readonly isOfCorpus?: boolean;
  /** What its figures over pages are; absent: improvements of medians, page by page. */
  readonly figures?: "ratio of medians over pages";
}

/** `undecided`: our interval holds 0, or there is none. `not loaded`: both lanes were tried, and none of their loads was valid. */
export type Agreement = "agrees" | "differs" | "undecided" | "not loaded";

/** What a study says of one number. */
export interface PublishedNumber {
  /** What its number is, for people. */
  readonly what: string;
  readonly link: string;
  /** As the study says it. */
  readonly published: string;
  /** The study's number lies above (1) or below (-1) `beside`, or is it (0). */
  readonly sign: -1 | 0 | 1;
  readonly beside: number;
  /** With sign 0: ours agrees if its interval is within so much of `beside`, as a share of it. */
  readonly within?: number;
}

/** A number of what an instrument looks at in a place. */
export type Figure<Place> = Place &
  PublishedNumber & {
    /** The number is divided by that of this place. */
    readonly over?: Place;
  };

/** What a study found, as numbers or as signs, each beside a value that says what agreeing is. */
export interface NumberStudy<Place> extends StudyFacts {
  readonly figures: readonly Figure<Place>[];
}

export interface NumberEstimate {
  readonly value: number | null;
  /** 95 %. */
  readonly interval: Interval | null;
  /** Valid runs that have the number; of a ratio the fewer. */
  readonly runs: number;
  /** Why there is no value or interval. */
  readonly reason: string | null;
}

export interface ComparedNumber<Of extends PublishedNumber = PublishedNumber> extends NumberEstimate {
  readonly figure: Of;
  readonly agreement: Agreement;
}

/** A published number beside ours; of flows with the mix that it is of. */
export type StudyFigure = ComparedNumber<PublishedNumber & { readonly mix?: string }>;
