// Generated from ../shaper-control.schema.json by `npm run generate`: change the schema instead.
import type { ShaperStats } from "./shaper_stats.ts";

/**
 * A line on trilane-shaper's control socket (--control): requests to it, and its answers, one to each request in their order.
 */
export type ControlLine = ControlAskStats | ControlAskSteer | ControlStats | ControlSteered | ControlRefused;
export interface ControlAskStats {
  command: "stats";
}
export interface ControlAskSteer {
  command: "steer";
  /**
   * Short form of what changes; all else stays. The seed cannot change.
   */
  link: string;
}
export interface ControlStats {
  ok: true;
  stats: ShaperStats;
}
export interface ControlSteered {
  ok: true;
  /**
   * What the link is asked to be now, in short form.
   */
  link: string;
  /**
   * When it changed: CLOCK_MONOTONIC, as the log's stamps count from.
   */
  at_ns: number;
}
export interface ControlRefused {
  ok: false;
  /**
   * One line that names the thing and the remedy. Nothing has changed.
   */
  error: string;
}
