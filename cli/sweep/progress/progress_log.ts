// A sweep's progress for a log: a line now and then, each with its time, so that days of loads are not thousands of lines.
import type { SweepEvent } from "../../../schemas/generated/sweep_event.ts";
import { terminalText } from "../../base/terminal_text.ts";
import { AttemptCount, type AttemptStatus } from "./attempt_count.ts";
import type { EventWords, Said } from "./event_words.ts";
import type { Progress, Terminal } from "./progress.ts";
import { formatDuration, progressLine } from "./progress_lines.ts";
import { TroubleLimit } from "./trouble_limit.ts";

/** `quiet`: nothing while all is well; `status`: a line every so often; `verbose`: each load. */
export type Verbosity = "quiet" | "status" | "verbose";

/** Between two lines of progress: in the first minute more often, so that one sees that it runs. */
const atFirst_ms = { until: 60_000, interval: 10_000 };
const interval_ms = 60_000;
/** Between a line of progress and a better answer. */
const answerInterval_ms = 10_000;

interface Clock {
  /** Does not jump. */
  readonly now_ms: () => number;
  readonly date: () => Date;
}

const systemClock: Clock = { now_ms: () => performance.now(), date: () => new Date() };

class LogProgress implements Progress {
  readonly #out: Terminal;
  readonly #verbosity: Verbosity;
  readonly #clock: Clock;
  readonly #began_ms: number;
  #shown_ms = Number.NEGATIVE_INFINITY;
  readonly #troubles = new TroubleLimit();
  readonly #attempts: AttemptCount;
  readonly #words: EventWords;
  #status: AttemptStatus | null = null;
  /** The newest answer, until it is time for a line. */
  #answer: string | null = null;

  constructor(out: Terminal, verbosity: Verbosity, words: EventWords, clock: Clock) {
    this.#words = words;
    this.#attempts = new AttemptCount(words);
    this.#out = out;
    this.#verbosity = verbosity;
    this.#clock = clock;
    this.#began_ms = clock.now_ms();
  }

  tell(event: SweepEvent): void {
    const said = progressLine(event, this.#words);
    if (said?.weight === "answer") this.#answer = said.line;
    else if (said?.weight === "trouble") this.#trouble(said);
    else if (said && (said.weight !== "detail" || this.#verbosity === "verbose"))
      this.#say(said.line, said.weight === "warning" ? "quiet" : "status");
    const status = this.#attempts.after(event);
    if (status) this.#status = status;
    if (this.#status && this.#isDue(this.#status, status !== null)) this.#routine(this.#status);
  }

  /** Whether it is time to say how far it is, or what the answer is now. */
  #isDue({ done, all }: AttemptStatus, hasEnded: boolean): boolean {
    if (this.#answer !== null && this.#isTime(answerInterval_ms)) return true;
    const isEarly = this.#clock.now_ms() - this.#began_ms < atFirst_ms.until;
    const isTime = this.#verbosity === "verbose" || this.#isTime(isEarly ? atFirst_ms.interval : interval_ms);
    return hasEnded && (done === all || isTime);
  }

  end(): void {}

  #isTime(least_ms: number): boolean {
    return this.#clock.now_ms() - this.#shown_ms >= least_ms;
  }

  #trouble({ line, reason = "" }: Said): void {
    if (this.#troubles.admits(reason) || this.#verbosity === "verbose") this.#say(line);
  }

  #routine({ done, all, noun, trouble, left_s, place }: AttemptStatus): void {
    this.#shown_ms = this.#clock.now_ms();
    const far = `${done} of ${all} ${noun}${trouble}, ${formatDuration(left_s)} left`;
    this.#say(this.#answer === null ? `${far} (${place})` : `${far}; ${this.#answer}`);
    this.#answer = null;
  }

  /** `from`: the least that is to be said also where little is. */
  #say(line: string, from: Verbosity = "status"): void {
    if (this.#verbosity === "quiet" && from !== "quiet") return;
    this.#out.write(`${this.#clock.date().toISOString().slice(0, 19)}Z ${terminalText(line)}\n`);
  }
}

export function logProgress(out: Terminal, verbosity: Verbosity, words: EventWords, clock = systemClock): Progress {
  return new LogProgress(out, verbosity, words, clock);
}
