// What a study of fetched objects found beside ours, figure by figure, with its 95 % interval over repetitions. Pure.
import { hashText, randomSource } from "../../../base/random.ts";
import { formatLink, parseLink } from "../../../link/link.ts";
import { comparedNumber } from "../../../results/studies/compared_number.ts";
import type { ComparedNumber } from "../../../results/studies/study.ts";
import { callsOf, kindShare } from "../answer/call_shares.ts";
import { type Fetched, variantKey } from "../metrics/fetched.ts";
import { quantities } from "../metrics/quantities.ts";
import type { FetchFigure, FetchMeasure, FetchPlace, FetchStudy } from "./fetch_study.ts";

function measuredIn(fetched: Fetched, measure: FetchMeasure): number | null {
  if (measure.of === "quantity") return quantities[measure.quantity].value(fetched);
  const calls = callsOf(fetched, measure.end);
  return calls ? kindShare(calls, measure.kind) : null;
}

function fetchesAt(fetched: readonly Fetched[], place: FetchPlace): Fetched[] {
  const form = formatLink(parseLink(place.link));
  return fetched.filter(
    (each) => each.object === place.object && each.link === form && variantKey(each) === variantKey(place),
  );
}

/** Of each repetition the value; NaN: it has none. */
function byBlock(fetched: readonly Fetched[], place: FetchPlace, blocks: number): Float64Array {
  const values = new Float64Array(blocks).fill(Number.NaN);
  for (const each of fetchesAt(fetched, place)) {
    const value = measuredIn(each, place.measure);
    if (value !== null) values[each.block] = value;
  }
  return values;
}

/** Fetches that were counted say nothing of times, and others nothing of calls. */
export interface StudiedFetches {
  readonly timed: readonly Fetched[];
  readonly counted: readonly Fetched[];
}

/** Of the study's figures those whose objects were fetched as they ask. */
export function comparedFetchFigures(
  study: FetchStudy,
  { timed, counted }: StudiedFetches,
  seed: number,
): ComparedNumber<FetchFigure>[] {
  return study.figures.flatMap((figure) => {
    const of = figure.measure.of === "calls" ? counted : timed;
    const blocks = 1 + Math.max(0, ...of.map(({ block }) => block));
    const places = [figure, ...(figure.over ? [figure.over] : [])];
    if (places.some((place) => fetchesAt(of, place).length === 0)) return [];
    const [values, below] = places.map((place) => byBlock(of, place, blocks));
    if (!values) return [];
    const random = randomSource(seed, `${figure.what} ${hashText(`${figure.object} ${figure.link}`)}`);
    return [comparedNumber(figure, values, below, random)];
  });
}
