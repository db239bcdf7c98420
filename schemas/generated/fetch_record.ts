// Generated from ../fetch-record.schema.json by `npm run generate`: change the schema instead.

/**
 * Those of schemas/lane.schema.json that are of one connection.
 */
export type FetchLane = "h1" | "h2" | "h2-0rtt" | "h3" | "h3-0rtt";
/**
 * That was asked for. QUIC has TLS 1.3 always.
 */
export type FetchTls = "1.2" | "1.3";
/**
 * Version of IP.
 */
export type FetchIp = 4 | 6;
export type Text = string | null;
export type Duration = number | null;
/**
 * What trilane-fetch prints for each URL, a line each: what one object cost over one lane. Also of one that failed: `error` says where. A value that is missing is null, and `unavailable` says why. Times are from the start of the connection that the object came over, dns_ms apart; of a reused one from the moment its request could be sent.
 */
export interface FetchRecord {
  schema: "trilane/fetch-record/1";
  /**
   * As it was given.
   */
  url: string;
  /**
   * That the numbers are of: another one where a redirect was followed.
   */
  final_url: string;
  lane: FetchLane;
  tls: FetchTls;
  ip: FetchIp;
  /**
   * CLOCK_MONOTONIC, when the connection was begun, or a reused one was asked; null: it came to neither.
   */
  start_ns: number | null;
  /**
   * Of the server.
   */
  address: string | null;
  port: number | null;
  /**
   * As negotiated; null: the server chose none.
   */
  alpn: string | null;
  /**
   * As negotiated.
   */
  tls_version: "1.2" | "1.3" | null;
  /**
   * Of the response.
   */
  http_version: "1.0" | "1.1" | "2" | "3" | null;
  status: number | null;
  /**
   * Time to resolve the host's name; null if the address was given.
   */
  dns_ms: number | null;
  /**
   * Over TCP, until the SYN was answered; over QUIC, until the handshake was done.
   */
  connect_ms: number | null;
  /**
   * The TLS handshake over TCP, after connect_ms; null over QUIC, where connect_ms includes it.
   */
  tls_ms: number | null;
  /**
   * Until the request could be sent. With early data, that is before the handshake is done.
   */
  established_ms: number | null;
  /**
   * Until the first byte of the response had arrived and was decrypted.
   */
  first_byte_ms: number | null;
  /**
   * Until the last byte of the response had arrived.
   */
  download_ms: number | null;
  /**
   * Size of the body as sent (no content coding is asked for); of an incomplete one, what arrived.
   */
  body_bytes: number | null;
  /**
   * Of all of the body; null if not all of it came.
   */
  body_sha256: string | null;
  /**
   * Payload that the transport received: TCP's, with TLS and without duplicates, as the kernel counts it, or UDP's. On a reused connection, since the object was asked for.
   */
  bytes_received: number | null;
  /**
   * Payload that the transport sent, counted alike; over TCP with retransmissions.
   */
  bytes_sent: number | null;
  /**
   * Smoothed round-trip time when the object ended, as the client's kernel or quiche has it.
   */
  rtt_smoothed_ms: number | null;
  /**
   * Least round-trip time, as the client's kernel or quiche has it.
   */
  rtt_min_ms: number | null;
  /**
   * TCP segments that the client sent again, as its kernel counts them; the server's are not seen here.
   */
  segments_retransmitted: number | null;
  /**
   * QUIC packets of the client's that it declared lost; the server's are not seen here.
   */
  packets_lost: number | null;
  /**
   * Size of the server's certificate chain (DER), uncompressed; null if the session was resumed.
   */
  certificate_bytes: number | null;
  /**
   * Of the request in the first flight: what the server said. unused: none was sent, or the connection was there.
   */
  early_data: "accepted" | "rejected" | "unused" | null;
  /**
   * By a ticket.
   */
  resumed: boolean | null;
  /**
   * Over a connection of an object before.
   */
  reused: boolean;
  /**
   * How many were followed.
   */
  redirects: number;
  /**
   * Of the response, as sent; at most its first 4096 bytes, with ? for control characters.
   */
  location: string | null;
  /**
   * Of the response, as sent; at most its first 4096 bytes, with ? for control characters.
   */
  alt_svc: string | null;
  https_record: FetchHttpsRecord;
  /**
   * CPU time of trilane-fetch in user space, from resolving the name to the last byte.
   */
  cpu_user_us: number | null;
  /**
   * CPU time in the kernel on behalf of trilane-fetch, over the same time.
   */
  cpu_system_us: number | null;
  /**
   * How often trilane-fetch gave up its CPU to wait.
   */
  context_switches_voluntary: number | null;
  /**
   * How often the kernel gave trilane-fetch's CPU to another process.
   */
  context_switches_involuntary: number | null;
  /**
   * Of the CPU, in user mode and in the kernel, where Linux lets it count them (perf_event_open).
   */
  cycles: number | null;
  /**
   * null: all of the object came, whatever its status.
   */
  error: FetchError | null;
  /**
   * Why a value is null, by its name; of a number or a version, always.
   */
  unavailable: {
    [k: string]: string;
  };
}
/**
 * The host's HTTPS records (RFC 9460), looked up once for each host; more than 32 of them, or than 4096 bytes, are a failure.
 */
export interface FetchHttpsRecord {
  /**
   * failed: nothing is known, and `reason` says why; not-asked: by --no-https-record, or for an address.
   */
  state: "present" | "absent" | "failed" | "not-asked";
  reason: Text;
  lookup_ms: Duration;
  records: FetchHttpsService[];
}
export interface FetchHttpsService {
  /**
   * 0: an alias.
   */
  priority: number;
  /**
   * ".": the host itself.
   */
  target: string;
  alpn: string[];
  /**
   * null: it names none.
   */
  port: number | null;
  ipv4_hints: string[];
  ipv6_hints: string[];
  /**
   * Whether it has keys for Encrypted Client Hello.
   */
  ech: boolean;
}
export interface FetchError {
  /**
   * Where it ended. timeout: within the time allowed it came no further; the reason says how far.
   */
  stage: "dns" | "connect" | "tls" | "request" | "response" | "timeout";
  reason: string;
}
