// Shows a sweep as it goes on: one line that is written over on a terminal, lines for a log elsewhere (progress_log.ts), or the
// events themselves as JSON lines. Writes what it is told; measures and decides nothing.
import type { SweepEvent } from "../../../schemas/generated/sweep_event.ts";
import { terminalJson, terminalText } from "../../base/terminal_text.ts";
import { fetchPlace, flowPlace, formatDuration, progressLine } from "./progress_lines.ts";
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

function bar(done: number, loads: number): string {
  const width = 20;
  const full = Math.floor((done / loads) * width);
  return `${"█".repeat(full)}${"░".repeat(width - full)}`;
}

class TerminalProgress implements Progress {
  readonly #out: Terminal;
  readonly #colour: boolean;
  #timer: NodeJS.Timeout | null = null;
  #done = 0;
  #loads = 1;
  #trouble = 0;
  readonly #troubles = new TroubleLimit();
  #left_s = 0;
  #toldAt_ms = 0;
  /** Nothing runs: what is left does not get less. */
  #isPaused = false;
  /** What runs; "": nothing yet. */
  #current = "";
  #lineDrawn = false;
  #line = "";
  #below: readonly string[] = [];

  constructor(out: Terminal, colour: boolean) {
    this.#out = out;
    this.#colour = colour;
  }

  tell(event: SweepEvent): void {
    const said = progressLine(event);
    if (said?.weight === "detail") this.#drawLine(said.line);
    else if (said && (said.weight !== "trouble" || this.#troubles.admits(performance.now())))
      this.#say(said.weight === "news" ? terminalText(said.line) : this.#paint(33, terminalText(said.line)));
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
      case "load-started":
      case "film-started":
        this.#begin(`${event.event === "film-started" ? " filming" : ""} ${event.page} ${event.link} ${event.lane}`);
        break;
      case "flow-run-started":
        this.#begin(` ${flowPlace(event)}`);
        break;
      case "fetch-started":
        this.#begin(` ${fetchPlace(event)}`);
        break;
      case "film-finished":
        this.#countDownFrom(event.left_s);
        this.#draw();
        break;
      case "load-finished":
        this.#finished(event.status, event, event.left_s);
        break;
      case "flow-run-finished":
        this.#finished(event.status, { done: event.done, loads: event.runs }, event.left_s);
        break;
      case "fetch-finished":
        this.#finished(event.status, { done: event.done, loads: event.fetches }, event.left_s);
        break;
      default:
    }
  }

  end(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    if (this.#lineDrawn) this.#out.write(`\r${this.#erase()}`);
    this.#below = [];
    this.#lineDrawn = false;
  }

  #begin(what: string): void {
    this.#countDownFrom(this.#timeLeft_s());
    this.#current = what;
    this.#draw();
  }

  #finished(status: string, counts: { readonly done: number; readonly loads: number }, left_s: number): void {
    if (status !== "valid") this.#trouble++;
    this.#count(counts, left_s);
    this.#draw();
  }

  #count({ done, loads }: { readonly done: number; readonly loads: number }, left_s: number): void {
    [this.#done, this.#loads] = [done, loads];
    this.#countDownFrom(left_s);
  }

  #timeLeft_s(): number {
    return this.#isPaused ? this.#left_s : this.#left_s - (performance.now() - this.#toldAt_ms) / 1000;
  }

  #countDownFrom(left_s: number): void {
    this.#isPaused = false;
    this.#left_s = left_s;
    this.#toldAt_ms = performance.now();
  }

  /** A line that stays, above the one that is written over. */
  #say(line: string): void {
    this.#lineDrawn = false;
    this.#out.write(`\r${this.#erase()}${line}\n`);
  }

  /** What is drawn: the line, and those below it. */
  #erase(): string {
    return this.#below.length > 0 ? "\x1b[J" : "\x1b[K";
  }

  readonly below = (lines: readonly string[]): void => {
    // A terminal of few rows keeps its line; more than it has would scroll it away.
    const shown = lines.slice(0, Math.max(0, (this.#out.rows || 24) - 2));
    const erased = this.#lineDrawn ? this.#erase() : "";
    this.#below = shown;
    if (this.#lineDrawn) this.#out.write(`\r${erased}`);
    if (this.#lineDrawn) this.#drawLine(this.#line);
  };

  #paint(colour: number, text: string): string {
    return this.#colour ? `\x1b[${colour}m${text}\x1b[0m` : text;
  }

  #draw(): void {
    const left_s = this.#timeLeft_s();
    const trouble = this.#trouble > 0 ? `, ${this.#trouble} not valid` : "";
    const what = this.#isPaused ? ", waiting" : this.#current === "" ? "" : ` ${this.#current}`;
    const line = `${bar(this.#done, this.#loads)} ${this.#done}/${this.#loads}${trouble}, ${formatDuration(left_s)} left${what}`;
    this.#drawLine(line);
  }

  /** The line that is written over. */
  #drawLine(line: string): void {
    this.#lineDrawn = true;
    this.#line = line;
    const columns = this.#out.columns || 80;
    const below = this.#below.map((each) => `\r\n\x1b[K${fitted(terminalText(each), columns)}`).join("");
    const back = this.#below.length > 0 ? `\x1b[${this.#below.length}A` : "";
    this.#out.write(`\r\x1b[K${fitted(terminalText(line), columns)}${below}${back}`);
  }
}

export interface ProgressOptions {
  readonly json: boolean;
  readonly out: Terminal;
  readonly err: Terminal;
  readonly environment: NodeJS.ProcessEnv;
  /** Default: a line that is written over on a terminal, `status` elsewhere. */
  readonly verbosity?: Verbosity | undefined;
}

/** JSON events go to the output, which is theirs alone; words for people go to the error output. */
export function openProgress({ json, out, err, environment, verbosity }: ProgressOptions): Progress {
  if (json) return jsonProgress(out);
  if (verbosity !== undefined) return logProgress(err, verbosity);
  if (!err.isTTY || environment.TERM === "dumb") return logProgress(err, "status");
  return new TerminalProgress(err, !environment.NO_COLOR);
}
