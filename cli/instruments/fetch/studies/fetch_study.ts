// A published study of fetched objects that Trilane can run: its plans, and what it found, as numbers or as signs. Data;
// fetch_agreement.ts computes ours.

import type { Figure, NumberStudy } from "../../../results/studies/study.ts";
import type { CallKind } from "../answer/call_shares.ts";
import type { Variant } from "../metrics/fetched.ts";
import type { Quantity } from "../metrics/quantities.ts";

/** What is looked at in a fetch. */
export type FetchMeasure =
  | { readonly of: "quantity"; readonly quantity: Quantity }
  /** Calls of one kind: their share of the time of all system calls, in fetches that were counted. */
  | { readonly of: "calls"; readonly end: "client" | "server"; readonly kind: CallKind };

/** Where it is looked at. */
export interface FetchPlace extends Variant {
  /** Its URL. */
  readonly object: string;
  readonly link: string;
  readonly measure: FetchMeasure;
}

export type FetchFigure = Figure<FetchPlace>;
export type FetchStudy = NumberStudy<FetchPlace>;
