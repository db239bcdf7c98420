// How long a round trip to a server was when the page was recorded, from how long its connections took to be made. It is
// what has to be taken off a request's waiting to know the server's own time.
//
// The shortest of an address's connects counts: a lost SYN or a busy moment only ever adds. TCP's handshake is one round
// trip; QUIC's is one too, with TLS in it.
import { hostOf, recordedAddress } from "./addresses.ts";
import { type HarEntry, isRecord, numberField } from "./har.ts";

const keyOf = (entry: HarEntry): string => recordedAddress(entry) ?? `host ${hostOf(entry)}`;

/** From the entry that made its connection; null where it used another's, or the HAR does not tell. */
function connectTime(entry: HarEntry): number | null {
  if (!isRecord(entry.raw.timings)) return null;
  const connect_ms = numberField(entry.raw.timings, "connect");
  if (connect_ms === null || connect_ms <= 0) return null;
  const ssl_ms = numberField(entry.raw.timings, "ssl") ?? 0;
  // HAR 1.2 counts ssl in connect. Where all of connect is ssl it is QUIC's handshake, and where it is less than ssl
  // the producer does not count so.
  return connect_ms > ssl_ms && ssl_ms > 0 ? connect_ms - ssl_ms : connect_ms;
}

// Whole milliseconds at both ends.
const logAccuracy_ms = 1;

export class RoundTrips {
  readonly #rtt_ms = new Map<string, number>();

  constructor(entries: readonly HarEntry[]) {
    for (const [key, ofServer] of Map.groupBy(entries, keyOf)) {
      const told = ofServer.map(connectTime).filter((time) => time !== null);
      const seen = ofServer.map(({ wire }) => wire?.connect_ms ?? null).filter((time) => time !== null);
      const shortest_ms = Math.min(...seen);
      // What a browser tells leaves out the part of a connect that was made ahead of the request; what it logged does not,
      // but is coarse.
      const fitting = seen.length === 0 ? told : told.filter((time) => Math.abs(time - shortest_ms) <= logAccuracy_ms);
      const rtt_ms = Math.min(...fitting, ...(fitting.length === 0 ? seen : []));
      if (Number.isFinite(rtt_ms)) this.#rtt_ms.set(key, rtt_ms);
    }
  }

  /** ms; null where no connection to its server was timed. */
  of(entry: HarEntry): number | null {
    return this.#rtt_ms.get(keyOf(entry)) ?? null;
  }
}
