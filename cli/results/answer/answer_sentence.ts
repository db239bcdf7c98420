// The one sentence that answers a race or a sweep for a pair of lanes: which is faster, by how many milliseconds and per cent, how sure,
// and where. Where loads stopped once lanes were decided, it is the decision, or how many there were of each.
// Pure: a comparison in, text out, for terminal and report alike. Compares nothing itself: cli/results/verdict does.
import { type Interval, minimumUnits } from "../../base/interval.ts";
import { laneName } from "../../base/lanes.ts";
import { count, formatPercents, percentRange, sentenceTime } from "../../base/numbers.ts";
import { percentDown } from "../../load/metrics/coverage.ts";
import { direction, type Improvement, limitOf } from "../verdict/comparison.ts";
import { decisionCounts } from "../verdict/load_stopping_outcome.ts";
import type { PairDecision } from "../verdict/load_stopping_rule.ts";
import { equivalence_percent, isEquivalent, isProbable, surenessSentence, whyAtMost } from "../verdict/verdict.ts";

export interface Compared {
  readonly improvement: Improvement;
  /** Median over pages on links of (median of `over` - median of `lane`), ms; null: none has both. */
  readonly saved_ms: number | null;
  /** `shop (10 Mbit/s, 50 ms RTT)`, `12 pages across 20 links`; null: it was said just before. */
  readonly where: string | null;
  /** That there is no verdict yet, for this reason (whyNoVerdict), was said just before; null: it was not. */
  readonly open: string | null;
  /** Of the pages, how many are models of others. */
  readonly modelled: number;
  readonly dilation: number;
  /** On how many of several links a difference is shown, corrected together; null: there is one link. */
  readonly byLink: LinksShown | null;
  /** Null: how many loads there are was fixed before. */
  readonly decided: Decided | null;
}

/** Of a pair whose loads stopped once it was decided (`--decide`). */
export interface Decided {
  /** The plan wants lanes distinguished, or shown to be equal within so many per cent. */
  readonly margin_percent: number;
  /** One for each page on a link. */
  readonly places: readonly PairDecision[];
}

export interface LinksShown {
  readonly faster: number;
  readonly slower: number;
  readonly all: number;
}

/** ` on the modelled page shop (10 Mbit/s, 50 ms RTT), time dilated 5 times`; empty where it was said just before. */
function placeWords({ where, modelled, dilation, improvement }: Compared): string {
  if (where === null) return "";
  const page =
    modelled === 0 ? where : improvement.pages > 1 ? `${where} (${modelled} modelled)` : `the modelled page ${where}`;
  return ` on ${dilation === 1 ? page : `${page}, time dilated ${dilation} times`}`;
}

/** `111 ms (12 %, 95 % CI 10 to 17 %)`: of the faster lane. Without milliseconds where they point the other way, as a few pages may. */
function savedWords(percent: number, compared: Compared, isTurned: boolean): string {
  const { interval } = compared.improvement;
  const saved_ms = (compared.saved_ms ?? 0) * (isTurned ? -1 : 1);
  const ends = interval && (isTurned ? { low: -interval.high, high: -interval.low } : interval);
  const text = formatPercents(percent, ends);
  const range = ends === null ? null : `95 % CI ${endsWords(text)}`;
  const limit = limitOf(compared.improvement);
  const limited = limit === null ? "" : `${limit} `;
  if (saved_ms > 0)
    return `${limited}${sentenceTime(saved_ms)} (${text.percent} %${range === null ? "" : `, ${range}`})`;
  return `${limited}${text.percent} %${range === null ? "" : ` (${range})`}`;
}

/** `10 to 17 %`; `from 10 %` or `up to 17 %` if an end is not known. */
function endsWords({ low, high }: ReturnType<typeof formatPercents>): string {
  if (low === "") return `up to ${high} %`;
  return high === "" ? `from ${low} %` : `${low} to ${high} %`;
}

/** `HTTP/3 saves 111 ms (12 %, 95 % CI 10 to 17 %)`, or takes as much longer. */
function gainWords(percent: number, compared: Compared, than = ""): string {
  const lane = laneName(compared.improvement.pair.lane);
  const saved = savedWords(Math.abs(percent), compared, percent < 0);
  return percent < 0
    ? `${lane} takes ${saved} longer${than && ` than ${than}`}`
    : `${lane} saves ${saved}${than && ` over ${than}`}`;
}

/** What was not shown: a range with 0 in it, or one so narrow that no one acts on it. */
function notShown(compared: Compared, percent: number, interval: Interval): string {
  const { improvement } = compared;
  const { pair } = improvement;
  const [lane, over, place] = [laneName(pair.lane), laneName(pair.over), placeWords(compared)];
  const text = formatPercents(percent, interval);
  if (isEquivalent(interval))
    return `${lane} and ${over} are equally fast${place}: they differ by less than ${equivalence_percent} % (95 % CI ${percentRange(text, " %")}).`;
  const links = linksWords(compared);
  if (isProbable(improvement) && links === null) {
    const saved = savedWords(Math.abs(percent), compared, percent < 0);
    const which = percent < 0 ? `slower than ${over}${place}: by ${saved}` : `faster than ${over}${place}: ${saved}`;
    return `${lane} is probably ${which}. ${surenessSentence(improvement)}`;
  }
  const found =
    limitOf(improvement) === "at most"
      ? `${gainWords(percent, compared)}, because ${whyAtMost(improvement, laneName)}`
      : `the 95 % CI is ${percentRange(text, " %")}`;
  if (links !== null) return `${links}; over all of them no difference is shown${place && `,${place}`}: ${found}.`;
  return `No difference shown between ${lane} and ${over}${place}: ${found}.`;
}

/**
 * Equal within what was planned. A difference that is shown all the same is reported, since it is one that the asker called small. The first
 * look may show as much and have no interval.
 */
