// A sweep's progress for a log: a line now and then, each with its time, so that days of loads are not thousands of lines.
import type { SweepEvent } from "../../../schemas/generated/sweep_event.ts";
import { count } from "../../base/numbers.ts";
import { terminalText } from "../../base/terminal_text.ts";
import type { Progress, Terminal } from "./progress.ts";
import { fetchPlace, flowPlace, formatDuration, progressLine } from "./progress_lines.ts";
import { TroubleLimit } from "./trouble_limit.ts";

/** `quiet`: nothing while all is well; `status`: a line every so often; `verbose`: each load. */
export type Verbosity = "quiet" | "status" | "verbose";

/** In the first minute more often, so that one sees that it runs. */
const atFirst_ms = { until: 60_000, interval: 5000 };
const interval_ms = 60_000;

interface Clock {
  /** Does not jump. */
  readonly now_ms: () => number;
  readonly date: () => Date;
}

const systemClock: Clock = { now_ms: () => performance.now(), date: () => new Date() };

interface Status {
  readonly done: number;
  readonly all: number;
  readonly noun: "loads" | "runs" | "fetches";
  readonly left_s: number;
  /** What has just ended. */
  readonly place: string;
}

class LogProgress implements Progress {
  readonly #out: Terminal;
  readonly #verbosity: Verbosity;
  readonly #clock: Clock;
  readonly #began_ms: number;
  #shown_ms = Number.NEGATIVE_INFINITY;
  readonly #troubles = new TroubleLimit();

  constructor(out: Terminal, verbosity: Verbosity, clock: Clock) {
    this.#out = out;
    this.#verbosity = verbosity;
    this.#clock = clock;
    this.#began_ms = clock.now_ms();
  }

  tell(event: SweepEvent): void {
    const said = progressLine(event);
    if (said?.weight === "trouble") this.#trouble(said.line);
    else if (said && (said.weight !== "detail" || this.#verbosity === "verbose"))
      this.#say(said.line, said.weight === "warning" ? "quiet" : "status");
    if (event.event === "load-finished") {
      const { done, loads, page, link, lane, left_s } = event;
      this.#status({ done, all: loads, noun: "loads", left_s, place: `${page} ${link} ${lane}` });
    }
    if (event.event === "flow-run-finished") {
      const { done, runs, left_s } = event;
      this.#status({ done, all: runs, noun: "runs", left_s, place: flowPlace(event) });
    }
    if (event.event === "fetch-finished") {
      const { done, fetches, left_s } = event;
      this.#status({ done, all: fetches, noun: "fetches", left_s, place: fetchPlace(event) });
    }
  }

  /** How far it is, when it is time to say so. */
  #status({ done, all, noun, left_s, place }: Status): void {
    if (done < all && !this.#isTime()) return;
    this.#shown_ms = this.#clock.now_ms();
    const trouble = this.#troubles.count > 0 ? `, ${count(this.#troubles.count, "attempt")} not valid` : "";
    this.#say(`${done} of ${all} ${noun}${trouble}, ${formatDuration(left_s)} left (${place})`);
  }

  end(): void {}

  #isTime(): boolean {
    const now_ms = this.#clock.now_ms();
    const isEarly = now_ms - this.#began_ms < atFirst_ms.until;
    return this.#verbosity === "verbose" || now_ms - this.#shown_ms >= (isEarly ? atFirst_ms.interval : interval_ms);
  }

  #trouble(line: string): void {
    if (this.#troubles.admits(this.#clock.now_ms(), this.#verbosity === "verbose")) this.#say(line);
  }

  /** `from`: the least that is to be said also where little is. */
  #say(line: string, from: Verbosity = "status"): void {
    if (this.#verbosity === "quiet" && from !== "quiet") return;
    this.#out.write(`${this.#clock.date().toISOString().slice(0, 19)}Z ${terminalText(line)}\n`);
  }
}

export function logProgress(out: Terminal, verbosity: Verbosity, clock = systemClock): Progress {
  return new LogProgress(out, verbosity, clock);
}
