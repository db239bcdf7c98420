// Generated from ../link-profile.schema.json by `npm run generate`: change the schema instead.

/**
 * What the drop-tail queue holds; bdp: in products of this direction's rate and the RTT, but never less than 10 packets of 1500 bytes.
 */
export type LinkQueue = QueueInBdp | QueueInPackets | QueueInBytes | QueueUnlimited;

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
