// What comes of comparing two sides: a judgement of each cell and of cells together, and what could be shown at all. Types and what
// follows for the exit status; compare.ts makes them.
import type { Browser } from "../verdict/browsers.ts";

/** `unclear`: neither a change nor its absence is shown. */
export type ShownChange = "slower" | "faster" | "same" | "unclear";

/** `failing`: loads of the second side fail more often, or none ends any more. `unknown`: too few valid loads in one of them, or another cell. */
export type Judgement = ShownChange | "failing" | "unknown";

/** Of the median page load time; positive is slower. */
export interface Change {
  readonly change_percent: number;
  /** 95 %; null: too few loads. */
  readonly low_percent: number | null;
  readonly high_percent: number | null;
}

type NullableChange = { readonly [Key in keyof Change]: number | null };

export interface ComparedCell extends NullableChange {
  readonly page: string;
  readonly link: string;
  /** Of commands the command. */
  readonly lane: string;
  readonly judgement: Judgement;
  readonly loads_a: number;
  readonly loads_b: number;
  /** Of these; if they are half or more, the median is a lower bound. */
  readonly timed_out_a: number;
  readonly timed_out_b: number;
  /** Neither valid nor timed out, and not by the machine's or the link's doing. */
  readonly failed_a: number;
  readonly failed_b: number;
  /** That loads fail no more often than they did, and end as they did: Holm's, 1 where it is not tested. */
  readonly failing_probability: number;
  readonly median_a_ms: number | null;
  readonly median_b_ms: number | null;
  /** Of its being within the threshold, by Holm over all tests of its direction; 1 where there is none. */
  readonly probability: number;
  /** The page or the link was another one under the same name, so that no change can be attributed to anything. */
  readonly other_recording: boolean;
  readonly other_link: boolean;
  /** The loads of one side requested more of the page than those of the other (verdict/lane_coverage.ts). */
  readonly other_coverage: boolean;
}

/** Several cells in one test. */
export interface ComparedTogether extends Change {
  /** Null: of all lanes. */
  readonly lane: string | null;
  readonly cells: number;
  readonly judgement: ShownChange;
  readonly probability: number;
}

/**
 * What a change is distinguished from: `interleaved`: both sides in one sweep; `occasions`: several sweeps of a side; `one each`:
 * nothing, unless it is given how far occasions differ.
 */
export type Design = "interleaved" | "occasions" | "one each";

export interface Comparison {
  readonly design: Design;
  /** Sweeps of each side; of interleaved ones the same. */
  readonly occasions: { readonly a: number; readonly b: number };
  /** How far two occasions are known to differ; null: not known. */
  readonly occasion_spread_percent: number | null;
  readonly cells: readonly ComparedCell[];
  /** All cells, and those of each lane, where there are several that have loads in both sides. */
  readonly together: readonly ComparedTogether[];
  /** So many probabilities of one direction are corrected together. */
  readonly tests: number;
  /** The greatest change of which could be shown, by these loads: in single cells, only in several together, or nowhere. */
  readonly can_show: "cells" | "together" | "nothing";
  /** Valid loads of each side from which on a cell can be shown to have changed by itself; null: no cell is comparable. */
  readonly loads_needed: number | null;
  /** Cells of one side only. */
  readonly only_a: number;
  readonly only_b: number;
  /** Of all loads, also those that are not compared. */
  readonly browsers_a: readonly Browser[];
  readonly browsers_b: readonly Browser[];
}

/** `unsure`: something became worse, but it may be the occasion. */
export type Regression = "none" | "shown" | "unsure";

/** What became worse, of cells and of cells together. */
export function worseOf({ cells, together }: Pick<Comparison, "cells" | "together">): ("slower" | "failing")[] {
  const found = new Set<Judgement>([...cells, ...together].map(({ judgement }) => judgement));
  return (["slower", "failing"] as const).filter((judgement) => found.has(judgement));
}

export function regressionOf(comparison: Comparison): Regression {
  if (worseOf(comparison).length === 0) return "none";
  const { design, occasion_spread_percent } = comparison;
  return design === "one each" && occasion_spread_percent === null ? "unsure" : "shown";
}
