// Where a recording is from, as its `source` says. Of live pages and files it is said elsewhere; this is what Trilane made. Pure.
import type { Recording } from "./archive.ts";

type Sourced = Pick<Recording, "source">;

const synthPrefix = "synth: ";
export const modelPrefix = "model: ";

/** Of a page of `trilane synth`. */
export const sourceOf = (name: string): string => `${synthPrefix}${name}`;

/** The page of `trilane synth` that a recording is of, also an edited one; null: it is of none. */
export const syntheticName = (source: string | undefined): string | null =>
  source?.startsWith(synthPrefix) ? source.slice(synthPrefix.length) : null;

/** Whole: Trilane made all of it. */
export const isSynthetic = ({ source }: Sourced): boolean => syntheticName(source) !== null;

/** A page of the shape of another recording. */
export const isModel = ({ source }: Sourced): boolean => source.startsWith(modelPrefix);
