// Generated from ../replay-report.schema.json by `npm run generate`: change the schema instead.
import type { PathChange } from "./path_changes.ts";

/**
 * Of a QUIC connection. Absent: its client's address never changed.
 *
 * @minItems 1
 */
export type PathChanges = [PathChange, ...PathChange[]];
/**
 * How a request was answered that the recording has nothing for. report: with 204, as a beacon, a ping, or a report of the browser's. other: with 404. failed: not at all, as it failed when it was recorded.
 */
export type Unrecorded = "report" | "other" | "failed";
/**
 * What trilane-replay served, written at its end. Times are CLOCK_MONOTONIC in nanoseconds; sizes in bytes.
 */
export interface ReplayReport {
  schema: "trilane/replay-report/1";
  recording: {
    id: number;
    name: string;
    /**
     * SHA-256 over all exchanges.
     */
    digest: string;
  };
  /**
   * The program began.
   */
  start_ns: number;
  /**
   * It served; the command is started next.
   */
  ready_ns: number;
  /**
   * How the program was scheduled once it served: fifo (real time), short-slice or default.
   */
  scheduling: "fifo" | "short-slice" | "default";
  origins: ReplayOrigins;
  /**
   * What requests waited for before they were answered: none, recorded (the recorded server's time), or milliseconds.
   */
  think: string;
  versions: {
    trilane: string;
    quiche: string;
    boringssl: string;
    nghttp2: string;
    llhttp: string;
  };
  transport: {
    tcp: {
      /**
       * As read back from the kernel.
       */
      congestion_control: string;
      initial_window_packets: number;
      /**
       * What the kernel holds of a connection beyond what it has sent, at most (TCP_NOTSENT_LOWAT); a quarter of the congestion window where that is less; null: what the socket's buffer takes.
       */
      notsent_lowat_bytes: number | null;
      /**
       * Plaintext under one TLS record header, at most. While a connection's window is small (its first 128 kB since it was last idle) a record is as large as the recorded server's, and where that is not known it fits a packet.
       */
      tls_record_bytes: number;
      /**
       * Whether the kernel carries a path's metrics from one connection to the next; as read back.
       */
      metrics_saved: boolean;
      /**
       * As read back.
       */
      slow_start_after_idle: boolean;
      /**
       * Whether the kernel paces what it sends.
       */
      pacing: boolean;
      /**
       * Of each socket, fixed, as the kernel counts it; null: the kernel chooses and lets it grow.
       */
      send_buffer_bytes: number | null;
      receive_buffer_bytes: number | null;
    };
    quic: {
      congestion_control: string;
      /**
       * Whether the sender restores its window after a reduction when fewer than a fifth of the window's packets were lost, as quiche's CUBIC does and TCP's does not.
       */
      reductions_taken_back?: boolean;
      initial_window_packets: number;
      /**
       * Whether packets are spread over the round trip. Sprout-EWMA never is, whatever was asked.
       */
      pacing: boolean;
      /**
       * Bytes of the largest datagram sent.
       */
      max_udp_payload: number;
      /**
       * How long the server says that it may hold back an ACK (RFC 9000, 18.2). The library has no other choice of how often it acknowledges.
       */
      max_ack_delay_ms: number;
      /**
       * How packets that leave together were handed to the kernel, at the end: one message that it cuts up, one call, or a call each.
       */
      batching: "gso" | "sendmmsg" | "none";
      /**
       * Of the UDP socket that all connections share, as the kernel granted it.
       */
      send_buffer_bytes: number;
      receive_buffer_bytes: number;
    };
  };
  /**
   * When a visit after the first began (SIGUSR1): repeated answers are given from the first one on again.
   */
  visits_ns: number[];
  connections: ReplayConnection[];
  /**
   * In the order in which they came. Of each kind that the recording does not have, the first 1000.
   */
  requests: ReplayedRequest[];
  /**
   * The questions answered, in their order.
   */
  dns: ReplayedQuestion[];
  /**
   * How long the server itself took for a request, by the protocol of its connection: from the turn that brought its last byte, or the end of its think time, or room in the transport where the response had to wait for it, until the kernel was given the first byte of its response. Only protocols that answered something.
   */
  server_time?: {
    h1?: ServerTime;
    h2?: ServerTime;
    h3?: ServerTime;
  };
  counts: {
    exact: number;
    fuzzy: number;
    missed: number;
    /**
     * The missed, by kind.
     */
    unrecorded: {
      report: number;
      other: number;
      failed: number;
    };
    /**
     * Requests that are counted here, but not listed above.
     */
    unlisted: number;
    /**
     * Responses in another content coding than was recorded, which the client did not accept.
     */
    recoded: number;
    /**
     * Responses cut off.
     */
    aborted: number;
    /**
     * Requests answered at once under --think recorded, as the recording does not say how long their server took.
     */
    think_unknown: number;
    /**
     * TCP connections that came to no lane.
     */
    failed_handshakes: number;
    /**
     * Entries missing above for want of memory.
     */
    lost_events: number;
  };
}
/**
 * Which servers stood for the recorded ones.
 */
