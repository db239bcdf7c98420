// Generated from ../flow-plan.schema.json by `npm run generate`: change the schema instead.
import type { Lane } from "./lane.ts";
import type { DisturbanceTolerance, PlanLink, PlanPage } from "./sweep_plan.ts";

/**
 * What `trilane flows` runs: mixes of flows x links, each so many times; with a page x lanes: each run loads it amid the flows, and ends with its load.
 */
export interface FlowPlanDocument {
  $schema?: string;
  name: string;
  /**
   * What the runs ask, for people.
   */
  description?: string;
  /**
   * The study it follows, for people.
   */
  reference?: string;
  /**
   * @minItems 1
   */
  links: [PlanLink, ...PlanLink[]];
  /**
   * Flows that run together. Several mixes are compared: they take turns within each block.
   *
   * @minItems 1
   */
  mixes: [PlanMix, ...PlanMix[]];
  /**
   * How long a run lasts, unless all of its flows end before. With a page: how long at most.
   */
  for_s: number;
  /**
   * Valid runs asked of each mix on a link.
   */
  repetitions: number;
  /**
   * Decides the order of runs and the losses on the links.
   */
  seed?: number;
  /**
   * How often a run that was invalid is tried again.
   */
  retries?: number;
  tolerance?: DisturbanceTolerance;
  /**
   * Time between small packets that measure the round trip beside the flows; null: none are sent.
   */
  ping_ms?: number | null;
  /**
   * Time between samples of each flow's state, at both ends.
   */
  sample_ms?: number;
  page?: PlanPage;
  /**
   * When the page's navigation begins, on the run's clock. The browser needs a moment to start. Default: 5.
   */
  page_start_s?: number;
  /**
   * Over which the page is loaded. Default: h1, h2, h3.
   *
   * @minItems 1
   */
  lanes?: [Lane, ...Lane[]];
}
export interface PlanMix {
  /**
   * Default: its flows' words.
   */
  name?: string;
  /**
   * As `--flow` takes them: quic:cubic-n2, 4*tcp:bbr@5s,up.
   *
   * @minItems 1
   * @maxItems 1000
   */
  flows: [string, ...string[]];
}
