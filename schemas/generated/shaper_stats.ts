// Generated from ../shaper-stats.schema.json by `npm run generate`: change the schema instead.

/**
 * How a running link is doing: what trilane-shaper's control socket answers to `stats`, and a line of `trilane meter --json`. Counters are since the start; times are CLOCK_MONOTONIC.
 */
export interface ShaperStats {
  schema: "trilane/shaper-stats/1";
  /**
   * Of the run.
   */
  start_ns: number;
  /**
   * Of these numbers.
   */
  now_ns: number;
  /**
   * What the link is asked to be now, in short form.
   */
  link: string;
  /**
   * How often it was steered.
   */
  changes: number;
  down: ShaperStatsDirection;
  up: ShaperStatsDirection;
}
export interface ShaperStatsDirection {
  /**
   * What the link carries now; of a trace, its mean. null: unlimited.
   */
  rate_bps: number | null;
  /**
   * Packets that reached the bottleneck.
   */
  packets_in: number;
  /**
   * Their bytes, those of IP packets as all here.
   */
  bytes_in: number;
  /**
   * Packets delivered to the receiver.
   */
  packets_out: number;
  /**
   * Their bytes.
   */
  bytes_out: number;
  /**
   * Waiting for the link now.
   */
  queue_packets: number;
  /**
   * Their bytes.
   */
  queue_bytes: number;
  /**
   * All under way now: waiting, being sent, delayed.
   */
  held_packets: number;
  /**
   * Packets that the queue's management marked (ECN) instead of dropping them.
   */
  marks: number;
  drops: ShaperStatsDrops;
}
/**
 * Packets that did not get through, by the reason.
 */
export interface ShaperStatsDrops {
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
   * Neither IPv4 nor IPv6, or not as long as its header says.
   */
  not_ip: number;
  /**
   * The receiving kernel did not take it, or memory was short.
   */
  refused: number;
}
