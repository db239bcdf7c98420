// Where a plan's traces of networks come from, as plans are read with them. Types only: whoever gives traces is networks.ts, which a command that
// names no network does not need.

/** What synthetic traces are drawn by. */
interface Drawing {
  readonly length_s: number;
  readonly seed: number;
}

/** Absolute paths. */
interface NetworkTraces {
  readonly down: string;
  readonly up: string;
}

/** Where the traces of a network are; `drawing`: of one that is drawn. */
export type TraceSource = (network: string, drawing: Drawing) => NetworkTraces;
