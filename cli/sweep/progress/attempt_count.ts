// How far a sweep is, in runs that are done and in attempts at them, from its events. Writes nothing.
import type { SweepEvent } from "../../../schemas/generated/sweep_event.ts";
import { count } from "../../base/numbers.ts";
import { commandPlace, fetchPlace, flowPlace } from "./progress_lines.ts";

export interface AttemptStatus {
  readonly done: number;
  readonly all: number;
  readonly noun: "runs" | "fetches";
  /** `, 3 of 15 attempts not valid`; empty while all are. */
  readonly trouble: string;
  readonly left_s: number;
  /** What has just ended. */
  readonly place: string;
}

export class AttemptCount {
  #attempts = 0;
  #invalid = 0;

  /** Empty while all are valid. */
  get trouble(): string {
    return this.#invalid === 0 ? "" : `, ${this.#invalid} of ${count(this.#attempts, "attempt")} not valid`;
  }

  /** Null: no attempt has ended. */
  after(event: SweepEvent): AttemptStatus | null {
    switch (event.event) {
      case "load-finished":
        this.#add(event.status);
        return this.#status(event.done, event.loads, "runs", event.left_s, `${event.page} ${event.link} ${event.lane}`);
      case "flow-run-finished":
        this.#add(event.status);
        return this.#status(event.done, event.runs, "runs", event.left_s, flowPlace(event));
      case "fetch-finished":
        this.#add(event.status);
        return this.#status(event.done, event.fetches, "fetches", event.left_s, fetchPlace(event));
      case "command-finished":
        this.#add(event.status);
        return this.#status(event.done, event.runs, "runs", event.left_s, commandPlace(event));
      default:
        return null;
    }
  }

  #add(status: string): void {
    this.#attempts++;
    if (status !== "valid") this.#invalid++;
  }

  #status(done: number, all: number, noun: AttemptStatus["noun"], left_s: number, place: string): AttemptStatus {
    return { done, all, noun, trouble: this.trouble, left_s, place };
  }
}
