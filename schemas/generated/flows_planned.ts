// Generated from ../flows-planned.schema.json by `npm run generate`: change the schema instead.
import type { Flow } from "./flow.ts";
import type { Lane } from "./lane.ts";

/**
 * What `trilane flows --dry-run --json` prints: what would run, how long that takes and what it stores.
 */
export interface FlowsPlanned {
  event: "flows-planned";
  name: string;
  /**
   * Mixes x links, and x lanes with a page.
   */
  cells: number;
  runs: number;
  /**
   * With the links' self-tests.
   */
  expected_s: number;
  /**
   * What the results will take on the disk.
   */
  expected_bytes: number;
  /**
   * @minItems 1
   */
  links: [string, ...string[]];
  /**
   * @minItems 1
   */
  mixes: [MixPlanned, ...MixPlanned[]];
  for_s: number;
  ping_ms: number | null;
  /**
   * Loaded amid the flows; null: none.
   */
  page: string | null;
  /**
   * Of the page; empty without one.
   */
  lanes: Lane[];
}
export interface MixPlanned {
  name: string;
  /**
   * @minItems 1
   */
  flows: [Flow, ...Flow[]];
}
