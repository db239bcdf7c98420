// Whether a further load may begin: beside others, while the machine is not crowded, and as many as lately went well; after one
// that was starved, once the machine is quieter. Measures
// by what the kernel tells (PSI) and by how loads ended; starts none.
import { setTimeout as delay } from "node:timers/promises";
import type { LoadFacts } from "../../schemas/generated/page_load.ts";
import { stalled_us } from "../measure/pressure.ts";
import { isCrowded } from "../measure/starved.ts";

/**
 * Above this share of the time in which some task waits for a CPU a further load would wait, too. Slow links leave far less: a load
 * of object-1MB at 1 Mbit/s 7 %. At 35 to 100 %, beside 1 to 4 busy loops, loads of carlucci-medium took 1 to 2 % longer (starved.ts).
 */
const mostStalled_share = 0.5;
const window_ms = 300;
/** Then it begins all the same: its own figures decide whether it counts. */
const patience_ms = 30_000;
const tellAfter_ms = 3000;
/** So many loads in a row that count give back a lab that was taken away. */
const recovery_loads = 20;

export interface AdmissionOptions {
  /** Labs at a time. */
  readonly most: number;
  readonly signal: AbortSignal;
  readonly tell: (reason: string) => void;
  /** Others in tests. */
  readonly stalled?: () => number | null;
  readonly pause?: (time_ms: number) => Promise<void>;
}

export class Admission {
  readonly #options: AdmissionOptions;
  #most: number;
  #good = 0;
  #wasStarved = false;
  #isBlind = false;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#most = options.most;
  }

  /** Labs at a time, now. */
  get most(): number {
    return this.#most;
  }

  /** A load ended. One that was disturbed by what ran beside it takes a lab away. */
  ended({ status, reasons }: Pick<LoadFacts, "status" | "reasons">, wasBeside: boolean): void {
    this.#good = status === "valid" ? this.#good + 1 : 0;
    this.#wasStarved = reasons.some(isCrowded);
    if (wasBeside && this.#most > 1 && this.#wasStarved) {
      this.#most--;
      this.#options.tell(`the machine is crowded: ${this.#most} of ${this.#options.most} labs from now on`);
    } else if (this.#good >= recovery_loads && this.#most < this.#options.most) {
      this.#most++;
      this.#good = 0;
    }
  }

  /** Until the machine has room, no longer wanted, or it took too long. */
  async admit(isWanted: () => boolean, longest_ms = patience_ms): Promise<void> {
    const { signal, tell, stalled = stalled_us } = this.#options;
    const pause = this.#options.pause ?? ((time_ms: number) => delay(time_ms, undefined, { signal }).catch(() => {}));
    for (let waited_ms = 0; waited_ms < longest_ms && isWanted() && !signal.aborted; waited_ms += window_ms) {
      const before_us = stalled();
      if (before_us === null) return this.#tellBlind();
      await pause(window_ms);
      const share = ((stalled() ?? before_us) - before_us) / (window_ms * 1000);
      if (share <= mostStalled_share) return;
      // A browser that starts fills the machine for a second: nothing to speak of.
      if (waited_ms === tellAfter_ms)
        tell(
          `the machine is busy: tasks waited for a CPU in ${Math.round(share * 100)} % of the time, the next load waits`,
        );
    }
  }

  /** Also for a load that nothing runs beside: what starved the one that ended last may last for a while. */
  async admitAfterStarved(isWanted: () => boolean, longest_ms = patience_ms): Promise<void> {
    if (this.#wasStarved) await this.admit(isWanted, longest_ms);
  }

  #tellBlind(): void {
    if (!this.#isBlind)
      this.#options.tell("this system does not tell how busy it is (/proc/pressure/cpu): loads begin all the same");
    this.#isBlind = true;
  }
}
