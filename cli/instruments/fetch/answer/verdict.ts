// What fetches say in sentences: which lane connects and has its first byte sooner, by how much, with interval and counts; and IPv6 against
// IPv4. Pure: text out, no colour.
import { formatTime } from "../../../base/numbers.ts";
import { pairsOf, type Ruled } from "../../../results/answer/block_values.ts";
import { isProbable, percentsOf, surenessNote, unitsText } from "../../../results/answer/contrast.ts";
import { equalEvidence, type Judged, judgeTogether, withinWords } from "../../../results/answer/judged.ts";
import type { StoppingOf } from "../../../results/answer/rule_outcome.ts";
import { isPlainTcp } from "../metrics/fetched.ts";
import type { FetchCell, StoredFetch } from "../store/fetch_runs.ts";
import type { FetchSweep, StoredFetchPlan } from "../store/stored_plan.ts";
import {
  type ComparedTime,
  comparedPlaces,
  comparedTime,
  type RuledFetch,
  ruledFetches,
  type TimeDifference,
  timeDifference,
} from "./comparison.ts";
import { distinctPlaces, type FetchPlace, placeKey, timedAttempts } from "./summary.ts";

/** More comparisons are the table's to show; of those that show nothing for want of fetches two will do. */
const mostSentences = 5;
const mostOfServers = 12;
const mostWithoutInterval = 2;

const mostShown = (byDownload: boolean): number => (byDownload ? mostOfServers : mostSentences);

/** How many comparisons are read together: of each pair of places its connection and a time, as many as have a sentence. */
export const comparedTogether = (comparisons: Ruled<RuledFetch>["comparisons"]): number =>
  2 * Math.min(comparisons.length, mostShown(comparisons.some(({ one }) => one.quantity.name === "download_ms")));

/** `h1 with TLS 1.2 over IPv6`: what is needed to tell the two apart, and what they share where there are others. */
function nameOf(place: FetchPlace, beside: FetchPlace, all: readonly FetchPlace[]): string {
  const differs = (of: (place: FetchPlace) => unknown): boolean => new Set(all.map(of)).size > 1;
  const tls =
    isPlainTcp(place.lane) && differs(({ lane, tls }) => (isPlainTcp(lane) ? tls : "1.3"))
      ? ` with TLS ${place.tls}`
      : "";
  const ip = place.ip !== beside.ip ? ` over IPv${place.ip}` : "";
  return `${place.lane}${tls}${ip}`;
}

/** `h3 connects 34 % faster than h2 (95 %: 33 to 35, in the median 50 ms; n = 12 objects)`, or that no difference is shown. */
function clauseOf(of: JudgedDifference, words: ClauseWords, within: string): string {
  const { size, range } = percentsOf(of);
  const units = unitsText(of, of.isRuled ? "block" : of.unit);
  const word = of.ratio <= 1 ? words.less : words.more;
  const median = `in the median ${formatTime(Math.abs(of.median_ms))}`;
  switch (of.shown) {
    case "unknown":
      return `${words.was} ${size} % ${word} (${median}; ${units})`;
    case "equal":
      return `${words.none}: equal ${within} ${equalEvidence(of, `${range} % ${word}`, "block")}`;
    case "none":
      return isProbable(of)
        ? `${words.probably} ${size} % ${word} (95 %: ${range}, ${median}; ${units})`
        : `${words.none}: no difference shown (95 %: ${range} % ${word}; ${units})`;
    default:
      return `${words.is} ${size} % ${word} (95 %: ${range}, ${median}; ${units})`;
  }
}

type JudgedDifference = TimeDifference & Judged;

interface ClauseWords {
  readonly is: string;
  readonly was: string;
  readonly probably: string;
  /** `faster than h2` */
  readonly less: string;
  readonly more: string;
  readonly none: string;
}

