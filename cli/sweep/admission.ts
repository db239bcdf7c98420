// Whether a further load may begin: beside others, while the machine is not crowded, and as many as lately went well; by itself,
// before a run's first load and after a disturbed one, once the machine is calm. Says so where it never is. Measures by what
// the kernel tells (pressure.ts) and by how loads ended; starts none.
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
/** Then it begins all the same: its own figures decide whether it counts. */
const patience_ms = 30_000;
const tellAfter_ms = 3000;
/** A machine that was not calm for so long will not be by itself. */
const unfitAfter_ms = 9000;
/** So many loads in a row that count give back a lab that was taken away. */
const recovery_loads = 20;
/** A run that begins with so many disturbed loads goes on as it began. */
const unfitAfter_loads = 6;

export interface AdmissionOptions {
  /** Labs at a time. */
  readonly most: number;
  /** Whether time can be slowed down in what is admitted (--dilate). Default: it can. */
  readonly canDilate?: boolean;
  /** Loads may take twice as long by what else the machine does, and count: then none waits for calm. Default: they may not. */
  readonly countsDisturbed?: boolean;
  readonly signal: AbortSignal;
  readonly tell: (reason: string) => void;
  /** Others in tests. */
  readonly machine?: () => MachineReading;
  readonly pause?: (time_ms: number) => Promise<void>;
}

const percent = (share: number): string => `${Math.min(100, Math.round(share * 100))} %`;

/** What a busy machine does, in words; null: it is calm enough, or does not tell. `isAlone`: no load of ours runs. */
function crowdedWords({ stalled, used, stolen }: Unrest, isAlone: boolean): string | null {
  if (isAlone && used !== null && used > mostUsed_share) return `other programs used ${percent(used)} of its CPUs`;
  if (isAlone && stolen !== null && stolen > mostStolen_share)
    return `the hypervisor took ${percent(stolen)} of its CPUs for something else`;
  if (stalled !== null && stalled > mostStalled_share)
    return `tasks waited for a CPU in ${percent(stalled)} of the time`;
  return null;
}

function remedies(labs: number, canDilate: boolean): string {
  const ways = ["let less run", ...(labs > 1 ? ["take fewer labs"] : [])];
  return canDilate
    ? `${ways.join(", ")}, wait for a quieter moment, or run it with --dilate 10, so that disturbances weigh a tenth`
    : `${ways.join(", ")} or wait for a quieter moment`;
}

export class Admission {
  readonly #options: AdmissionOptions;
  #most: number;
  #good = 0;
  #mustBeCalm: boolean;
  #isBlind = false;
  #isUnfit = false;
  #disturbedAtStart: number | null = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#most = options.most;
    this.#mustBeCalm = !options.countsDisturbed;
  }

  /** Labs at a time, now. */
  get most(): number {
    return this.#most;
  }

  /** A load ended. One that was disturbed by what ran beside it takes a lab away. */
  ended({ status, reasons }: Attempt, wasBeside: boolean): void {
    this.#good = status === "valid" ? this.#good + 1 : 0;
    const wasDisturbed = reasons.some(isDisturbed);
    this.#mustBeCalm = wasDisturbed;
    this.#countAtStart(wasDisturbed, reasons);
    if (wasBeside && this.#most > 1 && wasDisturbed) {
      this.#most--;
      this.#options.tell(`the machine is crowded: ${this.#most} of ${this.#options.most} labs from now on`);
    } else if (this.#good >= recovery_loads && this.#most < this.#options.most) {
      this.#most++;
      this.#good = 0;
    }
  }

  #countAtStart(wasDisturbed: boolean, reasons: readonly string[]): void {
    if (this.#disturbedAtStart === null) return;
    this.#disturbedAtStart = wasDisturbed ? this.#disturbedAtStart + 1 : null;
    if (this.#disturbedAtStart !== unfitAfter_loads) return;
    const [why = ""] = reasons.filter(isDisturbed);
    this.tellUnfit(`none of the first ${unfitAfter_loads} counts (${why.split(" (")[0]})`);
  }

  /** Once: that this machine, as it is, will not do, and what would help. */
  tellUnfit(why: string): void {
    const { most, canDilate = true, tell } = this.#options;
    if (!this.#isUnfit) tell(`this machine is too disturbed to measure on: ${why}: ${remedies(most, canDilate)}`);
    this.#isUnfit = true;
  }

  /** Beside other loads: until the machine has room, no longer wanted, or it took too long. Returns how long that was. */
  admit(isWanted: () => boolean, longest_ms = patience_ms): Promise<number> {
    return this.#untilCalm(isWanted, longest_ms, false);
  }

  /** Also for a load that nothing runs beside: what disturbed the one that ended last may last for a while. */
  async admitCalm(isWanted: () => boolean, isAlone: boolean, longest_ms = patience_ms): Promise<number> {
    return this.#mustBeCalm ? this.#untilCalm(isWanted, longest_ms, isAlone) : 0;
  }

  async #untilCalm(isWanted: () => boolean, longest_ms: number, isAlone: boolean): Promise<number> {
    const { signal, tell, machine = readMachine } = this.#options;
    const pause = this.#options.pause ?? ((time_ms: number) => delay(time_ms, undefined, { signal }).catch(() => {}));
    const first = machine();
    let waited_ms = 0;
    while (waited_ms < longest_ms && isWanted() && !signal.aborted) {
      const before = machine();
      if (before.stalled_us === null && !isAlone) this.#tellBlind();
      if (before.stalled_us === null && (before.used_ms === null || !isAlone)) return waited_ms;
      await pause(window_ms);
      const after = machine();
      const crowded = crowdedWords(unrestBetween(before, after, window_ms), isAlone);
      if (crowded === null) {
        this.#mustBeCalm = false;
        return waited_ms + window_ms;
      }
      // A browser that starts fills the machine for a second: nothing to speak of.
      if (waited_ms === tellAfter_ms) tell(`the machine is busy: ${crowded}, the next one waits`);
      if (waited_ms === unfitAfter_ms && isAlone) {
        const all = crowdedWords(unrestBetween(first, after, waited_ms + window_ms), true);
        if (all !== null) this.tellUnfit(`in ${Math.round(unfitAfter_ms / 1000)} s ${all}`);
      }
      waited_ms += window_ms;
    }
    return waited_ms;
  }

  #tellBlind(): void {
    if (!this.#isBlind)
      this.#options.tell("this system does not tell how busy it is (/proc/pressure/cpu): loads begin all the same");
    this.#isBlind = true;
  }
}
