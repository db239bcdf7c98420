// How hosts are treated on the network as it is: a pause between two fetches from one of them, and their HTTPS records looked up once.
// Keeps what is known of each host, also of those that redirects lead to; asks none.
import { setTimeout as delay } from "node:timers/promises";
import type { FetchHttpsRecord, FetchRecord } from "../../../../schemas/generated/fetch_record.ts";
import { hostOf } from "../plan/objects.ts";
import type { FetchPlan } from "../plan/plan.ts";

export interface HostMannersOptions {
  readonly plan: Pick<FetchPlan, "connect" | "follow" | "pause_ms">;
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
  /** By the object, the host that its redirects led to last; its own where there was none. */
  readonly #ledTo = new Map<string, string>();

  constructor(options: HostMannersOptions) {
    this.#options = options;
  }

  /** Until the hosts that the object is known to ask may be queried again, or the signal. */
  async wait(object: string): Promise<void> {
    const { plan, signal, now_ms = () => performance.now() } = this.#options;
    const pause =
      this.#options.pause ?? ((time_ms: number) => delay(time_ms, undefined, { signal }).catch(() => undefined));
    const ended_ms = this.#servers(object).map((server) => this.#endedAt_ms.get(server) ?? Number.NEGATIVE_INFINITY);
    const left_ms = Math.max(...ended_ms) + plan.pause_ms - now_ms();
    if (left_ms > 0) await pause(left_ms);
  }

  /** Of the host whose records a fetch has: which that is only a fetch shows if redirects are followed. */
  knowsHttpsRecord(object: string): boolean {
    const host = this.#options.plan.follow === 0 ? hostOf(object) : this.#ledTo.get(object);
    return host !== undefined && this.#httpsRecords.has(host);
  }

  /** The object's hosts were queried a moment ago; `record`: null where the client left none. */
  ended(object: string, record: FetchRecord | null): void {
    const ended_ms = (this.#options.now_ms ?? (() => performance.now()))();
    const last = record ? [record.final_url] : [];
    for (const server of [object, ...last].flatMap((url) => this.#servers(url))) this.#endedAt_ms.set(server, ended_ms);
  }

  /** A record, also of an earlier run: with the HTTPS records of the host that it is of, where an earlier one has them. */
  completed(record: FetchRecord): FetchRecord {
    const host = hostOf(record.final_url);
    if (record.error === null || !this.#ledTo.has(record.url)) this.#ledTo.set(record.url, host);
    if (isAnswer(record.https_record)) this.#httpsRecords.set(host, record.https_record);
    const known = this.#httpsRecords.get(host);
    return known ? { ...record, https_record: known } : record;
  }

  /** All names are one server's if one is queried for all. */
  #servers(url: string): string[] {
    const { connect } = this.#options.plan;
    if (connect !== undefined) return [connect];
    const ledTo = this.#ledTo.get(url);
    return [hostOf(url), ...(ledTo === undefined ? [] : [ledTo])];
  }
}
