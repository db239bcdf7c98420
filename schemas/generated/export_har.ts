// Generated from ../export-har.schema.json by `npm run generate`: change the schema instead.

/**
 * What the queue holds; bdp: in products of this direction's rate and the RTT at the start, but never less than 10 packets of 1500 bytes.
 */
export type LinkQueue = QueueInBdp | QueueInPackets | QueueInBytes | QueueInTime | QueueUnlimited;
/**
 * CPU time, user and system, of the lab's processes, those that have ended included. load: from just before the navigation until the load event was told; all: from the lab's start until the load was read. null: this system does not tell it. Absent: it was not asked.
 */
export type CpuTimes = null | CpuTimesTold;
/**
 * What the load had to wait for CPUs, from just before the navigation until the load event was told. null: this system does not tell it. Absent: it was not asked.
 */
export type MachinePressure = null | Pressure;

/**
 * What `trilane export --format har` writes: HAR 1.2 with a page for each load, and, described here, what HAR 1.2 does not know. DevTools' fields: _connectionId, _priority, _resourceType, _initiator, _fromCache, response._transferSize, response._error, timings._blocked_queueing, httpVersion as the raw ALPN. WebPageTest's: _protocol, _socket, _tls_version, _full_url.
 */
export interface ExportHar {
  log: ExportHarLog;
}
export interface ExportHarLog {
  version: "1.2";
  creator: {};
  browser: {};
  /**
   * @minItems 1
   */
  pages: [ExportHarPage, ...ExportHarPage[]];
  entries: ExportHarEntry[];
  _trilane: ExportHarFacts;
}
export interface ExportHarPage {
  id: string;
  _trilane: LoadFacts;
}
export interface LoadFacts {
  schema: "trilane/page-load/1";
  lane: "h1" | "h1-clear" | "h2" | "h2-0rtt" | "h3" | "h3-discovered" | "h3-altsvc" | "h3-0rtt";
  link: LinkProfile;
  /**
   * The recording's name.
   */
  page: string;
  recording_digest: string;
  /**
   * valid: it was what was asked. invalid: it ended, but was not. failed: it did not end.
   */
  status: "valid" | "invalid" | "failed";
  /**
   * Why it is not valid, one line each; empty for a valid load.
   */
  reasons: string[];
  metrics: Metrics;
  counts: LoadCounts;
  /**
   * Requests on the wire by the protocol that answered them (ALPN). Absent from loads of before there were lanes with more than one.
   */
  protocols?: {
    [k: string]: number;
  };
  /**
   * What a repeat visit was; null: the load was a first visit.
   */
  repeat?: RepeatVisit | null;
  /**
   * Requests and names asked by the browser for itself (favicon, its own services): kept apart from the page.
   */
  background: BackgroundRequest[];
  /**
   * What the replay's name server was asked.
   */
  dns: DnsAnswer[];
  /**
   * trilane-replay's report (schemas/replay-report.schema.json) without its requests and dns, which are told above; null: none was written.
   */
  replay: ReplayFacts | null;
  /**
   * trilane-shaper's report; null: none was written.
   */
  shaper: ShaperReport | null;
  serving?: ServingChoice;
  /**
   * The folder in which this load left its transports' state, captures and reports, where that was asked for.
   */
  evidence?: string;
  environment: Environment;
  /**
   * The load's wall clock began: CLOCK_MONOTONIC.
   */
  started_ns: number;
  /**
   * Tasks of 50 ms and more of the page's main thread until the load was read. Absent: they were not watched.
   */
  long_tasks?: LongTask[];
  cpu?: CpuTimes;
  pressure?: MachinePressure;
  /**
   * CLOCK_MONOTONIC.
   */
  navigation_start_ns: number | null;
  /**
   * From the call until nothing of the lab was left.
   */
  wall_ms: number;
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
export interface Metrics {
  /**
   * loadEventEnd - navigationStart.
   */
  plt_ms: number | null;
  /**
   * responseStart.
   */
  ttfb_ms: number | null;
  /**
   * domContentLoadedEventEnd.
   */
  dcl_ms: number | null;
  fcp_ms: number | null;
  lcp_ms: number | null;
  /**
   * Cumulative layout shift, as web-vitals has it; here and below: absent from loads of before it was told.
   */
  cls?: number | null;
  /**
   * Total blocking time: of the long tasks after the first contentful paint, what each took beyond 50 ms.
   */
  tbt_ms?: number | null;
  /**
   * Why a metric is null.
   */
  unavailable: {
    [k: string]: string;
  };
}
export interface LoadCounts {
  /**
   * The page's own, redirects apart, without those from cache.
   */
  requests: number;
  /**
   * Sum of _transferSize.
   */
  bytes: number;
  connections: number;
  /**
   * Answered with the recorded response of just this request.
   */
  matched: number;
  /**
   * Answered with that of one with another query, scheme or port.
   */
  fuzzy: number;
  /**
   * Not in the recording.
   */
  missed: number;
  failed: number;
  /**
   * Answered over another protocol than the lane's.
   */
  off_lane: number;
}
export interface RepeatVisit {
  /**
   * Page load time of the first visit, which made the tickets; null: it was not told.
   */
  first_plt_ms: number | null;
  /**
   * emptied: what the first visit stored went, but for what makes connections resume. kept: nothing went.
   */
  cache: "emptied" | "kept";
  /**
   * Under TLS or QUIC, that the origins accepted from the second navigation on.
   */
  connections: number;
  /**
   * Of these, resumed with a ticket.
   */
  resumed: number;
  /**
   * Of these, with requests in the first flight (0-RTT).
   */
  early_data: number;
}
export interface BackgroundRequest {
  url: string;
  outcome: string;
}
export interface DnsAnswer {
  name: string;
  type: string;
  /**
   * ok, nodata, nxdomain
   */
  answer: string;
  time_ns: number;
}
export interface ReplayFacts {
  transport: {
    [k: string]: unknown;
  };
  [k: string]: unknown;
}
/**
 * What trilane-shaper --report writes when its command has ended: the link that was asked for and what became of every packet. Times are CLOCK_MONOTONIC.
 */
export interface ShaperReport {
  schema: "trilane/shaper-report/1";
  version: string;
  link: LinkProfile;
  seed: number;
  /**
   * Before the command was started.
   */
  start_ns: number;
  end_ns: number;
  /**
   * The command's exit status; 128 + N if signal N ended it.
   */
  child_status: number;
  /**
   * CPU time of the shaper itself, user and system.
   */
  cpu_ns: number;
  /**
   * What a wake-up took in the median: a packet that woke the shaper up counts as arrived by so much before it was read.
   */
  wake_ns?: number;
  /**
   * How the kernel let the shaper run: real-time, with a short slice of the ordinary scheduler, or as any program.
   */
  scheduling: "fifo" | "short-slice" | "default";
  /**
   * How deeply idle CPUs slept meanwhile: kept where they wake up quickly (PM quality of service; for who may ask for it, root as a rule), or as the system is set. Absent: a report from before this was told.
   */
  cpu_idle?: "shallow" | "default";
  timeline?: ShaperTimeline;
  /**
   * How the link was changed while it ran, through its control socket (the first 1000 times): `link` is what it was at the start. Absent: it was not.
   *
   * @minItems 1
   */
  changes?: [ShaperChange, ...ShaperChange[]];
  down: ShaperDirection;
  up: ShaperDirection;
}
/**
 * What the link did over time, in bins of equal length (at most 256). Absent: no packet came, or an earlier version measured.
 */
export interface ShaperTimeline {
  /**
   * Of the first bin.
   */
  start_ns: number;
  /**
   * Of each bin.
   */
  bin_ns: number;
  down: ShaperTimelineBins;
  up: ShaperTimelineBins;
}
/**
 * A number for each bin.
 */
export interface ShaperTimelineBins {
  /**
   * Delivered to the receiver.
   *
   * @maxItems 256
   */
  bytes_out: number[];
  /**
   * The most that waited for the link.
   *
   * @maxItems 256
   */
  queue_peak_bytes: number[];
  /**
   * By the queue, for want of room or by its management.
   *
   * @maxItems 256
   */
  dropped_packets: number[];
  /**
   * On the link, as asked, or while it was off.
   *
   * @maxItems 256
   */
  lost_packets: number[];
}
export interface ShaperChange {
  at_ns: number;
  /**
   * Short form of what changed; the rest stayed.
   */
  link: string;
}
/**
 * packets_in + copied_packets + fec.parity_packets + fec.repaired_packets = packets_out + the drops + fec.parity_arrived_packets + fec.late_packets + left_packets.
 */
export interface ShaperDirection {
  /**
   * Dropped by the sender's kernel before the shaper could read them: not in packets_in.
   */
  unread_packets: number;
  packets_in: number;
  /**
   * Of IP packets, as all bytes here.
   */
  bytes_in: number;
  packets_out: number;
  bytes_out: number;
  drops: ShaperDrops;
  dropped_bytes: ShaperDrops;
  /**
   * Still inside when the command had ended.
   */
  left_packets: number;
  /**
   * Waiting at once, without the one being sent.
   */
  queue_peak_packets: number;
  queue_peak_bytes: number;
  /**
   * Time the link spent sending; 0 for an unlimited rate.
   */
  busy_ns: number;
  /**
   * By the queue, with congestion experienced, instead of being dropped.
   */
  marked_packets?: number;
  /**
   * Made by duplication.
   */
  copied_packets?: number;
  /**
   * Held back until others had overtaken them.
   */
  reordered_packets?: number;
  fec?: ShaperFec;
  late_ns: ShaperLateness;
}
export interface ShaperDrops {
  /**
   * The queue was full.
   */
  queue: number;
  /**
   * CoDel, PIE or FQ-CoDel decided so.
   */
  aqm?: number;
  /**
   * Lost on the wire, as asked.
   */
  loss: number;
  /**
   * Came while the link was off.
   */
  off?: number;
  /**
   * Neither IPv4 nor IPv6, or not as long as its header says.
   */
  not_ip: number;
  /**
   * The receiving kernel did not take it, or memory was short.
   */
  refused: number;
}
/**
 * Forward error correction: an XOR parity packet behind each group of a flow's UDP datagrams. All 0 where it was not asked for.
 */
export interface ShaperFec {
  /**
   * That were put into groups.
   */
  datagrams: number;
  /**
   * Sent by the encoder, over the link.
   */
  parity_packets: number;
  parity_bytes: number;
  /**
   * Kept by the decoder.
   */
  parity_arrived_packets: number;
  /**
   * Datagrams that were missing and made again; late_packets of them were not lost after all.
   */
  repaired_packets: number;
  repaired_bytes: number;
  /**
   * Of which the parity packet came but more than one datagram did not.
   */
  failed_groups: number;
  /**
   * Datagrams that came after they had been repaired: not passed on.
   */
  late_packets: number;
}
/**
 * How long after its time a packet was handed to the receiver; the quantiles are at most 6.25 % too high. null: no packet left.
 */
export interface ShaperLateness {
  /**
   * Median.
   */
  p50: number | null;
  /**
   * 99th percentile.
   */
  p99: number | null;
  /**
   * The latest.
   */
  max: number | null;
}
/**
 * How the origins were asked to serve, nothing left out; loads of before there was a choice have none.
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
/**
 * What a load ran with: enough to say whether two results may be compared.
 */
export interface Environment {
  /**
   * By product: trilane, node, browser, quiche, ...
   */
  versions: {
    [k: string]: string;
  };
  kernel: string;
  architecture: string;
  cpu: string;
  cpus: number;
  memory_bytes: number;
  congestion_control: CongestionControl;
  command_lines: CommandLines;
}
/**
 * Of the servers; null: no report told.
 */
export interface CongestionControl {
  tcp: string | null;
  quic: string | null;
}
/**
 * With $HOME_FOLDER, $PROFILE, $REPORTS in place of this load's own folders.
 */
export interface CommandLines {
  replay: string[];
  shaper: string[];
  browser: string[];
}
export interface LongTask {
  /**
   * Since navigationStart.
   */
  start_ms: number;
  duration_ms: number;
}
export interface CpuTimesTold {
  load: CpuTime;
  all: CpuTime;
}
export interface CpuTime {
  /**
   * Of all its processes.
   */
  browser_ms: number;
  /**
   * Of trilane-replay.
   */
  server_ms: number;
  /**
   * Of trilane-shaper.
   */
  shaper_ms: number;
}
export interface Pressure {
  /**
   * Time in which any task of the machine waited for a CPU (PSI, some). null: this system does not tell it.
   */
  stalled_ms: number | null;
  waited: CpuTime1;
}
/**
 * Time that threads were ready and had no CPU, added up over the threads of each.
 */
export interface CpuTime1 {
  /**
   * Of all its processes.
   */
  browser_ms: number;
  /**
   * Of trilane-replay.
   */
  server_ms: number;
  /**
   * Of trilane-shaper.
   */
  shaper_ms: number;
}
export interface ExportHarEntry {
  pageref: string;
  /**
   * Several loads in one file: the load's number, a hyphen, the browser's number.
   */
  connection?: string;
  /**
   * As connection.
   */
  _connectionId?: string;
  /**
   * ALPN: http/1.1, h2, h3.
   */
  _protocol?: string;
  /**
   * As the browser had it, where request.url had to be encoded.
   */
  _full_url?: string;
  /**
   * The browser's number of the connection.
   */
  _socket?: number;
  _tls_version?: string;
  _trilane: EntryFacts;
}
export interface EntryFacts {
  requestId: string;
  /**
   * main, child (a frame), worker.
   */
  frame: "main" | "child" | "worker";
  documentUrl: string;
  /**
   * CLOCK_MONOTONIC, as the reports of shaper and replay.
   */
  start_ns: number;
  /**
   * Since navigationStart.
   */
  startOffset_ms: number;
  /**
   * Headers received.
   */
  response_ns: number | null;
  /**
   * Finished or failed; null: still under way when the load was closed.
   */
  end_ns: number | null;
  complete: boolean;
  /**
   * By the page or the browser, not by the network.
   */
  canceled: boolean;
  /**
   * Why the browser never sent it (csp, mixed-content, ...).
   */
  blocked: string | null;
  connectionReused: boolean | null;
  serverPort: number | null;
  /**
   * How the browser came to this protocol, in DevTools' words (AlternateProtocolUsage); absent: not told.
   */
  alternateProtocol?: string;
  /**
   * How the replay found the response; absent: the request never reached it.
   */
  match?: "exact" | "fuzzy" | "missed";
  instead?: GivenInstead;
}
/**
 * Of a fuzzy match: the recorded URL that was given, what the two differ in, and how alike their queries are (native-host/archive/query.h), 0 to 1.
 */
export interface GivenInstead {
  url: string | null;
  difference: "body" | "port" | "query";
  likeness: number;
}
export interface ExportHarFacts {
  schema: "trilane/export-har/1";
  sweep: ExportHarSweep;
  loads: ExportHarLoad[];
}
export interface ExportHarSweep {
  id: number;
  name: string;
  plan_digest: string;
  seed: number;
}
export interface ExportHarLoad {
  /**
   * The HAR page's id.
   */
  page: string;
  load: number;
  block: number;
  attempt: number;
}
