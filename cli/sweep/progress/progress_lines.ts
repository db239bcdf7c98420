// What a sweep's events are in words, a line each. Pure.
import type {
  BrowserChanged,
  CommandFinished,
  FetchFinished,
  FilmFinished,
  FlowRunFinished,
  LinkTested,
  LoadFinished,
  PageTried,
  SweepEvent,
  SweepPaused,
  SweepStarted,
} from "../../../schemas/generated/sweep_event.ts";
import { count } from "../../base/numbers.ts";
import { percentDown } from "../../load/metrics/coverage.ts";

/** Seconds as people say them: `40 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const [large, largeUnit, small, smallUnit] =
    whole < 3600
      ? [Math.floor(whole / 60), "min", whole % 60, "s"]
      : [Math.floor(whole / 3600), "h", Math.floor((whole % 3600) / 60), "min"];
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

function pageLine(event: Extract<SweepEvent, { event: "page-ready" }>): string {
  const { page, exchanges, body_bytes } = event;
  return `page ${page}: ${exchanges} exchanges, ${(body_bytes / 1000).toFixed(0)} kB`;
}

const sharesText = ({ requests, bytes }: { requests: number; bytes: number }): string =>
  `${percentDown(requests)} of its recorded requests and ${percentDown(bytes)} of their bytes`;

export function triedLine({ page, coverage, unpinned, pinned_to, reason }: PageTried): string {
  if (coverage === null)
    return `page ${page}: a trial load failed (${reason}): see \`trilane recording check ${page}\``;
  const pinned =
    pinned_to === null || unpinned === null
      ? ""
      : `, with its clock set to ${pinned_to.slice(0, 10)} and random numbers seeded (without: ${sharesText(unpinned)})`;
  const advice =
    reason === null
      ? ""
      : `; its loads will not count (${reason.split(": ")[0]}), see \`trilane recording check ${page}\``;
  return `page ${page}: a trial load asks for ${sharesText(coverage)}${pinned}${advice}`;
}

/** How far the self-tests are, or which link is out. */
function testLine({ link, reason, measurements, puts_off, tested, links, left_s }: LinkTested): string {
  const what = puts_off ? "its runs wait, it is measured again later" : "its runs will not count";
  const times = measurements > 1 ? ` (measured ${measurements} times)` : "";
  if (reason !== null) return `link ${link}: ${what}: ${reason}${times}`;
  const left = tested < links ? `, ${formatDuration(left_s)} left` : "";
  return `self-test ${tested} of ${links}: ${link} is as asked${left}`;
}

const nounsOf = {
  pages: ["run", "runs"],
  flows: ["run", "runs"],
  fetches: ["fetch", "fetches"],
  commands: ["run", "runs"],
} as const;

function startLine(event: SweepStarted): string {
  const { sweep, name, cells, loads, done, resumed, expected_s, kind } = event;
  const [noun, nouns] = nounsOf[kind ?? "pages"];
  const [, raced] = /^race-(.+)$/.exec(name) ?? [];
  const what = `${raced === undefined ? "sweep" : "race"} ${sweep}`;
  const begun = resumed
    ? `resumes ${what} at ${noun} ${done + 1} of ${loads}`
    : `${what}: ${count(loads, noun, nouns)}`;
  const size = raced === undefined ? `, ${count(cells, "cell")}` : "";
  return `${raced ?? name}: ${begun}${size}, about ${formatDuration(expected_s)}`;
}

function troubleLine(event: LoadFinished): string {
  const { page, link, lane, attempt, status, reasons } = event;
  return `${status}: ${page} ${link} ${lane}, attempt ${attempt + 1}: ${reasons[0] ?? "no reason given"}`;
}

/** What is run, on a terminal's line and in a log. */
export function flowPlace({ mix, link, lane }: Pick<FlowRunFinished, "mix" | "link" | "lane">): string {
  return `${mix} ${link}${lane === null ? "" : ` ${lane}`}`;
}

function flowTroubleLine(event: FlowRunFinished): string {
  const { attempt, status, reasons } = event;
  return `${status}: ${flowPlace(event)}, attempt ${attempt + 1}: ${reasons[0] ?? "no reason given"}`;
}

/** What is fetched, on a terminal's line and in a log. */
export function fetchPlace({ object, lane, tls, ip, link }: FetchPlaceFacts): string {
  const over = [lane, ...(tls === "1.2" ? ["TLS 1.2"] : []), ...(ip === 6 ? ["IPv6"] : [])].join(" ");
  return `${over} ${object}${link === null ? "" : ` ${link}`}`;
}

type FetchPlaceFacts = Pick<FetchFinished, "object" | "lane" | "tls" | "ip" | "link">;

function fetchTroubleLine(event: FetchFinished): string {
  return `${event.status}: ${fetchPlace(event)}: ${event.reasons[0] ?? "no reason given"}`;
}

/** Which command is run. */
export function commandPlace({ command, link }: Pick<CommandFinished, "command" | "link">): string {
  return `${command}${link === null ? "" : ` ${link}`}`;
}

function filmTroubleLine({ page, link, lane, status, reasons }: FilmFinished): string {
  return `no film of ${page} ${link} ${lane}: ${status}: ${reasons[0] ?? "no reason given"}`;
}

function pauseLine({ reason }: SweepPaused): string {
  const [, what, full] = /^(.*: (?:(no space left|the disk is full)|locked by another process))\b/.exec(reason) ?? [];
  if (what === undefined) return reason;
  return `paused: ${what}: ${full === undefined ? "when that lets go" : "free some, and"} it goes on by itself`;
}

function browserLine({ before, now }: BrowserChanged): string {
  return `the browser changed from ${before} to ${now}: this sweep has loads of both; --new begins again with one`;
}

/**
 * `detail`: all is well; `answer`: what the loads say so far; `trouble`: with an attempt, which there may be many of; `warning`: what
 * whoever runs the sweep must know.
 */
export interface Said {
  readonly line: string;
  readonly weight: "detail" | "news" | "answer" | "trouble" | "warning";
  /** Of trouble: as the first reason has it. */
  readonly reason?: string;
}

type Attempted = LoadFinished | FilmFinished | FlowRunFinished | FetchFinished | CommandFinished;

function troubleOf(event: Attempted, line: string): Said | null {
  if (event.status === "valid") return null;
  return { line, weight: "trouble", reason: event.reasons[0] ?? "no reason given" };
}

/** What there is to say of an event; null: nothing worth a line. */
export function progressLine(event: SweepEvent): Said | null {
  switch (event.event) {
    case "page-ready":
      return { line: pageLine(event), weight: "news" };
    case "page-tried":
      return { line: triedLine(event), weight: event.reason === null ? "news" : "warning" };
    case "link-tested":
      return { line: testLine(event), weight: event.reason === null ? "detail" : "warning" };
    case "sweep-started":
      return { line: startLine(event), weight: "news" };
    case "answer-so-far":
      return { line: `so far: ${event.sentence}`, weight: "answer" };
    case "browser-changed":
      return { line: browserLine(event), weight: "warning" };
    case "sweep-paused":
      return { line: pauseLine(event), weight: "warning" };
    case "film-finished":
      return troubleOf(event, filmTroubleLine(event));
    case "load-finished":
      return troubleOf(event, troubleLine(event));
    case "flow-run-finished":
      return troubleOf(event, flowTroubleLine(event));
    case "fetch-finished":
      return troubleOf(event, fetchTroubleLine(event));
    case "command-finished":
      return troubleOf(event, `${event.status}: ${commandPlace(event)}: ${event.reasons[0] ?? "no reason given"}`);
    default:
      return null;
  }
}
