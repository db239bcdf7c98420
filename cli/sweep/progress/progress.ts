// Shows a running sweep: how far it is and what its instrument draws, written over on a terminal; lines for a log elsewhere (progress_log.ts); or
// the events themselves as JSON lines. Writes what it gets; measures and decides nothing.
import type { SweepEvent } from "../../../schemas/generated/sweep_event.ts";
import { painted, type ShownLine, terminalJson, terminalText } from "../../base/terminal_text.ts";
import { wrapped } from "../../base/wrapped_text.ts";
import { AttemptCount } from "./attempt_count.ts";
import type { EventWords } from "./event_words.ts";
import { formatDuration, progressLine } from "./progress_lines.ts";
import { logProgress, type Verbosity } from "./progress_log.ts";
import { TroubleLimit } from "./trouble_limit.ts";

/** Where progress goes: process.stderr, or a test's own. */
export interface Terminal {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string): unknown;
}

export interface Progress {
  tell(event: SweepEvent): void;
  /** Lines below the one that is written over, in place of those before; absent where there is no such line. */
  readonly below?: (lines: readonly string[]) => void;
  /** Leaves the terminal on an empty line, for what is printed next. */
  end(): void;
}

const redrawInterval_ms = 500;

/** Events as JSON lines, for programs. */
function jsonProgress(out: Terminal): Progress {
  return { tell: (event) => out.write(`${terminalJson(event)}\n`), end: () => undefined };
}

/** The longest prefix and a sign that something is missing, so that a line never wraps. */
function fitted(line: string, columns: number): string {
  return line.length < columns ? line : `${line.slice(0, Math.max(0, columns - 2))}…`;
}

/** On fewer rows only the line that says how far it is. */
const leastRows = 12;
const answerRows = 3;
const warningColour = "33";

class TerminalProgress implements Progress {
  readonly #out: Terminal;
  readonly #colour: boolean;
  #timer: NodeJS.Timeout | null = null;
  #done = 0;
  #loads = 1;
  #noun: string;
  readonly #words: EventWords;
  readonly #attempts: AttemptCount;
  readonly #troubles = new TroubleLimit();
  readonly #tracks: ReturnType<NonNullable<EventWords["tracks"]>> | undefined;
  #answer = "";
  #left_s = 0;
  #reportedAt_ms = 0;
  /** Nothing runs: what is left does not get less. */
  #isPaused = false;
  /** What runs; "": nothing yet. */
  #current = "";
  /** Lines that are on the screen to be written over. */
  #drawn = 0;
  #line = "";
  #below: readonly string[] = [];

  constructor(out: Terminal, words: EventWords, colour: boolean) {
    this.#out = out;
    this.#colour = colour;
    this.#words = words;
    this.#noun = words.nouns[1];
    this.#attempts = new AttemptCount(words);
    this.#tracks = words.tracks?.();
  }

  tell(event: SweepEvent): void {
    const said = progressLine(event, this.#words);
    this.#tracks?.after(event);
    if (said?.weight === "answer") this.#answer = said.line;
    else if (said?.weight === "detail") this.#drawLine(said.line);
    else if (said && (said.weight !== "trouble" || this.#troubles.admits(said.reason ?? "")))
      this.#say(said.line, said.weight === "news" ? undefined : warningColour);
    const ended = this.#attempts.after(event);
    if (ended) {
      this.#count({ done: ended.done, loads: ended.all }, ended.left_s);
      this.#draw();
    }
    switch (event.event) {
      case "sweep-started":
        this.#count(event, event.expected_s);
        this.#timer = setInterval(() => this.#draw(), redrawInterval_ms).unref();
        break;
      case "sweep-paused":
        this.#countDownFrom(this.#timeLeft_s());
        this.#isPaused = true;
        if (this.#timer) this.#draw();
        break;
      default:
        this.#afterOwn(event);
    }
  }

  /** An event of the instrument's own. */
  #afterOwn(event: SweepEvent): void {
    const shown = this.#words.shown(event);
    if (!shown || "ended" in shown) return;
    if ("began" in shown) this.#begin(shown.began);
    else if (this.#timer) {
      if (shown.left_s !== undefined) this.#countDownFrom(shown.left_s);
      this.#draw();
    }
  }

  end(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    this.#out.write(this.#erased());
    this.#below = [];
  }

  #begin(what: string): void {
    this.#countDownFrom(this.#timeLeft_s());
    this.#current = what;
    this.#draw();
  }

  #count({ done, loads }: { readonly done: number; readonly loads: number }, left_s: number): void {
    [this.#done, this.#loads] = [done, loads];
    this.#countDownFrom(left_s);
  }

  #timeLeft_s(): number {
    return this.#isPaused ? this.#left_s : this.#left_s - (performance.now() - this.#reportedAt_ms) / 1000;
  }

  #countDownFrom(left_s: number): void {
    this.#isPaused = false;
    this.#left_s = left_s;
    this.#reportedAt_ms = performance.now();
  }

