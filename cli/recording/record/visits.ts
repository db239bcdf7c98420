// Several visits of a page as one: all that any of them requested, each request as often as the visit that made it most. Pages
// differ from visit to visit (advertisements, numbers drawn by chance), and a load of the recording may ask for what any
// visit did. How long servers took follows from all of them, and by the one over HTTP/1.1 where there was one (recordVisits), of which
// nothing else is kept.
import { withoutFragment } from "../../../extension/capture/url_without_credentials.ts";
import { UserError } from "../../base/errors.ts";
import { isRecord } from "../../base/json_fields.ts";
import type { HarEntry } from "../import/har.ts";
import { RoundTrips } from "../import/round_trips.ts";
import { type ServerTime, ServerTimes } from "../import/server_times.ts";
import { type RecordedPage, type RecordOptions, recordPage } from "./record_page.ts";

// Visits of a page, one after the other, each as record_page.ts makes it; and, where they shared connections, one more over HTTP/1.1
// that measures how long servers took: of responses that come over one connection without a break it is not known which was ready
// when.

interface VisitsWanted {
  readonly visits: number;
  /** Whether servers' times are worth a visit of their own. */
  readonly timeServers: boolean;
}

export interface VisitsMade {
  readonly pages: readonly RecordedPage[];
  /** Of HTTP/1.1; null: none was needed or wanted, or it failed. */
  readonly timing: RecordedPage | null;
  /** Why it failed; null: it did not. */
  readonly untimed: string | null;
}

/** Given the number of each visit as it begins, from 1; null: of the one over HTTP/1.1. */
export type VisitBegun = (visit: number | null) => void;

/** Whether several responses came over one connection of HTTP/2 or HTTP/3. */
function isMultiplexed({ load }: RecordedPage): boolean {
  const shared = load.entries.filter(({ raw }) => typeof raw._protocol === "string" && /^h[23]/.test(raw._protocol));
  return new Set(shared.map(({ raw }) => raw._connectionId)).size < shared.length;
}

/** Large bodies of all visits can be read until the end of `use`. */
export async function recordVisits<Result>(
  options: RecordOptions,
  { visits, timeServers }: VisitsWanted,
  use: (made: VisitsMade) => Promise<Result>,
  begun: VisitBegun = () => undefined,
): Promise<Result> {
  const timed = async (pages: readonly RecordedPage[]): Promise<Result> => {
    if (!timeServers || !pages.some(isMultiplexed)) return await use({ pages, timing: null, untimed: null });
    begun(null);
    let isRecorded = false;
    try {
      return await recordPage({ ...options, lane: "h1" }, (timing) => {
        isRecorded = true;
        return use({ pages, timing, untimed: null });
      });
    } catch (error) {
      // A server may speak no HTTP/1.1, and what ends this visit is no reason to lose the others.
      if (isRecorded || error instanceof UserError) throw error;
      options.signal?.throwIfAborted();
      return await use({ pages, timing: null, untimed: error instanceof Error ? error.message : String(error) });
    }
  };
  const further = async (pages: readonly RecordedPage[]): Promise<Result> => {
    if (pages.length === visits) return await timed(pages);
    begun(pages.length + 1);
    return await recordPage(options, (page) => further([...pages, page]));
  };
  return await further([]);
}

/** An entry of the union, and which visit's it is. */
interface Kept {
  readonly entry: HarEntry;
  /** From 0. */
  readonly visit: number;
  /** Of the same name: the same request, made as often before on its visit, with the same status. */
  readonly name: string;
  /** How many visits made this request, that often. */
  visits: number;
}

export interface UnitedVisits {
  readonly page: RecordedPage;
  /** Of each further visit, how many requests it requested that none before it had, or had no answer to. */
  readonly added: readonly number[];
  /** Whether a visit over HTTP/1.1 measured how long servers took. */
  readonly timed: boolean;
}

/** Of the same key: the same request. */
function keyOf({ method, url, request: { postData } }: HarEntry): string {
  const body = isRecord(postData) && typeof postData.text === "string" ? postData.text : "";
  return `${method} ${withoutFragment(url.href)}\n${body}`;
}

/** Of answers, not only requests: a challenge that one visit met says nothing of the page that another got. */
const nameOf = ({ status }: HarEntry, key: string, nth: number): string => `${nth} ${status} ${key}`;

const isCached = ({ raw }: HarEntry): boolean => raw._fromCache !== undefined;

const isAnswered = ({ status, response }: HarEntry): boolean => status > 0 && !response._error;

function unite(visits: readonly RecordedPage[]): { kept: Kept[]; added: number[] } {
  const kept: Kept[] = [];
  const placesOf = new Map<string, number[]>();
  const added = visits.map(({ load: { entries } }, visit) => {
    const seen = new Map<string, number>();
    let news = 0;
    for (const entry of entries) {
      const key = keyOf(entry);
      const places = placesOf.get(key) ?? [];
      placesOf.set(key, places);
      const nth = seen.get(key) ?? 0;
      // What a cache gave came over the network before.
      if (visit > 0 && isCached(entry) && places.length > 0) continue;
      seen.set(key, nth + 1);
      const name = nameOf(entry, key, nth);
      const place = places[nth];
      const before = place === undefined ? undefined : kept[place];
      if (place === undefined || before === undefined) {
        places.push(kept.push({ entry, visit, name, visits: 1 }) - 1);
        news++;
      } else if (isAnswered(entry) && !isAnswered(before.entry)) {
        kept[place] = { entry, visit, name, visits: before.visits + 1 };
        news++;
      } else before.visits++;
    }
    return news;
  });
  return { kept, added: added.slice(1) };
}