function equalSentence(compared: Compared, margin_percent: number, percent: number): string {
  const { pair, interval } = compared.improvement;
  const { lane, over } = pair;
  const equal = `${laneName(lane)} and ${laneName(over)} are equal within ${margin_percent} %${placeWords(compared)}`;
  if (interval === null) return `${equal}.`;
  if (interval.low > 0 || interval.high < 0)
    return `${equal}: ${laneName(percent < 0 ? over : lane)} saves ${savedWords(Math.abs(percent), compared, percent < 0)}.`;
  return `${equal}: the 95 % CI is ${percentRange(formatPercents(percent, interval), " %")}.`;
}

/** Several pages on links, each of which stopped by itself: how many were decided which way, and what all loads together say. */
function decisionsSentence(compared: Compared, { margin_percent, places }: Decided, percent: number): string {
  const { pair, interval } = compared.improvement;
  const [lane, over] = [laneName(pair.lane), laneName(pair.over)];
  const counts = decisionCounts({ lane, over }, places, margin_percent, placeWords(compared));
  if (interval === null) return `${counts}.`;
  const ends = `(95 % CI ${endsWords(formatPercents(percent, interval))})`;
  const pooled =
    direction(compared.improvement) !== "unclear"
      ? gainWords(percent, compared)
      : limitOf(compared.improvement) === "at most"
        ? `no difference is shown: ${gainWords(percent, compared)}, because ${whyAtMost(compared.improvement, laneName)}`
        : isEquivalent(interval)
          ? `they differ by less than ${equivalence_percent} % ${ends}`
          : `no difference is shown ${ends}`;
  return `${counts}. Over all of them ${pooled}, by loads that stopped because of what they showed.`;
}

/** `HTTP/3 is faster than HTTP/2 on 4 of 5 links and slower on 1`: where links differ so much that over all of them nothing is shown. */
function linksWords({ improvement, byLink }: Compared): string | null {
  if (byLink === null || byLink.faster + byLink.slower === 0) return null;
  const { faster, slower, all } = byLink;
  const [lane, over] = [laneName(improvement.pair.lane), laneName(improvement.pair.over)];
  const [word, times] = faster > 0 ? ["faster", faster] : ["slower", slower];
  const also = faster > 0 && slower > 0 ? ` and slower on ${slower}` : "";
  return `${lane} is ${word} than ${over} on ${times} of ${count(all, "link")}${also}`;
}

/** `3 of at least 5 runs per lane`; null: there is a verdict, or nothing is compared. */
export function whyNoVerdict({ improvement, decided }: Pick<Compared, "improvement" | "decided">): string | null {
  const { n, pages, links, percent, interval } = improvement;
  const { places: [only, second] = [] } = decided ?? {};
  if (percent === null || interval !== null || second || only?.decision === "equivalent") return null;
  const fewest = Math.min(n.lane, n.over);
  const isFixed = decided === null && pages === 1 && links === 1 && fewest < minimumUnits;
  return isFixed ? `${fewest} of at least ${minimumUnits} runs per lane` : "too few runs";
}

/** `No verdict yet on shop (3g): 3 of at least 5 runs per lane. (So far HTTP/3 is 19 ms behind HTTP/2.)` */
function notYet(compared: Compared, percent: number): string {
  const { improvement, saved_ms, where, open } = compared;
  const { pair } = improvement;
  const runs = whyNoVerdict(compared) ?? "too few runs";
  const [lane, over] = [laneName(pair.lane), laneName(pair.over)];
  const ahead_ms = saved_ms ?? 0;
  const isSameWay = Math.sign(ahead_ms) === Math.sign(percent) && ahead_ms !== 0;
  const by = isSameWay ? sentenceTime(Math.abs(ahead_ms)) : `${formatPercents(Math.abs(percent), null).percent} %`;
  const limit = limitOf(improvement);
  const found =
    percent === 0
      ? `${lane} is as fast as ${over}`
      : `${lane} is ${limit === null ? "" : `${limit} `}${by} ${percent > 0 ? "ahead of" : "behind"} ${over}`;
  if (where === null && open === runs) return `So far ${found}.`;
  return `No verdict yet${placeWords(compared)}: ${runs}. (So far ${found}.)`;
}

/** With a capital and a full stop. */
export function answerSentence(compared: Compared): string {
  const { improvement } = compared;
  const { percent, interval, pair, gap } = improvement;
  const [lane, over, place] = [laneName(pair.lane), laneName(pair.over), placeWords(compared)];
  if (percent === null) {
    if (!gap) return `${lane} and ${over} cannot be compared${place}: ${improvement.reason}.`;
    const of = gap.what === "requests" ? "requests" : "bytes";
    return `${lane} and ${over} cannot be compared${place}: they loaded different pages. ${lane} asked for ${percentDown(gap.lane)} of the recorded ${of}, ${over} for ${percentDown(gap.over)}.`;
  }
  const { decided } = compared;
  const { places: [only, second] = [], margin_percent = equivalence_percent } = decided ?? {};
  if (decided && second) return decisionsSentence(compared, decided, percent);
  if (only?.decision === "equivalent") return equalSentence(compared, margin_percent, percent);
  if (interval === null) return notYet(compared, percent);
  // What was decided at one place is what is said; its figures are those of the look that decided.
  switch (only?.decision ?? direction(improvement)) {
    case "faster":
    case "slower":
      return `${gainWords(percent, compared, over)}${place}.`;
    case "undecided":
      return `${lane} against ${over} is undecided${place}: no difference is shown, nor that they are equal within ${margin_percent} % (95 % CI ${endsWords(formatPercents(percent, interval))}).`;
    default:
      return notShown(compared, percent, interval);
  }
}
