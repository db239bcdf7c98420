// Whether a further load may begin: beside others, while the machine is not crowded, and as many as lately went well; by itself, after
// one whose link the machine held up, once the machine is calm, for a moment. Measures by what the kernel reports (pressure.ts) and by
// how loads ended; starts none.
import { setTimeout as delay } from "node:timers/promises";
import { isDisturbed } from "../load/disturbance.ts";
import { type MachineReading, readMachine, type Unrest, unrestBetween } from "../load/pressure.ts";
import type { Attempt } from "./planned_task.ts";

/**
 * Above this share of the time in which some task waits for a CPU a further load would wait, too. Slow links leave far less: a load
 * of object-1MB at 1 Mbit/s 7 %. At 35 to 100 %, beside 1 to 4 busy loops, loads of carlucci-medium took 1 to 2 % longer.
 */
const mostStalled_share = 0.5;
/** Of the CPUs, with none of our loads running. One that idles uses 1 to 2 %. */
const mostUsed_share = 0.2;
/** Two steps of stolen time in one window are more than these on two CPUs; one may be nearly nothing. */
const mostStolen_share = 0.02;
const window_ms = 300;
/** Then it begins beside others all the same: its own figures decide whether it counts. */
const patience_ms = 30_000;
/** What holds up a link is short; a machine that stays busy mostly holds up none. */
const calmPatience_ms = 3000;
const reportAfter_ms = 3000;
/** So many loads in a row that count give back a lab that was taken away. */
const recovery_loads = 20;

export interface AdmissionOptions {
  /** Labs at a time. */
  readonly most: number;
  readonly signal: AbortSignal;
  readonly tell: (reason: string) => void;
  /** Others in tests. */
  readonly machine?: () => MachineReading;
  readonly pause?: (time_ms: number) => Promise<void>;
}

const percent = (share: number): string => `${Math.min(100, Math.round(share * 100))} %`;

/** What a busy machine does, in words; null: it is calm enough, or does not report it. `isAlone`: no load of ours runs. */
function crowdedWords({ stalled, used, stolen }: Unrest, isAlone: boolean): string | null {
  if (isAlone && used !== null && used > mostUsed_share) return `other programs used ${percent(used)} of its CPUs`;
  if (isAlone && stolen !== null && stolen > mostStolen_share)
    return `the hypervisor took ${percent(stolen)} of its CPUs for something else`;
  if (stalled !== null && stalled > mostStalled_share)
    return `tasks waited for a CPU in ${percent(stalled)} of the time`;
  return null;
}

export class Admission {
  readonly #options: AdmissionOptions;
  #most: number;
  #good = 0;
  #wasHeldUp = false;
  #isBlind = false;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#most = options.most;
  }

  /** Labs at a time, now. */
  get most(): number {
    return this.#most;
  }

  /** A load ended. One whose link was held up by what ran beside it takes a lab away. */
  ended({ status, reasons }: Attempt, wasBeside: boolean): void {
    this.#good = status === "valid" ? this.#good + 1 : 0;
    this.#wasHeldUp = reasons.some(isDisturbed);
    if (wasBeside && this.#most > 1 && this.#wasHeldUp) {
      this.#most--;
      this.#options.tell(`the machine is crowded: ${this.#most} of ${this.#options.most} labs from now on`);
    } else if (this.#good >= recovery_loads && this.#most < this.#options.most) {
      this.#most++;
      this.#good = 0;
    }
  }

  /** Beside other loads: until the machine has room, no longer wanted, or it took too long. Returns how long that was. */
  admit(isWanted: () => boolean): Promise<number> {
    return this.#untilCalm(isWanted, patience_ms, false);
  }

  /** Also for a load that nothing runs beside, if the link of the one that ended last was held up: that may last for a while. */
  async admitCalm(isWanted: () => boolean, isAlone: boolean): Promise<number> {
    if (!this.#wasHeldUp) return 0;
    this.#wasHeldUp = false;
    return this.#untilCalm(isWanted, calmPatience_ms, isAlone);
  }

  async #untilCalm(isWanted: () => boolean, longest_ms: number, isAlone: boolean): Promise<number> {
    const { signal, tell, machine = readMachine } = this.#options;
    const pause = this.#options.pause ?? ((time_ms: number) => delay(time_ms, undefined, { signal }).catch(() => {}));
    let waited_ms = 0;
    while (waited_ms < longest_ms && isWanted() && !signal.aborted) {
      const before = machine();
      if (before.stalled_us === null && !isAlone) this.#tellBlind();
      if (before.stalled_us === null && (before.used_ms === null || !isAlone)) return waited_ms;
      await pause(window_ms);
      const crowded = crowdedWords(unrestBetween(before, machine(), window_ms), isAlone);
      if (crowded === null) return waited_ms + window_ms;
      // A browser that starts fills the machine for a second: nothing to speak of.
      if (waited_ms === reportAfter_ms) tell(`the machine is busy: ${crowded}, the next one waits`);
      waited_ms += window_ms;
    }
    return waited_ms;
  }

  #tellBlind(): void {
    if (!this.#isBlind)
      this.#options.tell("this system does not report how busy it is (/proc/pressure/cpu): loads begin all the same");
    this.#isBlind = true;
  }
}