const onLoadOf = ({ load }: RecordedPage): number => load.pages[0]?.load_event_ms ?? Number.POSITIVE_INFINITY;

/** A visit that was answered less than this share of what the fullest one was is another page: an error, a challenge. */
const leastShare = 0.5;

const answersOf = ({ load }: RecordedPage): number => load.entries.filter(isAnswered).length;

const isFull = (visit: RecordedPage, among: readonly RecordedPage[]): boolean =>
  answersOf(visit) >= leastShare * Math.max(...among.map(answersOf));

/**
 * The visit whose load event came soonest, first: caches of the servers that were cold and whatever held up the browser only add to
 * the times that a recording has of a page.
 */
function quickestFirst(visits: readonly RecordedPage[]): readonly RecordedPage[] {
  const full = visits.filter((visit) => isFull(visit, visits) && onLoadOf(visit) < Number.POSITIVE_INFINITY);
  const quickest = full.toSorted((a, b) => onLoadOf(a) - onLoadOf(b))[0];
  return quickest ? [quickest, ...visits.filter((visit) => visit !== quickest)] : visits;
}

/** How long servers took on a visit by the requests' names. */
function servedOn(entries: readonly HarEntry[], trips: RoundTrips, oneQueue: boolean): ReadonlyMap<string, ServerTime> {
  const times = new ServerTimes(entries, trips, oneQueue);
  const seen = new Map<string, number>();
  const served = new Map<string, ServerTime>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    const time = isAnswered(entry) ? times.timeOf(entry) : null;
    if (time !== null) served.set(nameOf(entry, key, nth), time);
  }
  return served;
}

/**
 * By several visits, in ms: the shortest that was measured, as caches that were cold only add to it; where none was, the longest that
 * was seen to be needed.
 */
function servedBy(visits: readonly RecordedPage[], oneQueue: boolean): ReadonlyMap<string, number> {
  const overNetwork = visits.map(({ load: { entries } }) => entries.filter((entry) => !isCached(entry)));
  // One visit's connects may all have taken long.
  const trips = new RoundTrips(overNetwork.flat());
  const all = overNetwork.flatMap((entries) => [...servedOn(entries, trips, oneQueue)]);
  const served = new Map<string, number>();
  for (const [name, times] of Map.groupBy(all, ([each]) => each)) {
    const measured = times.flatMap(([, { time_ms, isMeasured }]) => (isMeasured ? [time_ms] : []));
    served.set(
      name,
      measured.length > 0 ? Math.min(...measured) : Math.max(...times.map(([, { time_ms }]) => time_ms)),
    );
  }
  return served;
}

function withServed(entry: HarEntry, served_ms: number | undefined): HarEntry {
  return entry.wire && served_ms !== undefined ? { ...entry, wire: { ...entry.wire, served_ms } } : entry;
}

/** An entry of the union in the time of its first visit, and its place there. */
function placed({ entry, visit, visits: times }: Kept, index: number, starts: readonly number[]): HarEntry {
  const { started_ms, raw } = entry;
  const later_ms = (starts[visit] ?? 0) - (starts[0] ?? 0);
  return {
    ...entry,
    index,
    started_ms: started_ms === null ? null : started_ms - later_ms,
    raw: {
      ...raw,
      // Two browsers may give two connections one number.
      ...(visit > 0 && raw._connectionId !== undefined ? { _connectionId: `${visit + 1}.${raw._connectionId}` } : {}),
      ...(times < starts.length ? { _visits: times } : {}),
    },
  };
}

/**
 * Of at least one page. All times become those of the quickest, whose page it is, but for how long servers took. `oneQueue`: the browser
 * was behind a slow link, in whose queue the responses of all connections waited.
 */
export function uniteVisits({ pages: inTurn, timing }: VisitsMade, oneQueue: boolean): UnitedVisits {
  const visits = quickestFirst(inTurn);
  const [first] = visits;
  if (!first) throw new RangeError("no visit to unite");
  const timed = timing !== null && isFull(timing, visits);
  if (visits.length === 1 && !timed) return { page: first, added: [], timed };
  const full = visits.filter((visit) => isFull(visit, visits));
  const served = servedBy(timed ? [...full, timing] : full, oneQueue);
  const starts = visits.map(({ load }) => load.pages[0]?.started_ms ?? 0);
  const { kept } = unite(visits);
  const { added } = unite(inTurn);
  const entries = kept.map((each, index) => withServed(placed(each, index, starts), served.get(each.name)));
  const sum = (of: keyof RecordedPage["counts"]): number => visits.reduce((all, { counts }) => all + counts[of], 0);
  const screens = visits.map(({ screensScrolled }) => screensScrolled).filter((each) => each !== null);
  return {
    page: {
      load: { ...first.load, entries },
      counts: {
        answered: sum("answered"),
        seen: sum("seen"),
        unattended: sum("unattended"),
        under_way: sum("under_way"),
      },
      browser: first.browser,
      screensScrolled: screens.length > 0 ? Math.max(...screens) : null,
    },
    added,
    timed,
  };
}
