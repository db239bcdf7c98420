// Generated from ../shaper-report.schema.json by `npm run generate`: change the schema instead.
import type { LinkProfile } from "./link_profile.ts";

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
  overdue?: ShaperOverdue;
  udp?: ShaperUdp;
  /**
   * How the link was changed while it ran, through its control socket (the first 1000 times): `link` is what it was at the start. Absent: it was not.
   *
   * @minItems 1
   */
  changes?: [ShaperChange, ...ShaperChange[]];
  moves?: ShaperMoves;
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
/**
 * The times in which this machine held the load up at its link, as one union: a packet was due and had not left (beyond the quarter of a millisecond that a wake-up may take; on a link so busy that the shaper spaces its wake-ups, beyond that and 1 ms), packets came while the shaper itself was held up, or its command was stopped. Absent: an earlier version measured.
 */
export interface ShaperOverdue {
  total_ns: number;
  /**
   * Gaps up to this between two times are counted as part of them; 0 unless there were too many.
   */
  resolution_ns: number;
  /**
   * [start, end], in order.
   *
   * @maxItems 1000
   */
  intervals: [number, number][];
}
/**
 * Of a link that treats UDP in its own way (link.udp), for what falling back to TCP took: as captures stamp them. Absent: the link has no such setting.
 */
export interface ShaperUdp {
  /**
   * When the command's first QUIC packet came to the link (with a long header: a connection's attempt). null: none came.
   */
  quic_ns: number | null;
  /**
   * When the first TCP packet with payload that came after it left the link for the same server. null: none did.
   */
  tcp_ns: number | null;
}
export interface ShaperChange {
  at_ns: number;
  /**
   * Short form of what changed; the rest stayed.
   */
  link: string;
}
/**
 * How the path moved, as the link asks (rebind, switch). Missing: it never did.
 */
export interface ShaperMoves {
  count: number;
  /**
   * The first 1000.
   */
  list: ShaperMove[];
  /**
   * How many flows got another port.
   */
  renewed_bindings: number;
  /**
   * The first 1000 of them, at the time of the first packet with the new port.
   */
  bindings: RenewedBinding[];
}
export interface ShaperMove {
  at_ns: number;
  /**
   * port: the NAT lost its bindings; address: it got another address; switch: another link, and address.
   */
  kind: "port" | "address" | "switch";
  before?: MovedAddress;
  after?: MovedAddress;
}
export interface MovedAddress {
  address: string;
  address_6: string;
}
export interface RenewedBinding {
  at_ns: number;
  protocol: "tcp" | "udp";
  ip_version: 4 | 6;
  /**
   * The command's own.
   */
  near_port: number;
  /**
   * What servers saw until then.
   */
  before: number;
  /**
   * What they see from then on.
   */
  after: number;
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
   * Refused by what the network does to UDP, as asked. Absent: an earlier version measured.
   */
  udp?: number;
  /**
   * Under way on a link that was switched from.
   */
  moved?: number;
  /**
   * For an address or port that the NAT had given up (down only).
   */
  unbound?: number;
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
