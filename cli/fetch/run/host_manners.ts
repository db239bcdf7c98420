// How hosts are treated on the network as it is: a pause between two fetches from one of them, and their HTTPS records looked up once.
// Keeps what is known of each host; asks none.
import { setTimeout as delay } from "node:timers/promises";
import type { FetchHttpsRecord, FetchRecord } from "../../../schemas/generated/fetch_record.ts";
import { hostOf } from "../plan/objects.ts";

export interface HostMannersOptions {
  readonly pause_ms: number;
  readonly signal: AbortSignal;
  /** Others in tests. */
  readonly now_ms?: () => number;
  readonly pause?: (time_ms: number) => Promise<void>;
}

/** What was found out for good. */
const isAnswer = ({ state }: FetchHttpsRecord): boolean => state === "present" || state === "absent";

export class HostManners {
  readonly #options: HostMannersOptions;
  readonly #endedAt_ms = new Map<string, number>();
  readonly #httpsRecords = new Map<string, FetchHttpsRecord>();

  constructor(options: HostMannersOptions) {
    this.#options = options;
  }

  /** Until the host may be asked again, or the signal. */
  async wait(object: string): Promise<void> {
    const { pause_ms, signal, now_ms = () => performance.now() } = this.#options;
    const pause =
      this.#options.pause ?? ((time_ms: number) => delay(time_ms, undefined, { signal }).catch(() => undefined));
    const ended_ms = this.#endedAt_ms.get(hostOf(object));
    const left_ms = ended_ms === undefined ? 0 : ended_ms + pause_ms - now_ms();
    if (left_ms > 0) await pause(left_ms);
  }

  knowsHttpsRecord(object: string): boolean {
    return this.#httpsRecords.has(hostOf(object));
  }

  /** The host was asked a moment ago. */
  ended(object: string): void {
    this.#endedAt_ms.set(hostOf(object), (this.#options.now_ms ?? (() => performance.now()))());
  }

  /** A record, also of an earlier run: with the host's HTTPS records, where an earlier one has them. */
  completed(record: FetchRecord): FetchRecord {
    const host = hostOf(record.url);
    if (hostOf(record.final_url) !== host) return record;
    if (isAnswer(record.https_record)) this.#httpsRecords.set(host, record.https_record);
    const known = this.#httpsRecords.get(host);
    return known ? { ...record, https_record: known } : record;
  }
}
