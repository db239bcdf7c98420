// Generated from ../flow.schema.json by `npm run generate`: change the schema instead.

/**
 * tcp: the kernel's; tls: TLS 1.3 over it; quic: quiche's streams.
 */
export type FlowTransport = "tcp" | "tls" | "quic";
/**
 * tcp and tls: the kernel spreads what the window allows over the round trip, as under fq; absent: it does only if the controller paces by itself. QUIC flows are paced as their controller wants.
 */
export type FlowPaced = true;
/**
 * quic: every so often the near end moves to another port of its own accord, once it has probed it (active migration, RFC 9000, 9.2); in whole milliseconds. Absent: it stays.
 */
export type FlowMigration = number;
/**
 * down: the far end sends, as a server does; up: the near end.
 */
export type FlowDirection = "down" | "up";
/**
 * A bulk transfer over a link, or `count` of them alike: what the words of `--flow` mean (cli/flows/language).
 */
export interface Flow {
  transport: FlowTransport;
  /**
   * The sender's congestion control. tcp and tls: as the kernel names it; quic: quiche's, or ours: cubic-nN, CUBIC as N flows; sprout-ewma and sprout-ewma-acks.
   */
  congestion: string;
  paced?: FlowPaced;
  migrate_s?: FlowMigration;
  direction: FlowDirection;
  /**
   * On the run's clock, in whole milliseconds.
   */
  start_s: number;
  /**
   * How long it sends; null: until its size is there, or the run ends.
   */
  for_s: number | null;
  /**
   * How much the receiver's application is to have; null: as much as there is time for.
   */
  size_bytes: number | null;
  count: number;
}
