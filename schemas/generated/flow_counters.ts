// Generated from ../flow-counters.schema.json by `npm run generate`: change the schema instead.

/**
 * What trilane-shaper --flow-counters writes when its command has ended: counters of each flow and, of each direction, what NetShaper measured (goodput, channel utilization, loss ratio). Times are CLOCK_MONOTONIC.
 */
export interface FlowCounters {
  schema: "trilane/flow-counters/1";
  version: string;
  /**
   * What the link was asked to be at the end, in short form.
   */
  link: string;
  /**
   * Before the command was started.
   */
  start_ns: number;
  /**
   * When it had ended.
   */
  end_ns: number;
  down: FlowMetrics;
  up: FlowMetrics;
  /**
   * Of flows beyond 65536, or sent when memory was short: they are in the directions' counters only.
   */
  untracked_packets: number;
  /**
   * In the order of their first packets.
   */
  flows: CountedFlow[];
}
/**
 * Of all packets of one direction.
 */
export interface FlowMetrics {
  /**
   * That reached the bottleneck.
   */
  sent_packets: number;
  /**
   * Their bytes: IP packets, as all but the goodput.
   */
  sent_bytes: number;
  /**
   * That the link sent: received, lost on the wire, and still under way.
   */
  link_packets: number;
  /**
   * Their bytes.
   */
  link_bytes: number;
  /**
   * That the queue marked (ECN) instead of dropping them.
   */
  marked_packets: number;
  /**
   * Delivered to the receiver.
   */
  received_packets: number;
  /**
   * Their bytes.
   */
  received_bytes: number;
  lost_packets: FlowLost;
  /**
   * Of all reasons.
   */
  lost_bytes: number;
  /**
   * Payload received: of TCP each byte once, of other protocols each datagram's (what QUIC retransmits cannot be told from outside).
   */
  goodput_bytes: number;
  /**
   * Per second, from the first packet sent to the last received. null: too few packets.
   */
  goodput_bps: number | null;
  /**
   * Bytes lost over bytes sent. null: nothing was sent.
   */
  loss_ratio: number | null;
  /**
   * null: nothing was sent.
   */
  first_sent_ns: number | null;
  /**
   * null: nothing was received.
   */
  last_received_ns: number | null;
  queue_delay_ns: FlowQueueDelays;
  /**
   * What the link could have carried from the first packet sent to the end of the last that it sent. null: its capacity is unknown or unlimited.
   */
  capacity_bytes: number | null;
  /**
   * link_bytes over capacity_bytes.
   */
  utilization: number | null;
}
/**
 * Packets that did not get through, by the reason.
 */
export interface FlowLost {
  /**
   * The queue was full.
   */
  queue: number;
  /**
   * CoDel's or PIE's decision.
   */
  aqm: number;
  /**
   * Lost on the link, as asked.
   */
  loss: number;
  /**
   * The link was off, as asked.
   */
  off: number;
  /**
   * Refused by what the network does to UDP, as asked.
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
   * This machine's shortage of memory.
   */
  memory: number;
}
export interface FlowQueueDelays {
  /**
   * Waiting and serialization, without the propagation delay, of packets that the link sent.
   */
  mean: number | null;
  /**
   * The longest.
   */
  max: number | null;
  /**
   * Quantiles: the upper end of a bucket of 6.25 %.
   */
  p50: number | null;
  /**
   * As p50.
   */
  p95: number | null;
  /**
   * As p50.
   */
  p99: number | null;
}
/**
 * Both directions between two ends; near is the command's.
 */
export interface CountedFlow {
  /**
   * tcp, udp, icmp, icmpv6, or the IP protocol's number.
   */
  protocol: string;
  near: FlowEnd;
  far: FlowEnd;
  down: FlowCounts;
  up: FlowCounts;
}
export interface FlowEnd {
  address: string;
  /**
   * null: the protocol has none, or a fragment does not tell it.
   */
  port: number | null;
}
/**
 * Of one flow in one direction.
 */
export interface FlowCounts {
  /**
   * That reached the bottleneck.
   */
  sent_packets: number;
  /**
   * Their bytes: IP packets, as all but the goodput.
   */
  sent_bytes: number;
  /**
   * That the link sent: received, lost on the wire, and still under way.
   */
  link_packets: number;
  /**
   * Their bytes.
   */
  link_bytes: number;
  /**
   * That the queue marked (ECN) instead of dropping them.
   */
  marked_packets: number;
  /**
   * Delivered to the receiver.
   */
  received_packets: number;
  /**
   * Their bytes.
   */
  received_bytes: number;
  lost_packets: FlowLost;
  /**
   * Of all reasons.
   */
  lost_bytes: number;
  /**
   * Payload received: of TCP each byte once, of other protocols each datagram's (what QUIC retransmits cannot be told from outside).
   */
  goodput_bytes: number;
  /**
   * Per second, from the first packet sent to the last received. null: too few packets.
   */
  goodput_bps: number | null;
  /**
   * Bytes lost over bytes sent. null: nothing was sent.
   */
  loss_ratio: number | null;
  /**
   * null: nothing was sent.
   */
  first_sent_ns: number | null;
  /**
   * null: nothing was received.
   */
  last_received_ns: number | null;
  queue_delay_ns: FlowQueueDelay;
}
export interface FlowQueueDelay {
  /**
   * Waiting and serialization, without the propagation delay, of packets that the link sent.
   */
  mean: number | null;
  /**
   * The longest.
   */
  max: number | null;
}
