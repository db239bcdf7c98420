// Generated from ../selftest.schema.json by `npm run generate`: change the schema instead.

/**
 * out: at least one row is out of its tolerance.
 */
export type Outcome = "within" | "out";
/**
 * What `trilane selftest --json` prints: links measured through real labs on this machine, against what was asked of them.
 */
export interface Selftest {
  schema: "trilane/selftest/1";
  /**
   * Trilane's.
   */
  version: string;
  machine: SelftestMachine;
  /**
   * Of all CPUs' time, in the second before; null where the system does not tell.
   */
  idle_share: number | null;
  outcome: Outcome;
  /**
   * @minItems 1
   */
  links: [SelftestLink, ...SelftestLink[]];
}
export interface SelftestMachine {
  cpu: string;
  cpus: number;
  kernel: string;
}
export interface SelftestLink {
  /**
   * Short form, canonical.
   */
  link: string;
  outcome: Outcome;
  /**
   * How often it was measured; the rows are the last time's, which no row was out in, or it was the last.
   */
  measurements: number;
  /**
   * How the kernel ran the shaper; null: it left no report.
   */
  scheduling: ("fifo" | "short-slice" | "default") | null;
  wall_ms: number;
  rows: SelftestRow[];
}
export interface SelftestRow {
  /**
   * rate: while the link was busy. delay: the median, with the packet's own transmission. lateness: what one packet of a hundred took longer. jitter: in the distribution's own measure. loss, duplicate, reorder: shares of packets. queue: full packets that it holds.
   */
  quantity: "rate" | "delay" | "lateness" | "jitter" | "loss" | "duplicate" | "reorder" | "queue";
  direction: "down" | "up";
  unit: "bit/s" | "ms" | "share" | "packets";
  /**
   * null: no one number was.
   */
  asked: number | null;
  /**
   * null: not measured, the reason says why.
   */
  measured: number | null;
  /**
   * How far measured may be from asked.
   */
  tolerance: number | null;
  /**
   * Packets that it was measured with.
   */
  n: number;
  outcome: "within" | "out" | "not-measured";
  reason: string | null;
}