function sentenceOf({ one, other, connect, firstByte, byDownload }: JudgedPlaces, within: string): string {
  const ofConnection = {
    ...{ is: `${one} connects`, was: `${one} connected`, probably: `${one} probably connects` },
    ...{ less: `faster than ${other}`, more: `slower than ${other}`, none: `${one} against ${other}, to connect` },
  };
  const ofTime = byDownload
    ? {
        ...{ is: "its download takes", was: "its download took", probably: "its download probably takes" },
        ...{ less: "less time", more: "more time", none: "in the download" },
      }
    : {
        ...{ is: "its first byte comes", was: "its first byte came", probably: "its first byte probably comes" },
        ...{ less: "sooner", more: "later", none: "to the first byte" },
      };
  const first = clauseOf(connect, ofConnection, within);
  const second = clauseOf(firstByte, ofTime, within);
  return `${first}; ${second}.`;
}

interface Compared<Difference extends TimeDifference = TimeDifference> {
  readonly where: string;
  readonly one: string;
  readonly other: string;
  readonly connect: Difference;
  /** With `byDownload` of the whole object's time in place of the first byte's. */
  readonly firstByte: Difference;
  readonly byDownload: boolean;
}

type JudgedPlaces = Compared<JudgedDifference>;

/**
 * The answer first, over what the cells' objects were fetched over. Empty where there is nothing to compare. `until`: the plan's rule, which
 * decides the second time of each comparison.
 */
export function fetchVerdict(
  cells: readonly (FetchPlace | FetchCell)[],
  fetches: readonly StoredFetch[],
  { until }: Pick<StoredFetchPlan, "until"> = {},
): string[] {
  const places = distinctPlaces(cells);
  const byPlace = Map.groupBy(fetches, placeKey);
  const links = new Set(places.map(({ link }) => link));
  const versions = new Set(places.map(({ ip }) => ip));
  const rule = until ? ruledFetches(cells as readonly FetchCell[]).comparisons : [];
  const all = comparedPlaces(places).flatMap((compared, index) => {
    const { one, other } = compared;
    const of = (place: FetchPlace): readonly StoredFetch[] => byPlace.get(placeKey(place)) ?? [];
    const difference = (time: ComparedTime) => timeDifference(of(one), of(other), time);
    const time = comparedTime(compared);
    const [connect, firstByte] = [difference("established_ms"), difference(time)];
    if (!connect || !firstByte) return [];
    const where = [
      ...(links.size > 1 ? [one.link ?? ""] : []),
      ...(versions.size > 1 && one.ip === other.ip ? [`IPv${one.ip}`] : []),
    ].join(", ");
    const names = { one: nameOf(one, other, places), other: nameOf(other, one, places) };
    const ruled = rule[index] ? pairsOf(rule[index], fetches) : null;
    return [{ where, ...names, connect, firstByte, byDownload: time === "download_ms", ruled }];
  });
  const most = all.some(({ connect }) => connect.interval !== null)
    ? mostShown(all.some(({ byDownload }) => byDownload))
    : mostWithoutInterval;
  const mentioned = all.slice(0, most);
  const judged = judgeTogether(
    mentioned.flatMap(({ connect, firstByte, ruled }) => [
      { found: connect, ruled: null },
      { found: firstByte, ruled },
    ]),
    until,
  );
  const sentences = mentioned.map((each, index) => {
    const [connect, firstByte] = judged.slice(2 * index) as [Judged, Judged];
    const placed = {
      ...each,
      connect: { ...each.connect, ...connect },
      firstByte: { ...each.firstByte, ...firstByte },
    };
    const sentence = sentenceOf(placed, withinWords(until));
    return each.where === "" ? sentence : `${each.where}: ${sentence}`;
  });
  const note = surenessNote(judged, "fetches");
  return note === null ? sentences : [...sentences, note];
}

/** Of all fetches of a sweep. */
export const fetchStopping = (
  { plan, finished_at }: Pick<FetchSweep, "plan" | "finished_at">,
  cells: readonly FetchCell[],
  fetches: readonly StoredFetch[],
  isFinished = finished_at !== null,
): StoppingOf<RuledFetch> => ({
  ...{ plan, isFinished, ruled: ruledFetches(cells) },
  attempts: timedAttempts(fetches, plan.repetitions),
  noun: ["fetch", "fetches"],
});
