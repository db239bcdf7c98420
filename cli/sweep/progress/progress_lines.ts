// What a sweep's events are in words, a line each; those of its instrument alone are the instrument's to say. Pure.
import type {
  LinkTested,
  PageTried,
  SweepEvent,
  SweepPaused,
  SweepStarted,
} from "../../../schemas/generated/sweep_event.ts";
import { count } from "../../base/numbers.ts";
import { percentDown } from "../../load/metrics/coverage.ts";
import { type EndedAttempt, type EventWords, type Said, troubleOf } from "./event_words.ts";

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

function startLine(event: SweepStarted, [noun, nouns]: EventWords["nouns"]): string {
  const { sweep, name, cells, loads, done, resumed, expected_s } = event;
  const [, raced] = /^race-(.+)$/.exec(name) ?? [];
  const what = `${raced === undefined ? "sweep" : "race"} ${sweep}`;
  const begun = resumed
    ? `resumes ${what} at ${noun} ${done + 1} of ${loads}`
    : `${what}: ${count(loads, noun, nouns)}`;
  const size = raced === undefined ? `, ${count(cells, "cell")}` : "";
  return `${raced ?? name}: ${begun}${size}, about ${formatDuration(expected_s)}`;
}

function pauseLine({ reason }: SweepPaused): string {
  const [, what, full] = /^(.*: (?:(no space left|the disk is full)|locked by another process))\b/.exec(reason) ?? [];
  if (what === undefined) return reason;
  return `paused: ${what}: ${full === undefined ? "when that lets go" : "free some, and"} it resumes by itself`;
}

function endedLine(ended: EndedAttempt): Said | null {
  const { place, attempt, status } = ended;
  return troubleOf(`${status}: ${place}${attempt === undefined ? "" : `, attempt ${attempt + 1}`}`, ended);
}

/** What there is to say of an event; null: nothing worth a line. */
export function progressLine(event: SweepEvent, { nouns, shown }: EventWords): Said | null {
  switch (event.event) {
    case "page-ready":
      return { line: pageLine(event), weight: "news" };
    case "page-tried":
      return { line: triedLine(event), weight: event.reason === null ? "news" : "warning" };
    case "link-tested":
      return { line: testLine(event), weight: event.reason === null ? "detail" : "warning" };
    case "sweep-started":
      return { line: startLine(event, nouns), weight: "news" };
    case "sweep-paused":
      return { line: pauseLine(event), weight: "warning" };
    default: {
      const own = shown(event);
      if (own === null || "began" in own) return null;
      return "ended" in own ? endedLine(own.ended) : own.said;
    }
  }
}
