// What comes of comparing two sides: a judgement of each cell and of cells together, and what could be shown at all. Types and what
// follows for the exit status; compare.ts makes them.
import type {
  ComparedCell as CellDocument,
  ComparedTogether as TogetherDocument,
} from "../../../schemas/generated/sweeps_compared.ts";
import type { Browser } from "../verdict/browsers.ts";

/** `unclear`: neither a change nor its absence is shown. */
export type ShownChange = "slower" | "faster" | "same" | "unclear";

/** `failing`: loads of the second side fail more often, or none ends any more. `unknown`: too few valid loads in one of them, or another cell. */
export type Judgement = ShownChange | "failing" | "unknown";

/** Optional members are absent from documents of earlier versions only. */
export type ComparedCell = Readonly<Required<CellDocument>>;

/** Several cells in one test. */
export type ComparedTogether = Readonly<TogetherDocument>;

/** Of the median page load time; positive is slower. The interval of too few loads is null. */
export type Change = Pick<ComparedTogether, "change_percent" | "low_percent" | "high_percent">;

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
