// What a study of fetched objects found beside ours, figure by figure, with its 95 % interval over repetitions. Pure.
import { formatLink, parseLink } from "../../../link/link.ts";
import { comparedNumbers } from "../../../results/studies/compared_number.ts";
import type { ComparedNumber } from "../../../results/studies/study.ts";
import { callsOf, kindShare } from "../answer/call_shares.ts";
import type { FetchesByPurpose } from "../answer/summary.ts";
import { type Fetched, variantKey } from "../metrics/fetched.ts";
import { quantities } from "../metrics/quantities.ts";
import type { FetchFigure, FetchMeasure, FetchStudy } from "./fetch_study.ts";

function measuredIn(fetched: Fetched, measure: FetchMeasure): number | null {
  if (measure.of === "quantity") return quantities[measure.quantity].value(fetched);
  const calls = callsOf(fetched, measure.end);
  return calls ? kindShare(calls, measure.kind) : null;
}

/** Of the study's figures those whose objects were fetched as they ask. */
export function comparedFetchFigures(
  study: FetchStudy,
  { timed, counted }: FetchesByPurpose,
  seed: number,
): ComparedNumber<FetchFigure>[] {
  // Fetches that were counted say nothing of times, and others nothing of calls.
  const fetchesFor = ({ measure }: FetchFigure) => (measure.of === "calls" ? counted : timed);
  return comparedNumbers(
    study,
    seed,
    (figure) => 1 + Math.max(0, ...fetchesFor(figure).map(({ block }) => block)),
    (place, figure) => {
      const link = formatLink(parseLink(place.link));
      return fetchesFor(figure)
        .filter((each) => each.object === place.object && each.link === link && variantKey(each) === variantKey(place))
        .map((each) => [each.block, measuredIn(each, place.measure)]);
    },
    ({ object }) => object,
  );
}
