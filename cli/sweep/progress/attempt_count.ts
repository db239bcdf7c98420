// How far a sweep is, in runs that are done and in attempts at them, from its events. Writes nothing.
import type { SweepEvent } from "../../../schemas/generated/sweep_event.ts";
import { count } from "../../base/numbers.ts";
import type { EventWords } from "./event_words.ts";

export interface AttemptStatus {
  readonly done: number;
  readonly all: number;
  readonly noun: string;
  /** `, 3 of 15 attempts not valid`; empty while all are. */
  readonly trouble: string;
  readonly left_s: number;
  /** What has just ended. */
  readonly place: string;
}

export class AttemptCount {
  #attempts = 0;
  #invalid = 0;
  readonly #words: EventWords;

  constructor(words: EventWords) {
    this.#words = words;
  }

  /** Empty while all are valid. */
  get trouble(): string {
    return this.#invalid === 0 ? "" : `, ${this.#invalid} of ${count(this.#attempts, "attempt")} not valid`;
  }

  /** Null: no attempt has ended. */
  after(event: SweepEvent): AttemptStatus | null {
    const shown = this.#words.shown(event);
    if (!shown || !("ended" in shown)) return null;
    const { done, all, status, left_s, place } = shown.ended;
    this.#attempts++;
    if (status !== "valid") this.#invalid++;
    return { done, all, noun: this.#words.nouns[1], trouble: this.trouble, left_s, place };
  }
}