export interface ReplayOrigins {
  /**
   * As recorded; merged: the hosts of one operator are one server; single: all are.
   */
  kind: "as-recorded" | "merged" | "single";
  /**
   * Of servers.
   */
  addresses: number;
  /**
   * What was recorded over http:// was served in clear, or upgraded to https://.
   */
  http: "clear" | "upgraded";
  /**
   * Recorded over http://.
   */
  http_exchanges: number;
  /**
   * Redirects that led from http:// to https:// only, and lead nowhere when upgraded.
   */
  redirects_left_out: number;
}
export interface ReplayConnection {
  /**
   * Its place in this list.
   */
  id: number;
  lane: "h1" | "h2" | "h3";
  /**
   * The recorded server address that the client connected to.
   */
  local_address: string;
  local_port: number;
  /**
   * null: in clear, or the handshake was not finished.
   */
  tls_version: string | null;
  /**
   * null: none was negotiated.
   */
  alpn: string | null;
  /**
   * A session of an earlier connection was taken up.
   */
  resumed: boolean;
  /**
   * Requests came in its first flight (0-RTT) and were taken.
   */
  early_data: boolean;
  opened_ns: number;
  /**
   * The handshake was finished; null: in clear, or it was not.
   */
  secured_ns: number | null;
  closed_ns: number | null;
  /**
   * Empty: the client closed in order.
   */
  close_reason: string | null;
  cost?: ProcessCost;
  path_changes?: PathChanges;
  acks?: AckCadence;
  /**
   * A QUIC connection's qlog in the folder asked for; null: none was asked for, or it is a TCP connection.
   */
  qlog: ReplayedQlog | null;
}
/**
 * What the program spent from this connection's first packet (over TCP: from when it was accepted) until it was closed or the report was written, other connections' included. Absent: by an older version.
 */
export interface ProcessCost {
  cpu_user_us: number;
  cpu_system_us: number;
  context_switches_voluntary: number;
  context_switches_involuntary: number;
  /**
   * Of the CPU, in user mode and in the kernel, where Linux lets it count them (perf_event_open).
   */
  cycles: number | null;
  /**
   * Why there are none.
   */
  cycles_missing: string | null;
}
/**
 * Of a QUIC connection whose handshake was finished: how often the client acknowledged after it. Absent: TCP.
 */
export interface AckCadence {
  /**
   * That the server sent and that were not lost.
   */
  packets: number;
  /**
   * Packets of the client that acknowledged something new.
   */
  acks: number;
}
export interface ReplayedQlog {
  file: string;
  /**
   * What the file's times count from.
   */
  start_ns: number;
}
export interface ReplayedRequest {
  /**
   * The connection's id; null: it was lost for want of memory.
   */
  connection: number | null;
  method: string;
  /**
   * Bytes that may not stand in a URL are written %XX.
   */
  url: string;
  /**
   * exact: method, host, port, path, query and request body are those of a recorded request, whichever of http and https. fuzzy: all but the body, the port or the query are, or the path is much like it. missed: the recording has nothing for it.
   */
  outcome: "exact" | "fuzzy" | "missed";
  unrecorded?: Unrecorded;
  /**
   * It asked to become a WebSocket (RFC 6455), which browsers do over HTTP/1.1 on every lane, and was answered as any request. Absent: it did not.
   */
  websocket?: true;
  /**
   * The recorded exchange; null: missed.
   */
  seq: number | null;
  /**
   * Of a fuzzy match: what was given instead of what was asked for. null: the match was not fuzzy.
   */
  instead: GivenInstead | null;
  /**
   * null: there was no response, as when the request was recorded.
   */
  status: number | null;
  /**
   * The request's head was there.
   */
  request_ns: number;
  /**
   * All of the request was there, its body too; null: it never was.
   */
  whole_ns: number | null;
  /**
   * How long the answer was then held back, as --think asks.
   */
  think_ns: number;
  /**
   * The kernel was given the first byte of the response, its head included; null: nothing was sent.
   */
  first_byte_ns: number | null;
  /**
   * The last byte was handed to the transport, or the response was cut off; not before first_byte_ns.
   */
  end_ns: number | null;
  /**
   * Of the response, handed to the transport.
   */
  body_bytes: number;
  request_body_bytes: number;
  /**
   * Not cut off by the client, the connection's end or the replay's.
   */
  complete: boolean;
}
export interface GivenInstead {
  /**
   * As recorded; bytes that may not stand in a URL are written %XX.
   */
  url: string | null;
  /**
   * What the request and the recorded one differ in.
   */
  difference: "body" | "port" | "query" | "path";
  /**
   * 0 to 1: of the paths (native-host/archive/path_similarity.h) if they differ, else of the queries (native-host/archive/query.h); 1 where these are the same.
   */
  likeness: number;
}
export interface ReplayedQuestion {
  name: string;
  /**
   * A, AAAA, HTTPS, else as in TYPE16.
   */
  type: string;
  answer: "ok" | "nodata" | "nxdomain";
  time_ns: number;
}
export interface ServerTime {
  /**
   * Those of which a byte of the response was sent: the times are theirs.
   */
  requests: number;
  /**
   * Of them, those whose responses had to wait for room in the transport, behind others or for a window; their times count from when there was room.
   */
  waited: number;
  median_ns: number;
  p90_ns: number;
  max_ns: number;
}
