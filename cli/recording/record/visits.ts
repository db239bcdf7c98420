// Several visits of a page as one: all that any of them asked for, each request as often as the visit that made it most. Pages
// differ from visit to visit (advertisements, numbers drawn by chance), and a load of the recording may ask for what any
// visit did. Pure; visits nothing.
import { type HarEntry, isRecord } from "../import/har.ts";
import type { RecordedPage } from "./record_page.ts";

/** An entry of the union, and which visit's it is. */
interface Kept {
  readonly entry: HarEntry;
  /** From 0. */
  readonly visit: number;
  /** How many visits made this request, that often. */
  visits: number;
}

export interface UnitedVisits {
  readonly page: RecordedPage;
  /** Of each further visit, how many requests it asked for that none before it had, or had no answer to. */
  readonly added: readonly number[];
}

/** Of the same key: the same request. */
function keyOf({ method, url, request: { postData } }: HarEntry): string {
  const body = isRecord(postData) && typeof postData.text === "string" ? postData.text : "";
  return `${method} ${url.href.replace(/#.*$/, "")}\n${body}`;
}

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
      // What a cache gave was asked of the network before.
      if (visit > 0 && entry.raw._fromCache !== undefined && places.length > 0) continue;
      seen.set(key, nth + 1);
      const place = places[nth];
      const before = place === undefined ? undefined : kept[place];
      if (place === undefined || before === undefined) {
        places.push(kept.push({ entry, visit, visits: 1 }) - 1);
        news++;
      } else if (isAnswered(entry) && !isAnswered(before.entry)) {
        kept[place] = { entry, visit, visits: before.visits + 1 };
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

/**
 * The visit whose load event came soonest, first: caches of the servers that were cold and whatever held up the browser only add to
 * the times that a recording tells of a page.
 */
function quickestFirst(visits: readonly RecordedPage[]): readonly RecordedPage[] {
  const answered = visits.map(({ load }) => load.entries.filter(isAnswered).length);
  const least = Math.max(...answered) * leastShare;
  const full = visits.filter(
    (visit, place) => (answered[place] ?? 0) >= least && onLoadOf(visit) < Number.POSITIVE_INFINITY,
  );
  const quickest = full.toSorted((a, b) => onLoadOf(a) - onLoadOf(b))[0];
  return quickest ? [quickest, ...visits.filter((visit) => visit !== quickest)] : visits;
}

/** `inTurn`: at least one. All times become those of the quickest, whose page it is. */
export function uniteVisits(inTurn: readonly RecordedPage[]): UnitedVisits {
  const visits = quickestFirst(inTurn);
  const [first] = visits;
  if (!first) throw new RangeError("no visit to unite");
  if (visits.length === 1) return { page: first, added: [] };
  const starts = visits.map(({ load }) => load.pages[0]?.started_ms ?? 0);
  const { kept } = unite(visits);
  const { added } = unite(inTurn);
  const entries = kept.map(({ entry, visit, visits: times }, index): HarEntry => {
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
        ...(times < visits.length ? { _visits: times } : {}),
      },
    };
  });
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
  };
}
