// Generated from ../sweep-plan.schema.json by `npm run generate`: change the schema instead.

export type PlanPage = string | SynthPage;
export type PlanLink = string | LinkGrid;
/**
 * When a page on a link needs no further loads: they go where they are needed, with the error of looking several times accounted for (cli/stats/sequential.ts).
 */
export type PlanUntil = UntilDecided | UntilPrecise;

/**
 * What `trilane sweep` runs: pages x lanes x links, each so many times.
 */
export interface SweepPlan {
  $schema?: string;
  name: string;
  /**
   * What the sweep asks, for people.
   */
  description?: string;
  /**
   * The study it follows, for people.
   */
  reference?: string;
  /**
   * @minItems 1
   */
  pages: [PlanPage, ...PlanPage[]];
  /**
   * @minItems 1
   */
  lanes: [
    "h1" | "h1-clear" | "h2" | "h2-0rtt" | "h3" | "h3-discovered" | "h3-altsvc" | "h3-0rtt",
    ...("h1" | "h1-clear" | "h2" | "h2-0rtt" | "h3" | "h3-discovered" | "h3-altsvc" | "h3-0rtt")[]
  ];
  /**
   * @minItems 1
   */
  links: [PlanLink, ...PlanLink[]];
  /**
   * Valid loads asked of each cell; with `until` the most of them.
   */
  repetitions: number;
  until?: PlanUntil;
  /**
   * Decides the order of loads and the losses on the links.
   */
  seed?: number;
  /**
   * How often a load that was invalid or failed is tried again.
   */
  retries?: number;
  /**
   * A load that takes longer has failed.
   */
  timeout_s?: number;
  /**
   * The sweep ends, with its report, when its loads have taken so long over all runs: further blocks and films are not begun. Loads side by side count once; what lies between loads does not count. Each `trilane cell` of a plan that is spread over machines has this time for itself.
   */
  time_limit_s?: number;
  /**
   * Whether a repeat visit (h2-0rtt, h3-0rtt) finds the first one's cache, cookies and storage; else only its tickets.
   */
  warm_cache?: boolean;
  /**
   * How long a load is watched after its load event, for late requests and the largest paint.
   */
  settle_ms?: number;
  /**
   * How many further loads of each cell are filmed, for what the page showed and how fast (Speed Index). Filming takes the browser's time: these are in no average.
   */
  films?: number;
  serving?: ServingChoice;
}
export interface SynthPage {
  /**
   * A page that `trilane synth` can make; {a,b} in it for several of a family, as object-{10kB,1MB}.
   */
  synth: string;
}
export interface LinkGrid {
  grid: Grid;
}
/**
 * Every rate with every RTT with every loss.
 */
export interface Grid {
  /**
   * @minItems 1
   */
  rates_mbit: [number, ...number[]];
  /**
   * @minItems 1
   */
  rtts_ms: [number, ...number[]];
  /**
   * Shares from 0 to 1; without it no loss.
   *
   * @minItems 1
   */
  loss?: [number, ...number[]];
}
export interface UntilDecided {
  /**
   * Each pair of lanes is decided: one is faster, or they are equivalent within so many per cent.
   */
  decided_percent: number;
}
export interface UntilPrecise {
  /**
   * The 95 % interval of each lane's median reaches so many per cent of it to each side, or less.
   */
  interval_percent: number;
}
/**
 * How the origins of a recording serve it. What is left out is as Linux and quiche have it by default (preset stock); what is stored with loads and sweeps leaves nothing out.
 */
export interface ServingChoice {
  /**
   * as-recorded: one server for each recorded address. merged: the hosts of one operator are one server. single: all are.
   */
  origins?: "as-recorded" | "merged" | "single";
  /**
   * How long a server takes over a request before it answers: not at all, as the recorded one did, or always so long.
   */
  think?: ("none" | "recorded") | FixedThink;
  /**
   * Servers that were farther away when the page was recorded are so again, by the difference to the nearest one.
   */
  extra_rtt?: boolean;
  /**
   * How large a certificate chain servers send. recorded: as it was, 3243 bytes where that is not known (the Web's median, as browsers ask for it). small: about 900 bytes. Or always so large.
   */
  chain?: ("recorded" | "small") | FixedChain;
  /**
   * TLS versions offered over TCP; QUIC always has 1.3.
   */
  tls?: "1.2" | "1.3" | "both";
  /**
   * The page's clock and random numbers are the same in every load.
   */
  pin_time?: boolean;
  transport?: TransportChoice;
}
export interface FixedThink {
  ms: number;
}
export interface FixedChain {
  bytes: number;
}
export interface TransportChoice {
  /**
   * What the members left out are as. stock: the defaults of Linux and quiche, with CUBIC. tuned: TCP with what QUIC has, and both with a larger initial window. custom: as stock; what is stored is so called where it is neither of the two.
   */
  preset?: "stock" | "tuned" | "custom";
  tcp?: TcpChoice;
  quic?: QuicChoice;
}
export interface TcpChoice {
  congestion_control?: "cubic" | "reno" | "bbr";
  initial_window_packets?: number;
  /**
   * The kernel spreads what it sends over the round trip; BBR always does.
   */
  pacing?: boolean;
  /**
   * After a pause the window begins small again.
   */
  slow_start_after_idle?: boolean;
  /**
   * The server keeps little waiting in the kernel, so that what goes next is decided late and an urgent response overtakes; else as much as the socket's buffer takes, as many servers do.
   */
  bounds_unsent?: boolean;
  /**
   * Of each socket, fixed, as the kernel counts it; null: the kernel chooses and lets it grow.
   */
  send_buffer_bytes?: null | number;
  receive_buffer_bytes?: null | number;
}
export interface QuicChoice {
  congestion_control?: "cubic" | "reno" | "bbr2";
  initial_window_packets?: number;
  pacing?: boolean;
  /**
   * Of the largest datagram sent.
   */
  max_udp_payload_bytes?: number;
  /**
   * How long the server says that it may hold back an ACK. The library knows no ACK frequency beyond that.
   */
  max_ack_delay_ms?: number;
  /**
   * How packets that leave together are handed to the kernel: one message that it cuts up, one call with a message each, or a call each.
   */
  batching?: "gso" | "sendmmsg" | "none";
  /**
   * Of the UDP socket that all connections share; null: up to 1 MiB, as the kernel grants.
   */
  send_buffer_bytes?: null | number;
  receive_buffer_bytes?: null | number;
}
