// Generated from ../export.schema.json by `npm run generate`: change the schema instead.

export type PlanPage = string | SynthPage;
export type PlanLink = string | LinkGrid;
/**
 * When a page on a link needs no further loads: they go where they are needed, with the error of looking several times accounted for (cli/stats/sequential.ts).
 */
export type PlanUntil = UntilDecided | UntilPrecise;
export type Lane = "h1" | "h1-clear" | "h2" | "h2-0rtt" | "h3" | "h3-discovered" | "h3-altsvc" | "h3-0rtt";
/**
 * What the queue holds; bdp: in products of this direction's rate and the RTT at the start, but never less than 10 packets of 1500 bytes.
 */
export type LinkQueue = QueueInBdp | QueueInPackets | QueueInBytes | QueueInTime | QueueUnlimited;
export type TimeMs = number | null;
export type Count = number | null;
export type Percent = number | null;

/**
 * What `trilane export --format json` writes: a sweep, its cells, every attempt at a load, and what they say. Units stand in names; null means unavailable.
 */
export interface Export {
  schema: "trilane/export/1";
  sweep: ExportedSweep;
  cells: ExportedCell[];
  /**
   * The self-tests of the cells' links; empty where there were none. Absent: written before this was told.
   */
  link_tests?: ExportedLinkTest[];
  loads: ExportedLoad[];
  /**
   * Further loads that were filmed: they are in no average. Absent: written before this was told.
   */
  filmed_loads?: ExportedFilm[];
  /**
   * Per page and link, one for each pair of lanes.
   */
  improvements: ExportedImprovement[];
  verdict: ExportedVerdict;
}
export interface ExportedSweep {
  id: number;
  name: string;
  plan: SweepPlan;
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
export interface ExportedCell {
  id: number;
  /**
   * The recording's name.
   */
  page: string;
  lane: Lane;
  /**
   * Short form.
   */
  link: string;
  link_profile: LinkProfile;
  recording_digest: string;
}
/**
 * The emulated bottleneck between browser and servers. Per direction a packet goes through forward error correction's encoder, on/off periods, queue and link, loss, duplication, reordering, delay, and the decoder; what is left out does not happen. Its short form (3mbit/50ms,loss=1%) is read by cli/link/link.ts and shaper/link_profile.c.
 */
export interface LinkProfile {
  down: LinkDirection;
  up: LinkDirection;
  /**
   * The sum of both delays at the start: the minimum round trip, but for jitter.
   */
  rtt_ms: number;
  /**
   * Decides all that is random.
   */
  seed: number;
}
/**
 * down: servers to browser; up: browser to servers.
 */
export interface LinkDirection {
  /**
   * Bits of IP packets per second; null: unlimited. Of steps the first, of a trace the mean (null where the trace was not read).
   */
  rate_bps: number | null;
  /**
   * One way, on top of the transmission time; of steps the first.
   */
  delay_ms: number;
  queue: LinkQueue;
  /**
   * Share of packets lost. With loss_model the share in the long run, which no packet's fate follows from (0 where a file was not read).
   */
  loss: number;
  /**
   * The rate from each time on, counted from the start; the first is at 0.
   *
   * @minItems 2
   * @maxItems 64
   */
  rate_steps?: [RateStep, RateStep, ...RateStep[]];
  trace?: LinkTrace;
  /**
   * The delay from each time on, counted from the start; the first is at 0.
   *
   * @minItems 2
   * @maxItems 64
   */
  delay_steps?: [DelayStep, DelayStep, ...DelayStep[]];
  /**
   * Added to the delay of each packet. uniform: evenly from -ms to ms; normal: ms is the standard deviation; pareto: ms is the mean; file: milliseconds, a number for each packet in turn.
   */
  jitter?: DrawnJitter | NumberFile;
  /**
   * A packet may overtake one that is delayed for longer; else it waits for it.
   */
  jitter_order?: "free";
  /**
   * The queue's discipline, where it is not drop-tail: RFC 8289, RFC 8033, RFC 8290.
   */
  aqm?: "drophead" | "codel" | "pie" | "fq_codel";
  /**
   * The queue marks packets that may be marked instead of dropping them.
   */
  ecn?: true;
  /**
   * How packets are lost, where not each independently.
   */
  loss_model?: GilbertElliott | PeriodicLoss | NumberFile;
  /**
   * Losses are decided for slots of time instead of packets.
   */
  loss_slot_ms?: number;
  /**
   * Share of packets that arrive twice.
   */
  duplicate?: number;
  reorder?: Reordering;
  onoff?: OnOff;
  /**
   * A parity packet follows every so many UDP datagrams of a flow, and repairs one loss among them.
   */
  fec?: number;
}
export interface QueueInBdp {
  bdp: number;
}
export interface QueueInPackets {
  packets: number;
}
export interface QueueInBytes {
  bytes: number;
}
export interface QueueInTime {
  ms: number;
}
export interface QueueUnlimited {
  unlimited: true;
}
export interface RateStep {
  at_ms: number;
  rate_bps: number;
}
/**
 * In place of a rate: when the link may send, in Mahimahi's format.
 */
export interface LinkTrace {
  /**
   * Path; absolute where the profile is stored.
   */
  file: string;
  /**
   * Of the file when the profile was stored; in hexadecimal.
   */
  sha256?: string;
  /**
   * At its end the trace begins again, or (once) the link carries nothing more.
   */
  end?: "once";
}
export interface DelayStep {
  at_ms: number;
  delay_ms: number;
}
export interface DrawnJitter {
  distribution: "uniform" | "normal" | "pareto";
  ms: number;
}
/**
 * Numbers, one for each packet or slot in turn; wraps.
 */
export interface NumberFile {
  /**
   * Path; absolute where the profile is stored.
   */
  file: string;
  /**
   * Of the file when the profile was stored; in hexadecimal.
   */
  sha256?: string;
}
/**
 * Shares per packet or slot: of changing between the two states, and of losses in each.
 */
export interface GilbertElliott {
  good_to_bad: number;
  bad_to_good: number;
  loss_in_bad: number;
  loss_in_good: number;
}
/**
 * Every so-many-th packet or slot is lost.
 */
export interface PeriodicLoss {
  every: number;
}
/**
 * A share of packets is overtaken by the next `distance` ones.
 */
export interface Reordering {
  share: number;
  distance: number;
}
/**
 * What reaches the link in an off period is lost. Begins on.
 */
export interface OnOff {
  on_ms: number;
  off_ms: number;
  /**
   * fixed: of just this length; exponential: of this mean.
   */
  periods: "fixed" | "exponential";
}
export interface ExportedLinkTest {
  machine: string;
  measured_at: string;
  test: SelftestLink;
}
export interface SelftestLink {
  /**
   * Short form, canonical.
   */
  link: string;
  /**
   * out: at least one row is out of its tolerance.
   */
  outcome: "within" | "out";
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
export interface ExportedLoad {
  id: number;
  cell: number;
  /**
   * Repetition, from 0.
   */
  block: number;
  /**
   * From 0.
   */
  attempt: number;
  /**
   * Place in the planned order, from 0.
   */
  position: number;
  status: "valid" | "invalid" | "failed";
  /**
   * Why it is not valid.
   */
  reasons: string[];
  started_at: string;
  wall_ms: number;
  plt_ms: TimeMs;
  ttfb_ms: TimeMs;
  dcl_ms: TimeMs;
  fcp_ms: TimeMs;
  lcp_ms: TimeMs;
  /**
   * Cumulative layout shift; null here and below also for loads of before it was told.
   */
  cls?: number | null;
  tbt_ms?: TimeMs;
  browser_cpu_ms?: TimeMs;
  server_cpu_ms?: TimeMs;
  shaper_cpu_ms?: TimeMs;
  network_ms?: TimeMs;
  computation_ms?: TimeMs;
  optimal_ms?: TimeMs;
  requests: Count;
  bytes: Count;
  connections: Count;
  matched: Count;
  fuzzy: Count;
  missed: Count;
  failed: Count;
  off_lane: Count;
}
export interface ExportedFilm {
  cell: number;
  /**
   * Among the cell's filmed loads, from 0.
   */
  number: number;
  status: "valid" | "invalid" | "failed";
  /**
   * Why it is not valid.
   */
  reasons: string[];
  plt_ms: TimeMs;
  speed_index_ms: TimeMs;
  visually_complete_85_ms: TimeMs;
  visually_complete_95_ms: TimeMs;
  visually_complete_100_ms: TimeMs;
}
/**
 * (over - lane) / over * 100 of the medians: positive where `lane` is faster; with its 95 % interval.
 */
export interface ExportedImprovement {
  page: string;
  link: string;
  lane: string;
  over: string;
  percent: Percent;
  low_percent: Percent;
  high_percent: Percent;
  /**
   * Valid loads of `lane`.
   */
  loads_lane: number;
  /**
   * Valid loads of `over`.
   */
  loads_over: number;
  /**
   * Why percent or the interval is null.
   */
  reason: string | null;
}
export interface ExportedVerdict {
  scope: string;
  sentences: string[];
  /**
   * What was left out; null: nothing.
   */
  excluded: string | null;
}
