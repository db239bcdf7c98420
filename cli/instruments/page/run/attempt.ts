// One attempt at a load: asked of who measures, and judged by its link. Stores nothing, tries nothing again.
import type { PageLoad } from "../../../../schemas/generated/page_load.ts";
import type { Cell } from "../../../results/store/results.ts";
import { loadRequest, type Measure, type Requesting } from "./request.ts";

export interface Attempting extends Requesting {
  readonly measure: Measure;
  /** A folder for what each attempt at a load leaves behind; without it nothing is kept but the page load. */
  readonly evidenceOf?: (cell: Cell, block: number, attempt: number) => string;
}

export interface Attempt {
  readonly cell: Cell;
  readonly block: number;
  readonly attempt: number;
  /** The only ones that it may use; undefined: all. */
  readonly cpus: readonly number[] | undefined;
  /** What is wrong with its link; null: nothing. */
  readonly fault: string | null;
}

/** A load over a link that is not what was asked is not valid, however it went. */
function judgedBy(fault: string | null, load: PageLoad): PageLoad {
  if (fault === null) return load;
  const facts = load.log._trilane;
  const status = facts.status === "valid" ? "invalid" : facts.status;
  return { log: { ...load.log, _trilane: { ...facts, status, reasons: [...facts.reasons, fault] } } };
}

/** Null for a load that the signal cut off: whatever it came to is not what was asked. */
export async function attemptLoad(options: Attempting, asked: Attempt): Promise<PageLoad | null> {
  const { signal, evidenceOf } = options;
  const { cell, block, attempt, cpus, fault } = asked;
  let load: PageLoad;
  try {
    load = await options.measure({
      ...loadRequest(options, cell, block),
      ...(cpus ? { cpus } : {}),
      ...(evidenceOf ? { evidence: evidenceOf(cell, block, attempt) } : {}),
    });
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
  // Ctrl-C on a terminal reaches the lab's processes too: one turn of the event loop, so that our own handler has run.
  await new Promise((resolve) => setImmediate(resolve));
  return signal.aborted ? null : judgedBy(fault, load);
}
