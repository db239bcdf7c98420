// How long a server took for a request: from the request's last byte to the response's first at the server. A browser sees
// both a round trip apart, and other responses in between: what the server had ready waits its turn on a connection that
// several share, and in the queue of a slow link. Only the time counts in which the server can be seen to have had nothing
// to send: up to the last moment before the response at which none that goes before it was under way. And up to when it had
// what was requested later, is no more urgent and came first: of two that are ready the earlier requested goes first. So a
// time can be too short, where responses came without a break, and never for another's. Several visits tell more (served_ms).

import { isRecord, numberField, textField } from "../../base/json_fields.ts";
import type { HarEntry } from "./har.ts";
import { connectionOf } from "./recorded.ts";
import type { RoundTrips } from "./round_trips.ts";

/**
 * Responses that come back to back have no more between them than a browser takes to read and a link for a few packets. A server's time
 * that is shorter cannot be distinguished from none; reported all the same, chance would decide which of those requested together is sent first.
 */
const breath_ms = 4;

interface Exchange {
  readonly entry: HarEntry;
  readonly connection: string;
  /** The higher, the sooner it is sent; null: not known. */
  readonly priority: number | null;
  readonly sent_ms: number;
  readonly firstByte_ms: number;
  readonly end_ms: number;
}

/** DevTools' names, and WebPageTest's. */
const priorities = ["verylow", "low", "medium", "high", "veryhigh"];
const otherNames: Readonly<Record<string, string>> = { lowest: "verylow", highest: "veryhigh", idle: "verylow" };

function priorityOf({ raw }: HarEntry): number | null {
  const name = (textField(raw, "_priority") ?? "").toLowerCase().replaceAll(/[^a-z]/g, "");
  const rank = priorities.indexOf(otherNames[name] ?? name);
  return rank < 0 ? null : rank;
}

/** Null where the HAR does not tell when it was on the wire. */
function exchangeOf(entry: HarEntry, recordWait_ms: number): Exchange | null {
  const { timings } = entry.raw;
  const connection = connectionOf(entry);
  if (!isRecord(timings) || entry.started_ms === null) return null;
  const phase = (name: string): number => Math.max(0, numberField(timings, name) ?? 0);
  const before = ["blocked", "dns", "connect", "send"].reduce((sum, name) => sum + phase(name), 0);
  const sent_ms = entry.started_ms + before;
  const read_ms = sent_ms + phase("wait");
  const firstByte_ms = Math.max(sent_ms, read_ms - recordWait_ms);
  return {
    entry,
    connection: connection === null ? `entry ${entry.index}` : String(connection),
    priority: priorityOf(entry),
    sent_ms,
    firstByte_ms,
    end_ms: read_ms + phase("receive"),
  };
}

/** Whether a server that honours priorities may send `other` while the response could be sent. */
const goesBefore = (other: Exchange, { priority }: Exchange): boolean =>
  other.priority === null || priority === null || other.priority >= priority;

/** Whether a server sends `other` only after a response that is ready and was requested earlier, whether it honours priorities or not. */
const yieldsTo = (other: Exchange, { priority }: Exchange): boolean =>
  other.priority !== null && priority !== null && other.priority <= priority;

/** To microseconds; what cannot be distinguished from none is none. */
const tellable = (time_ms: number): number => (time_ms < breath_ms ? 0 : Math.round(time_ms * 1000) / 1000);

export interface ServerTime {
  readonly time_ms: number;
  /** Nothing else was on its way when the response came: it is the time. Else the server took at least so long. */
  readonly isMeasured: boolean;
}

export class ServerTimes {
  readonly #roundTrips: RoundTrips;
  readonly #exchanges = new Map<HarEntry, Exchange>();
  readonly #onConnection: ReadonlyMap<string, readonly Exchange[]>;
  readonly #together: ReadonlyMap<string, readonly Exchange[]>;
  readonly #oneQueue: boolean;
  readonly #known = new Map<Exchange, ServerTime | null>();

