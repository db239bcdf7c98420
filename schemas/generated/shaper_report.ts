// Generated from ../shaper-report.schema.json by `npm run generate`: change the schema instead.

/**
 * What the queue holds; bdp: in products of this direction's rate and the RTT at the start, but never less than 10 packets of 1500 bytes.
 */
export type LinkQueue = QueueInBdp | QueueInPackets | QueueInBytes | QueueInTime | QueueUnlimited;

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
