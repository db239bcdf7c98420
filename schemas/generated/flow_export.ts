// Generated from ../flow-export.schema.json by `npm run generate`: change the schema instead.
import type { FlowPaced } from "./flow.ts";
import type { FlowPlanDocument } from "./flow_plan.ts";
import type { FlowResult } from "./flow_result.ts";
import type { Lane } from "./lane.ts";
import type { LinkProfile } from "./link_profile.ts";

/**
 * What `trilane export --format json` writes of a sweep of flows: its cells, every attempt at a run, and what the valid runs of each cell say together. Units stand in names; null means unavailable.
 */
export interface FlowExport {
  schema: "trilane/flow-export/1";
  sweep: FlowExportSweep;
  cells: FlowExportCell[];
  /**
   * In the order in which they ended.
   */
  runs: FlowExportRun[];
  /**
   * One for each cell, in their order.
   */
  summaries: FlowExportSummary[];
}
export interface FlowExportSweep {
  id: number;
  name: string;
  plan: FlowPlanDocument;
  plan_digest: string;
  created_at: string;
  finished_at: string | null;
  seed: number;
  command: string[];
  /**
   * What it began on.
   */
  environment: {
    [k: string]: unknown;
  };
}
export interface FlowExportCell {
  id: number;
  /**
   * Its name in the plan.
   */
  mix: string;
  /**
   * Short form.
   */
  link: string;
  link_profile: LinkProfile;
  /**
   * Of the page that is loaded amid the flows; null: none is.
   */
  lane: Lane | null;
}
export interface FlowExportRun {
  id: number;
  cell: number;
  block: number;
  attempt: number;
  position: number;
  status: "valid" | "invalid" | "failed";
  reasons: string[];
  started_at: string;
  wall_ms: number;
  /**
   * null: it left too little.
   */
  result: FlowResult | null;
}
/**
 * Of a cell's valid runs; metrics as schemas/flow-result.schema.json has them.
 */
export interface FlowExportSummary {
  cell: number;
  runs: number;
  groups: FlowExportGroup[];
  down: Metrics2 | null;
  up: Metrics2 | null;
  ping: Metrics2 | null;
}
export interface FlowExportGroup {
  group: number;
  transport: "tcp" | "tls" | "quic";
  congestion: string;
  paced?: FlowPaced;
  direction: "down" | "up";
  flows: number;
  all: Metrics;
  each: Metrics1;
}
/**
 * Of the group as a whole.
 */
export interface Metrics {
  [k: string]: FlowExportMetric;
}
export interface FlowExportMetric {
  /**
   * Runs that have a value.
   */
  runs: number;
  median: number | null;
  /**
   * 95 % interval; null: see reason.
   */
  low: number | null;
  high: number | null;
  /**
   * Why median or interval is null.
   */
  reason: string | null;
}
/**
 * Of one of its flows: their mean in each run.
 */
export interface Metrics1 {
  [k: string]: FlowExportMetric;
}
export interface Metrics2 {
  [k: string]: FlowExportMetric;
}
