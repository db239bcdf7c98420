// Generated from ../link-profile.schema.json by `npm run generate`: change the schema instead.

/**
 * What the queue holds; bdp: in products of this direction's rate and the RTT at the start, but never less than 10 packets of 1500 bytes.
 */
export type LinkQueue = QueueInBdp | QueueInPackets | QueueInBytes | QueueInTime | QueueUnlimited;
/**
 * What the network does to UDP but for DNS (port 53), in each direction. Absent: what it does to any packet.
 */
export type LinkUdp = UdpBlocked | UdpThrottled | UdpMtu | UdpLate;
/**
 * The emulated bottleneck between browser and servers. Per direction a packet goes through forward error correction's encoder, on/off periods, queue and link, loss, duplication, reordering, delay, and the decoder; what is left out does not happen. Between the link and the servers stands a NAT, which rebind and switch change. Its short form (3mbit/50ms,loss=1%) is read by shaper/language/link_profile.c and written by shaper/language/link_write.c.
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
  udp?: LinkUdp;
  rebind?: LinkRebind;
  switch?: LinkSwitch;
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
export interface UdpBlocked {
  /**
   * Drops it.
   */
  blocked: true;
}
export interface UdpThrottled {
  /**
   * Polices it: a token bucket of 100 ms at this rate, but of at least 15000 bytes, full at the start. Bits of IP packets.
   */
  rate_bps: number;
}
export interface UdpMtu {
  /**
   * Drops larger IP packets, and sends no ICMP message.
   */
  mtu_bytes: number;
}
export interface UdpLate {
  /**
   * Delays it, in each direction.
   */
  late_ms: number;
}
/**
 * At each multiple of every_ms from the start the NAT loses its bindings: flows go on from other ports (port), or everything from another address (address). What comes for the former ones is dropped.
 */
export interface LinkRebind {
  every_ms: number;
  change: "port" | "address";
}
/**
 * From at_ms on, from the start, the link is this one, and the address seen by servers another: packets under way on the former link are lost. Times of its schedules count from the switch.
 */
export interface LinkSwitch {
  at_ms: number;
  link: LinkSwitchedTo;
}
/**
 * What a link profile says of one link; its seed, and what holds for the whole run, are those of the profile around it.
 */
export interface LinkSwitchedTo {
  down: LinkDirection;
  up: LinkDirection;
  /**
   * As above.
   */
  rtt_ms: number;
}
