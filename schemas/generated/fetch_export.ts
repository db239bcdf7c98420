// Generated from ../fetch-export.schema.json by `npm run generate`: change the schema instead.
import type { FetchCost } from "./fetch_cost.ts";
import type { FetchPlanDocument } from "./fetch_plan.ts";
import type { FetchIp, FetchLane, FetchRecord, FetchTls } from "./fetch_record.ts";
import type { LinkProfile } from "./link_profile.ts";
import type { FetchMetricSummary } from "./sweep_event.ts";

/**
 * What `trilane export --format json` writes of a sweep of fetches: every attempt with its record, and what the fetches over each lane, version of TLS and of IP say together. Units stand in names; null means unavailable.
 */
export interface FetchExport {
  schema: "trilane/fetch-export/1";
  sweep: FetchExportSweep;
  /**
   * Empty: the network as it was.
   */
  links: FetchExportLink[];
  /**
   * In the order in which they ended.
   */
  fetches: ExportedFetch[];
  /**
   * Of each link, lane, version of TLS and of IP, in the plan's order.
   */
  summaries: FetchSummary[];
  verdict: string[];
  notes: string[];
}
export interface FetchExportSweep {
  id: number;
  name: string;
  plan: FetchPlanDocument;
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
export interface FetchExportLink {
  /**
   * Short form, canonical.
   */
  link: string;
  link_profile: LinkProfile;
}
export interface ExportedFetch {
  id: number;
  cell: number;
  /**
   * Its URL.
   */
  object: string;
  lane: FetchLane;
  tls: FetchTls;
  ip: FetchIp;
  /**
   * null: the network as it was.
   */
  link: string | null;
  /**
   * What the record has not: the server's share, and system calls; null: neither was measured.
   */
  cost: FetchCost | null;
  /**
   * Repetition, from 0; from the plan's `repetitions` on system calls are counted.
   */
  block: number;
  attempt: number;
  /**
   * In the planned order, from 0.
   */
  position: number;
  status: "valid" | "invalid" | "failed";
  reasons: string[];
  started_at: string;
  wall_ms: number;
  /**
   * null: the client left none.
   */
  record: FetchRecord | null;
}
/**
 * All objects over a lane, a version of TLS and of IP, on one link or on the network as it is.
 */
export interface FetchSummary {
  /**
   * null: the network as it is.
   */
  link: string | null;
  lane: FetchLane;
  tls: FetchTls;
  ip: FetchIp;
  /**
   * Those that came at least once.
   */
  objects: number;
  valid: number;
  failed: number;
  invalid: number;
  /**
   * By the metric's name.
   */
  metrics: {
    [k: string]: FetchMetricSummary;
  };
}
