// What a bundle needs of a sweep, by what that measures: its report, its attempts as rows, what of it is secret. An instrument gives its own
// (cli/engine/plan_kind.ts).

import type { SQLOutputValue } from "node:sqlite";
import type { Bundle } from "../../../schemas/generated/bundle.ts";
import type { Results } from "../../results/store/results.ts";

export type Row = Record<string, SQLOutputValue>;

/** Credentials taken out of rows on their way into a bundle. */
export interface Masking {
  /** A row as it is to be; the sweep's own comes first. */
  readonly row: (table: string, row: Row) => Row;
  /** Once all rows are copied: different values that were masked, if they are counted. */
  readonly counts?: () => { readonly command_lines: number; readonly output: number };
}

export interface BundledSweeps {
  /** The manifest does not name the kind: bundles were of pages alone before there were others. */
  readonly isUnnamed?: true;
  /** What an attempt and several are called. */
  readonly nouns: readonly [string, string];
  /** What was measured, as the first words of a sentence; null: pages. */
  readonly title: string | null;
  /** Why a bundle of them is not run again, and what to do; null: it can be. */
  readonly noRerun: string | null;
  /** Of its plans. */
  readonly planSchema: string;
  /** One HTML document. */
  readonly report: (results: Results, sweep: number, given: object) => string;
  /** Its attempts as CSV. */
  readonly rows: (results: Results, sweep: number) => string;
  /** Beyond what is masked in all rows. */
  readonly masking?: () => Masking;
}

/** Of an instrument's sweeps, by the kind that a manifest or a sweep names; null: they are not bundled. */
export type BundledKinds = (kind: string | undefined) => Promise<BundledSweeps | null>;

/** A bundle of which loads are to be run again. */
export interface RerunRequest {
  /** The bundle's file, for errors. */
  readonly bundle: string;
  readonly manifest: Bundle;
  /** Where the members that a rerun needs are. */
  readonly unpacked: string;
  /** The bundle's results. */
  readonly results: string;
  /** The data folder to make ready, or to resume. */
  readonly home: string;
}
