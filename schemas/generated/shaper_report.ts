// Generated from ../shaper-report.schema.json by `npm run generate`: change the schema instead.

/**
 * What the drop-tail queue holds; bdp: in products of this direction's rate and the RTT, but never less than 10 packets of 1500 bytes.
 */
export type LinkQueue = QueueInBdp | QueueInPackets | QueueInBytes | QueueUnlimited;

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
   * How the kernel let the shaper run: real-time, with a short slice of the ordinary scheduler, or as any program.
   */
  scheduling: "fifo" | "short-slice" | "default";
  down: ShaperDirection;
  up: ShaperDirection;
}
/**
 * The emulated bottleneck between browser and servers. Per direction a packet goes through queue, link, loss, delay. Its short form (3mbit/50ms,loss=1%) is read by cli/link/link.ts and shaper/link_profile.c.
 */
export interface LinkProfile {
  down: LinkDirection;
  up: LinkDirection;
  /**
   * The sum of both delays: the minimum round trip.
   */
  rtt_ms: number;
  /**
   * Decides which packets are lost.
   */
  seed: number;
}
/**
 * down: servers to browser; up: browser to servers.
 */
export interface LinkDirection {
  /**
   * Bits of IP packets per second; null: unlimited.
   */
  rate_bps: number | null;
  /**
   * One way, on top of the transmission time.
   */
  delay_ms: number;
  queue: LinkQueue;
  /**
   * Share of packets lost, each independently.
   */
  loss: number;
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
export interface QueueUnlimited {
  unlimited: true;
}
/**
 * packets_in = packets_out + the drops + left_packets.
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
  late_ns: ShaperLateness;
}
export interface ShaperDrops {
  /**
   * The queue was full.
   */
  queue: number;
  /**
   * Random loss, as asked.
   */
  loss: number;
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