  /** A line that stays, above those that are written over. */
  #say(text: string, colour?: string): void {
    const shown = colour === undefined ? { text } : { text, colour, coloured: terminalText(text).length };
    this.#out.write(`${this.#erased()}${painted(shown, this.#colour)}\n`);
  }

  /** Wipes what is drawn: the cursor is at its first line. */
  #erased(): string {
    const erased = this.#drawn === 0 ? "" : this.#drawn > 1 ? "\r\x1b[J" : "\r\x1b[K";
    this.#drawn = 0;
    return erased;
  }

  readonly below = (lines: readonly string[]): void => {
    // A terminal of few rows keeps its line; more than it has would scroll it away.
    const isDrawn = this.#drawn > 0;
    if (isDrawn) this.#out.write(this.#erased());
    this.#below = lines.slice(0, Math.max(0, this.#rows() - 2));
    if (isDrawn) this.#drawLine(this.#line);
  };

  #rows(): number {
    return this.#out.rows || 24;
  }

  #draw(): void {
    const what = this.#isPaused ? ", waiting" : this.#current;
    const left = formatDuration(this.#timeLeft_s());
    this.#drawLine(`${this.#done} of ${this.#loads} ${this.#noun}${this.#attempts.trouble}, ${left} left${what}`);
  }

  /** Tracks, the line that says how far it is, the answer so far, and what a run shows below. */
  #drawLine(line: string): void {
    this.#line = line;
    const columns = this.#out.columns || 80;
    const tracks = this.#tracks?.lines() ?? [];
    const wanted = this.#answer === "" ? [] : wrapped(this.#answer, columns - 1).slice(0, answerRows);
    // Of lines that the terminal has no rows for the cursor cannot go back to the first.
    const least = Math.max(leastRows, tracks.length + 1 + wanted.length);
    const hasRoom = this.#rows() >= least + this.#below.length;
    const answer = hasRoom ? wanted : [];
    const shown = [
      ...(hasRoom ? tracks : []),
      ...[line, ...answer, ...this.#below].map((text): ShownLine => ({ text })),
    ].map(({ text, ...colours }) => painted({ text: fitted(terminalText(text), columns), ...colours }, this.#colour));
    const back = shown.length > 1 ? `\x1b[${shown.length - 1}A` : "";
    const wiped = this.#drawn > shown.length ? this.#erased() : "";
    this.#out.write(`${wiped}\r\x1b[K${shown.join("\r\n\x1b[K")}${back}`);
    this.#drawn = shown.length;
  }
}

interface ProgressOptions {
  readonly json: boolean;
  readonly out: Terminal;
  readonly err: Terminal;
  readonly environment: NodeJS.ProcessEnv;
  /** Default: a line that is written over on a terminal, `status` elsewhere. */
  readonly verbosity?: Verbosity | undefined;
  readonly words: EventWords;
}

/** JSON events go to the output, which is theirs alone; words for people go to the error output. */
export function openProgress({ json, out, err, environment, verbosity, words }: ProgressOptions): Progress {
  if (json) return jsonProgress(out);
  if (verbosity !== undefined) return logProgress(err, verbosity, words);
  if (!err.isTTY || environment.TERM === "dumb") return logProgress(err, "status", words);
  return new TerminalProgress(err, words, !environment.NO_COLOR);
}
