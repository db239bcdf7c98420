// A part of a plan of pages that one machine runs, into a file of results of its own.
import { RunError } from "../../base/errors.ts";
import type { Recording } from "../../recording/archive/archive.ts";
import type { Environment, NewHost } from "../../results/store/results.ts";

/** A shard was run to its end, and is of no use. */
export class NoValidLoadError extends RunError {}

export interface PageShard {
  /** The file of results. */
  readonly path: string;
  readonly host: Omit<NewHost, "cells">;
  readonly environment: Environment;
  /** What `trilane cell` was given; null: these are the reference cells. */
  readonly cell: number | null;
  /** Number in the plan of the cells' page on their link; null: they are not in this shard. */
  readonly placeOf: (cell: { page: string; link: string }) => number | null;
  /** @throws if a page's recording is not the one that all machines are to load. */
  readonly check: (recordings: ReadonlyMap<string, Recording>) => void;
}
