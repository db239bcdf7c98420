// How long a round trip to a server was when the page was recorded, from how long its connections took to be made. It is
// what has to be taken off a request's waiting to know the server's own time.
//
// TCP's handshake is one round trip; QUIC's is one too, with TLS in it. A lost SYN or a busy moment only ever adds, so the shortest of an
// address's connects counts, but for those of connections that were opened ahead of the request: of these a HAR has only what was left
// ("connect" of 0.1 to 0.5 ms), which is no round trip. They are known by the others of the address, by TLS that took many times as long, and by
// responses that all took much longer.

import { isRecord, numberField } from "../../base/json_fields.ts";
import { hostOf, isUsable, recordedAddress } from "./addresses.ts";
import type { HarEntry } from "./har.ts";
import { isFromCache } from "./select.ts";

const keyOf = (entry: HarEntry): string => recordedAddress(entry) ?? `host ${hostOf(entry)}`;

const phaseOf = (entry: HarEntry, name: string): number | null =>
  isRecord(entry.raw.timings) ? numberField(entry.raw.timings, name) : null;

/** TLS is one to three round trips: more of them is a TCP connection that was there already. */
const mostTlsRoundTrips = 5;
/** TLS of less says nothing: computing takes that long. */
const tellingTls_ms = 5;

type Connect = { readonly rtt_ms: number; readonly isRemainder: boolean };

/** From the entry that made its connection; null where it used another's, or the HAR does not tell. */
function connectOf(entry: HarEntry): Connect | null {
  const connect_ms = phaseOf(entry, "connect");
  if (connect_ms === null || connect_ms <= 0) return null;
  const ssl_ms = phaseOf(entry, "ssl") ?? 0;
  // HAR 1.2 counts ssl in connect. Where all of connect is ssl it is QUIC's handshake, and where it is less than ssl
  // the producer does not count so.
  const isWithTls = connect_ms > ssl_ms && ssl_ms > 0;
  const rtt_ms = isWithTls ? connect_ms - ssl_ms : connect_ms;
  return { rtt_ms, isRemainder: isWithTls && ssl_ms > tellingTls_ms && ssl_ms > mostTlsRoundTrips * rtt_ms };
}

/** The next longer one is that many times as long: the shorter is what was left of it. */
const remainderFactor = 3;
/** Below that one longer connect is enough to say so, above it takes several: a connect may be slow. */
const surelyRemainder_ms = 2;
const severalConnects = 3;
/** Nothing on the internet is nearer, but servers in the same building. */
const nearest_ms = 1;

interface RoundTrip {
  /** null: its connections were all opened ahead. */
  readonly rtt_ms: number | null;
  /** Some of what the HAR says of it was not believed. */
  readonly isGuess: boolean;
}

/** `leastWait_ms`: for a response of that address. `isNear`: it is of a private network. */
function roundTripOf(connects: readonly Connect[], leastWait_ms: number, isNear: boolean): RoundTrip {
  const whole = connects.filter(({ isRemainder }) => !isRemainder || isNear);
  const times = whole.map(({ rtt_ms }) => rtt_ms).toSorted((a, b) => a - b);
  const isLeft = (): boolean => {
    const [first = 0, second = Number.POSITIVE_INFINITY, ...others] = times;
    const isKnown = first < surelyRemainder_ms || others.length + 1 >= severalConnects;
    return isKnown && second > remainderFactor * first && second <= leastWait_ms;
  };
  while (!isNear && isLeft()) times.shift();
  const [shortest] = times;
  const isGuess = times.length < connects.length;
  if (shortest === undefined) return { rtt_ms: null, isGuess };
  if (!isNear && shortest < nearest_ms && leastWait_ms > remainderFactor * surelyRemainder_ms)
    return { rtt_ms: null, isGuess: true };
  return { rtt_ms: shortest, isGuess };
}

// Whole milliseconds at both ends.
const logAccuracy_ms = 1;

/** What a browser logged counts where it did; what it writes into a HAR is finer, but may be a remainder. */
function loggedRoundTrip(connects: readonly Connect[], logged: readonly number[]): RoundTrip {
  const shortest_ms = Math.min(...logged);
  const fitting = connects.map(({ rtt_ms }) => rtt_ms).filter((time) => Math.abs(time - shortest_ms) <= logAccuracy_ms);
  return { rtt_ms: Math.min(...fitting, ...(fitting.length === 0 ? logged : [])), isGuess: false };
}

export class RoundTrips {
  readonly #roundTrips = new Map<string, RoundTrip>();

  constructor(entries: readonly HarEntry[]) {
    for (const [key, ofServer] of Map.groupBy(entries, keyOf)) {
      const sent = ofServer.filter((entry) => !isFromCache(entry));
      const connects = sent.map(connectOf).filter((connect) => connect !== null);
      const logged = ofServer.map(({ wire }) => wire?.connect_ms ?? null).filter((time) => time !== null);
      if (logged.length > 0) this.#roundTrips.set(key, loggedRoundTrip(connects, logged));
      else if (connects.length > 0) {
        const waits = sent.map((entry) => phaseOf(entry, "wait") ?? 0).filter((wait_ms) => wait_ms > 0);
        const isNear = !isUsable(recordedAddress(ofServer[0] as HarEntry) ?? hostOf(ofServer[0] as HarEntry));
        this.#roundTrips.set(key, roundTripOf(connects, Math.min(...waits), isNear));
      }
    }
  }

  /** ms; null where no connection to its server was timed, or none that was made for a request. */
  of(entry: HarEntry): number | null {
    return this.#roundTrips.get(keyOf(entry))?.rtt_ms ?? null;
  }

  /** Of how many servers it is not known though connections were timed, or a guess. */
  get counts(): { readonly unknown: number; readonly guessed: number } {
    const all = [...this.#roundTrips.values()];
    return {
      unknown: all.filter(({ rtt_ms }) => rtt_ms === null).length,
      guessed: all.filter(({ rtt_ms, isGuess }) => isGuess && rtt_ms !== null).length,
    };
  }
}
