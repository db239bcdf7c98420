// Generated from ../fetches-planned.schema.json by `npm run generate`: change the schema instead.
import type { FetchIp, FetchLane, FetchTls } from "./fetch_record.ts";

/**
 * What `trilane fetch --dry-run --json` prints: what would be fetched, over what, and how long that takes.
 */
export interface FetchesPlanned {
  event: "fetches-planned";
  name: string;
  objects: number;
  hosts: number;
  /**
   * Over what each object is fetched.
   *
   * @minItems 1
   */
  variants: [FetchVariantPlanned, ...FetchVariantPlanned[]];
  /**
   * Empty: the network as it is.
   */
  links: string[];
  /**
   * Whose servers are asked; null: those of the network.
   */
  page: string | null;
  fetches: number;
  /**
   * Between two fetches from one host; null: in labs there is none.
   */
  pause_ms: number | null;
  /**
   * With the links' self-tests.
   */
  expected_s: number;
}
export interface FetchVariantPlanned {
  lane: FetchLane;
  tls: FetchTls;
  ip: FetchIp;
}
