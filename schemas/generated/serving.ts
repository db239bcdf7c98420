// Generated from ../serving.schema.json by `npm run generate`: change the schema instead.

/**
 * How the origins of a recording serve it. What is left out is as Linux and quiche have it by default (preset stock); what is stored with loads and sweeps leaves nothing out.
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
   * In which order a connection's responses are sent over h2 and h3. rfc9218: by the browser's priorities, on both alike. none: all in turns, as many servers do, whatever the browser asks for.
   */
  priorities?: "rfc9218" | "none";
  /**
   * TLS versions offered over TCP; QUIC always has 1.3.
   */
  tls?: "1.2" | "1.3" | "both";
  /**
   * The page's clock and random numbers are the same in every load.
   */
  pin_time?: boolean;
  /**
   * How often the browser acknowledges QUIC packets. usual: Chromium's own way, every second packet, after the first 100 every tenth or after a quarter of the round trip. frequent: after at most a millisecond instead of that quarter, by a switch of Chromium's; on all lanes alike. It is frequent wherever a lane of the plan has Sprout-EWMA, which lives on ACKs.
   */
  client_acks?: "usual" | "frequent";
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
   * The server keeps little waiting in the kernel, so that what goes next is decided late and an urgent response overtakes (TCP_NOTSENT_LOWAT); else as much as the socket's buffer takes, as many servers do.
   */
  bounds_unsent?: boolean;
  /**
   * Of each socket, fixed, as the kernel counts it; null: the kernel chooses and lets it grow.
   */
  send_buffer_bytes?: null | number;
  receive_buffer_bytes?: null | number;
}
export interface QuicChoice {
  /**
   * cubic, reno and bbr2 are quiche's own. cubic-nN is CUBIC that behaves as N flows: cubic-n1 is RFC 9438's, which unlike quiche's never takes a reduction back; cubic-n2 keeps 0.85 of its window after a loss, as QUIC did until 2017. gcc sets a rate by delay and loss: Google Congestion Control (draft-ietf-rmcat-gcc-02). inter-arrival-2013 does, too: WebRTC Inter-Arrival, which Chromium's QUIC had in 2013. sprout-ewma and sprout-ewma-acks are Sprout-EWMA (Das 2014), a window by the rate at which packets arrive, unpaced and without reaction to loss: sprout-ewma for a receiver that acknowledges each packet by itself, as that of our flows does; sprout-ewma-acks by the ACKs of any receiver, as browsers send them.
   */
  congestion_control?:
    | "cubic"
    | "reno"
    | "bbr2"
    | "cubic-n1"
    | "cubic-n2"
    | "cubic-n3"
    | "cubic-n4"
    | "gcc"
    | "inter-arrival-2013"
    | "sprout-ewma"
    | "sprout-ewma-acks";
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