  /** `oneQueue`: the browser was behind a slow link, in whose queue the responses of all connections waited. */
  constructor(entries: readonly HarEntry[], roundTrips: RoundTrips, oneQueue: boolean) {
    this.#roundTrips = roundTrips;
    this.#oneQueue = oneQueue;
    for (const entry of entries) {
      const exchange = exchangeOf(entry, entry.wire?.recordWait_ms ?? 0);
      if (exchange) this.#exchanges.set(entry, exchange);
    }
    const wholes = [...this.#exchanges.values()].sort((a, b) => b.end_ms - a.end_ms);
    this.#onConnection = Map.groupBy(wholes, ({ connection }) => connection);
    this.#together = oneQueue ? new Map([["", wholes]]) : this.#onConnection;
  }

  /** ms; null where it is not known. */
  of(entry: HarEntry): number | null {
    return this.timeOf(entry)?.time_ms ?? null;
  }

  /** Null where it is not known. */
  timeOf(entry: HarEntry): ServerTime | null {
    const exchange = this.#exchanges.get(entry);
    if (!exchange) return this.#timeOf(entry, null);
    let known = this.#known.get(exchange);
    if (known === undefined) {
      known = this.#timeOf(entry, exchange);
      this.#known.set(exchange, known);
    }
    return known;
  }

  #timeOf(entry: HarEntry, exchange: Exchange | null): ServerTime | null {
    const rtt_ms = this.#roundTrips.of(entry);
    const wait_ms = isRecord(entry.raw.timings) ? (numberField(entry.raw.timings, "wait") ?? 0) : 0;
    // Nothing comes in no time: 0 is how producers say that they do not know.
    if (rtt_ms === null || wait_ms <= 0) return null;
    if (!exchange) return { time_ms: tellable(wait_ms - rtt_ms), isMeasured: true };
    const longest_ms = exchange.firstByte_ms - rtt_ms - exchange.sent_ms;
    const served_ms = entry.wire?.served_ms;
    if (served_ms !== undefined) return { time_ms: tellable(Math.min(served_ms, longest_ms)), isMeasured: true };
    const ready_ms = Math.max(this.#lastIdle_ms(exchange) - rtt_ms, this.#overtaken_ms(exchange));
    // Where an answer came sooner than a round trip takes, the round trip is not its own.
    const isMeasured = longest_ms > -breath_ms && this.#isAlone(exchange);
    return { time_ms: tellable(ready_ms - exchange.sent_ms), isMeasured };
  }

  /** When the last was ready that went before it on its connection and would not have, had this been ready; as `sent_ms` is. */
  #overtaken_ms(exchange: Exchange): number {
    const readyOf = (other: Exchange): number => other.sent_ms + (this.of(other.entry) ?? 0);
    return (this.#onConnection.get(exchange.connection) ?? [])
      .filter((other) => other.sent_ms > exchange.sent_ms && other.firstByte_ms < exchange.firstByte_ms)
      .filter((other) => yieldsTo(other, exchange))
      .reduce((latest_ms, other) => Math.max(latest_ms, readyOf(other)), 0);
  }

  /** All that may wait for one another with it, by their ends, the last first. */
  #besides({ connection }: Exchange): readonly Exchange[] {
    return this.#together.get(this.#oneQueue ? "" : connection) ?? [];
  }

  /** Whether no other response, however urgent, was on its way when it came. */
  #isAlone(exchange: Exchange): boolean {
    const { firstByte_ms } = exchange;
    return !this.#besides(exchange).some(
      (other) => other !== exchange && other.firstByte_ms < firstByte_ms && other.end_ms >= firstByte_ms - breath_ms,
    );
  }

  /** When last before the response none that goes before it was under way. */
  #lastIdle_ms(exchange: Exchange): number {
    let idle_ms = exchange.firstByte_ms;
    // One that began before the others' gap widens it.
    for (const other of this.#besides(exchange)) {
      if (other === exchange || other.firstByte_ms >= idle_ms) continue;
      if (other.end_ms < idle_ms - breath_ms) break;
      if (this.#oneQueue || goesBefore(other, exchange)) idle_ms = other.firstByte_ms;
    }
    return idle_ms;
  }
}
