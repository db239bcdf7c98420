// Several visits of a page as one: all that any of them asked for, each request as often as the visit that made it most. Pages
// differ from visit to visit (advertisements, numbers drawn by chance), and a load of the recording may ask for what any
// visit did. Pure; visits nothing.
import type { RecordedPage } from "./record_page.ts";

/** What is looked at of a HAR's entry. */
interface Entry {
  readonly startedDateTime: string;
  readonly request: { readonly method: string; readonly url: string; readonly postData?: { readonly text?: string } };
  readonly response: { readonly status: number; readonly _error?: string | null };
  readonly _fromCache?: unknown;
  readonly _connectionId?: string;
}

/** An entry of the union, and which visit's it is. */
interface Kept {
  readonly entry: Entry;
  /** From 0. */
  readonly visit: number;
  /** Its place in that visit. */
  readonly index: number;
  /** How many visits made this request, that often. */
  visits: number;
}

interface Har {
  readonly log: {
    readonly pages: readonly {
      readonly startedDateTime: string;
      readonly pageTimings?: { readonly onLoad?: number | null };
    }[];
    readonly entries: readonly Entry[];
  };
}

export interface UnitedVisits {
  readonly page: RecordedPage;
  /** Of each further visit, how many requests it asked for that none before it had, or had no answer to. */
  readonly added: readonly number[];
}

/** Of the same key: the same request. */
const keyOf = ({ request: { method, url, postData } }: Entry): string =>
  `${method} ${url.replace(/#.*$/, "")}\n${postData?.text ?? ""}`;

const isAnswered = ({ response }: Entry): boolean => response.status > 0 && !response._error;

function unite(visits: readonly (readonly Entry[])[]): { kept: Kept[]; added: number[] } {
  const kept: Kept[] = [];
  const placesOf = new Map<string, number[]>();
  const added = visits.map((entries, visit) => {
    const seen = new Map<string, number>();
    let news = 0;
    for (const [index, entry] of entries.entries()) {
      const key = keyOf(entry);
      const places = placesOf.get(key) ?? [];
      placesOf.set(key, places);
      const nth = seen.get(key) ?? 0;
      // What a cache gave was asked of the network before.
      if (visit > 0 && entry._fromCache !== undefined && places.length > 0) continue;
      seen.set(key, nth + 1);
      const place = places[nth];
      const before = place === undefined ? undefined : kept[place];
      if (place === undefined || before === undefined) {
        places.push(kept.push({ entry, visit, index, visits: 1 }) - 1);
        news++;
      } else if (isAnswered(entry) && !isAnswered(before.entry)) {
        kept[place] = { entry, visit, index, visits: before.visits + 1 };
        news++;
      } else before.visits++;
    }
    return news;
  });
  return { kept, added: added.slice(1) };
}

const startOf = ({ log }: Har): number => Date.parse(log.pages[0]?.startedDateTime ?? "");

const entriesOf = ({ har }: RecordedPage): readonly Entry[] => (har as Har).log.entries;
const onLoadOf = ({ har }: RecordedPage): number =>
  (har as Har).log.pages[0]?.pageTimings?.onLoad ?? Number.POSITIVE_INFINITY;

/** A visit that was answered less than this share of what the fullest one was is another page: an error, a challenge. */
const leastShare = 0.5;

/**
 * The visit whose load event came soonest, first: caches of the servers that were cold and whatever held up the browser only add to
 * the times that a recording tells of a page.
 */
function quickestFirst(visits: readonly RecordedPage[]): readonly RecordedPage[] {
  const answered = visits.map((visit) => entriesOf(visit).filter(isAnswered).length);
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
  const hars = visits.map(({ har }) => har as Har);
  const starts = hars.map(startOf);
  const { kept } = unite(visits.map(entriesOf));
  const { added } = unite(inTurn.map(entriesOf));
  const entries = kept.map(({ entry, visit, visits: times }) => {
    const later_ms = (starts[visit] ?? 0) - (starts[0] ?? 0);
    const moved = {
      startedDateTime: new Date(Date.parse(entry.startedDateTime) - later_ms).toISOString(),
      // Two browsers may give two connections one number.
      ...(entry._connectionId === undefined ? {} : { _connectionId: `${visit + 1}.${entry._connectionId}` }),
    };
    return { ...entry, ...(visit > 0 ? moved : {}), ...(times < visits.length ? { _visits: times } : {}) };
  });
  const sum = (of: keyof RecordedPage["counts"]): number => visits.reduce((all, { counts }) => all + counts[of], 0);
  const screens = visits.map(({ screensScrolled }) => screensScrolled).filter((each) => each !== null);
  const log = { ...hars[0]?.log, entries };
  return {
    page: {
      har: { log },
      wireOf(index) {
        const of = kept[index];
        return of ? (visits[of.visit]?.wireOf(of.index) ?? null) : null;
      },
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
