// Shows a sweep as it goes on: one line that is written over on a terminal, plain lines elsewhere, or the events
// themselves as JSON lines. Writes what it is told; measures and decides nothing.
import type {
  FilmFinished,
  FilmStarted,
  LinkTested,
  LoadFinished,
  LoadStarted,
  SweepEvent,
  SweepPaused,
  SweepStarted,
} from "../../schemas/generated/sweep_event.ts";

/** Where progress goes: process.stderr, or a test's own. */
export interface Terminal {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export interface Progress {
  tell(event: SweepEvent): void;
  /** Leaves the terminal on an empty line, for what is printed next. */
  end(): void;
}

/** Plain lines are for logs: one every so often is enough to see that it goes on. */
const plainInterval_ms = 5000;
const redrawInterval_ms = 500;

/** Seconds as people say them: `40 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

function pageLine(event: Extract<SweepEvent, { event: "page-ready" }>): string {
  const { page, exchanges, body_bytes } = event;
  return `page ${page}: ${exchanges} exchanges, ${(body_bytes / 1000).toFixed(0)} kB`;
}

/** How far the self-tests are, or which link is out. */
function testLine({ link, reason, measurements, puts_off, tested, links, left_s }: LinkTested): string {
  const what = puts_off ? "its loads wait, it is measured again later" : "its loads will not count";
  const times = measurements > 1 ? ` (measured ${measurements} times)` : "";
  if (reason !== null) return `link ${link}: ${what}: ${reason}${times}`;
  const left = tested < links ? `, ${formatDuration(left_s)} left` : "";
  return `self-test ${tested} of ${links}: ${link} is as asked${left}`;
}

function startLine(event: SweepStarted): string {
  const { sweep, name, cells, loads, done, resumed, expected_s } = event;
  const begun = resumed
    ? `goes on with sweep ${sweep} at load ${done + 1} of ${loads}`
    : `sweep ${sweep}: ${loads} loads`;
  return `${name}: ${begun}, ${cells} cells, about ${formatDuration(expected_s)}`;
}

function troubleLine(event: LoadFinished): string {
  const { page, link, lane, attempt, status, reasons } = event;
  return `${status}: ${page} ${link} ${lane}, attempt ${attempt + 1}: ${reasons[0] ?? "no reason given"}`;
}

function filmTroubleLine({ page, link, lane, status, reasons }: FilmFinished): string {
  return `no film of ${page} ${link} ${lane}: ${status}: ${reasons[0] ?? "no reason given"}`;
}

function pauseLine({ reason }: SweepPaused): string {
  const [what] = reason.split(": free some");
  return `paused: ${what}: free some, and it goes on by itself`;
}

/** Events as JSON lines, for programs. */
export function jsonProgress(out: Terminal): Progress {
  return { tell: (event) => out.write(`${JSON.stringify(event)}\n`), end: () => undefined };
}

/** Plain lines: the start, one load every few seconds, and every load that was not valid. */
function plainProgress(out: Terminal, now_ms: () => number): Progress {
  let shown_ms = Number.NEGATIVE_INFINITY;
  const say = (line: string): unknown => out.write(`${line}\n`);
  return {
    tell(event) {
      if (event.event === "page-ready") say(pageLine(event));
      if (event.event === "link-tested") {
        const { reason, tested, links } = event;
        if (reason === null && tested < links && now_ms() - shown_ms < plainInterval_ms) return;
        shown_ms = now_ms();
        say(testLine(event));
      }
      if (event.event === "sweep-started") say(startLine(event));
      if (event.event === "sweep-paused") say(pauseLine(event));
      if (event.event === "film-finished" && event.status !== "valid") say(filmTroubleLine(event));
      if (event.event !== "load-finished") return;
      if (event.status !== "valid") say(troubleLine(event));
      const { done, loads, page, link, lane, left_s } = event;
      if (done < loads && now_ms() - shown_ms < plainInterval_ms) return;
      shown_ms = now_ms();
      say(`${done} of ${loads} loads, ${formatDuration(left_s)} left (${page} ${link} ${lane})`);
    },
    end: () => undefined,
  };
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
  #left_s = 0;
  #toldAt_ms = 0;
  #current: LoadStarted | FilmStarted | null = null;
  #lineDrawn = false;

  constructor(out: Terminal, colour: boolean) {
    this.#out = out;
    this.#colour = colour;
  }

  tell(event: SweepEvent): void {
    switch (event.event) {
      case "page-ready":
        this.#say(pageLine(event));
        break;
      case "link-tested":
        if (event.reason !== null) this.#say(this.#paint(33, testLine(event)));
        else this.#drawLine(testLine(event));
        break;
      case "sweep-started":
        this.#say(startLine(event));
        [this.#done, this.#loads] = [event.done, event.loads];
        this.#countDownFrom(event.expected_s);
        this.#timer = setInterval(() => this.#draw(), redrawInterval_ms).unref();
        break;
      case "sweep-paused":
        this.#say(this.#paint(33, pauseLine(event)));
        break;
      case "load-started":
        this.#current = event;
        this.#draw();
        break;
      case "film-started":
        this.#current = event;
        this.#draw();
        break;
      case "film-finished":
        if (event.status !== "valid") this.#say(this.#paint(33, filmTroubleLine(event)));
        this.#countDownFrom(event.left_s);
        this.#draw();
        break;
      case "load-finished":
        if (event.status !== "valid") {
          this.#trouble++;
          this.#say(this.#paint(33, troubleLine(event)));
        }
        [this.#done, this.#loads] = [event.done, event.loads];
        this.#countDownFrom(event.left_s);
        this.#draw();
        break;
      default:
    }
  }

  end(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    if (this.#lineDrawn) this.#out.write("\r\x1b[K");
    this.#lineDrawn = false;
  }

  #countDownFrom(left_s: number): void {
    this.#left_s = left_s;
    this.#toldAt_ms = performance.now();
  }

  /** A line that stays, above the one that is written over. */
  #say(line: string): void {
    this.#lineDrawn = false;
    this.#out.write(`\r\x1b[K${line}\n`);
  }

  #paint(colour: number, text: string): string {
    return this.#colour ? `\x1b[${colour}m${text}\x1b[0m` : text;
  }

  #draw(): void {
    const left_s = this.#left_s - (performance.now() - this.#toldAt_ms) / 1000;
    const trouble = this.#trouble > 0 ? `, ${this.#trouble} not valid` : "";
    const current = this.#current;
    const filming = current?.event === "film-started" ? " filming" : "";
    const what = current ? ` ${filming} ${current.page} ${current.link} ${current.lane}` : "";
    const line = `${bar(this.#done, this.#loads)} ${this.#done}/${this.#loads}${trouble}, ${formatDuration(left_s)} left${what}`;
    this.#drawLine(line);
  }

  /** The line that is written over. */
  #drawLine(line: string): void {
    this.#lineDrawn = true;
    this.#out.write(`\r\x1b[K${fitted(line, this.#out.columns || 80)}`);
  }
}

export interface ProgressOptions {
  readonly json: boolean;
  readonly out: Terminal;
  readonly err: Terminal;
  readonly environment: NodeJS.ProcessEnv;
}

/** JSON events go to the output, which is theirs alone; words for people go to the error output. */
export function openProgress({ json, out, err, environment }: ProgressOptions): Progress {
  if (json) return jsonProgress(out);
  if (!err.isTTY || environment.TERM === "dumb") return plainProgress(err, () => performance.now());
  return new TerminalProgress(err, !environment.NO_COLOR);
}
