// Generated from ../path-changes.schema.json by `npm run generate`: change the schema instead.

/**
 * How the address of a QUIC connection's client changed, in order, as the other end saw it. Times are CLOCK_MONOTONIC in nanoseconds; null: it did not happen.
 *
 * @minItems 1
 */
export type PathChanges = [PathChange, ...PathChange[]];
export interface PathChange {
  /**
   * The client's new ADDRESS:PORT.
   */
  peer: string;
  /**
   * A first packet came from there.
   */
  seen_ns: number;
  /**
   * The client acknowledged a packet sent there. What was on its way to the old address by then is lost, unless the client moved of its own accord and still listens there.
   */
  answered_ns: number | null;
  /**
   * It answered a challenge as long as a packet must fit (RFC 9000, 8.2).
   */
  validated_ns: number | null;
  /**
   * The first packet with content left for it: of at least 150 bytes, as the few that may go to an address that is not validated (RFC 9000, 8.1) are next to nothing. Null, too, where it was not answered.
   */
  resumed_ns: number | null;
}
