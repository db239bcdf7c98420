// Generated from ../fetch-plan.schema.json by `npm run generate`: change the schema instead.
import type { FetchIp, FetchLane, FetchTls } from "./fetch_record.ts";
import type { DisturbanceTolerance, PlanLink, SynthPage } from "./sweep_plan.ts";

/**
 * A URL.
 */
export type FetchObject = string;
/**
 * With links: the recording whose servers are asked.
 */
export type PlanPage = string | SynthPage;
/**
 * What `trilane fetch` runs: objects x lanes x versions of TLS x versions of IP, over the network as it is, or x links through labs; each so many times, interleaved.
 */
export interface FetchPlanDocument {
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
   * With a page the default is all that it has; else there must be some.
   *
   * @minItems 1
   * @maxItems 100000
   */
  objects?: [FetchObject, ...FetchObject[]];
  /**
   * @minItems 1
   */
  lanes: [FetchLane, ...FetchLane[]];
  /**
   * For lanes over TCP; QUIC has 1.3 always. Default: 1.3.
   *
   * @minItems 1
   */
  tls?: [FetchTls, ...FetchTls[]];
  /**
   * Default: 4.
   *
   * @minItems 1
   */
  ip?: [FetchIp, ...FetchIp[]];
  /**
   * Labs, whose servers are a recording's. Absent: over the network as it is.
   *
   * @minItems 1
   */
  links?: [PlanLink, ...PlanLink[]];
  page?: PlanPage;
  repetitions: number;
  /**
   * So many further fetches of each, after the repetitions, in which strace counts the system calls of the client, and in labs of the server. They are slower, and in no time.
   */
  syscalls?: number;
  /**
   * Decides the order of objects and the losses on the links.
   */
  seed?: number;
  /**
   * ADDRESS or ADDRESS:PORT of a server to ask for all objects, [IPv6] in brackets. Default: as their names resolve.
   */
  connect?: string;
  /**
   * A file of certificates (PEM) to trust in place of the system's. In labs the recording's are trusted.
   */
  ca?: string;
  /**
   * Certificates. false: also those that nobody vouches for.
   */
  verify?: boolean;
  /**
   * How many redirects are followed.
   */
  follow?: number;
  /**
   * For each object.
   */
  timeout_s?: number;
  /**
   * Of an object; more ends it.
   */
  max_body_bytes?: number;
  /**
   * Between two fetches from one host, over the network as it is. In labs there is none.
   */
  pause_ms?: number;
  tolerance?: DisturbanceTolerance;
  user_agent?: string;
}
