// How long a run of a sweep may go on repeating what the machine disturbed, and how much of that is spent. Knows no clock.
import { isDisturbed } from "../load/disturbance.ts";

/** For all that is repeated of a run that is shorter: what disturbs a machine for a moment may last so long. */
const leastRetryFor_ms = 60_000;

export class RetryBudget {
  /** What disturbed attempts and waits for a calm machine took, and may take. */
  #lost_ms = 0;
  readonly #retryFor_ms: number;

  /** `retry_for_s`: as the plan has it; undefined: this share of what the run is expected to take. */
  constructor(retry_for_s: number | undefined, expected_ms: number, share = 1) {
    this.#retryFor_ms =
      retry_for_s === undefined ? share * Math.max(leastRetryFor_ms, expected_ms) : retry_for_s * 1000;
  }

  /** Whether there is time left to repeat what the machine disturbed. */
  get mayRepeat(): boolean {
    return this.#lost_ms < this.#retryFor_ms;
  }

  /** A wait for a calm machine. */
  waited(time_ms: number): void {
    this.#lost_ms += time_ms;
  }

  /** An attempt, which counts where it was disturbed. */
  ended(reasons: readonly string[], wall_ms: number): void {
    if (reasons.some(isDisturbed)) this.#lost_ms += wall_ms;
  }
}
