// The critical paths of two lanes as the results have them: of each page on a link the loads nearest to their lane's median, so
// that what differs between them is what differs between the medians. Reads page loads; bounded, since each is a whole HAR.
import { median } from "../../base/quantile.ts";
import { meanEvidence, type PathEvidence, pathEvidence } from "../../load/metrics/path_evidence.ts";
import type { Load, Results } from "../store/results.ts";
import { isMedianOut, isValid, type LanePair, type Sample, timedOut } from "../verdict/sample.ts";
import type { CellEvidence } from "./why.ts";

/** Page loads read for an answer, of both lanes: half a second or so. */
const mostRead = 80;
/** Of one lane of one page on one link. */
const mostOfCell = 5;

/** The valid loads nearest to their lane's median, the nearest first; none where so many timed out that it is only a lower bound. */
export function nearestToMedian<T extends Sample>(loads: readonly T[], most: number): T[] {
  const valid = loads.filter(isValid) as (T & { plt_ms: number })[];
  const out = loads.filter(timedOut).length;
  if (valid.length === 0 || isMedianOut(valid.length + out, out)) return [];
  const middle_ms = median([...valid.map(({ plt_ms }) => plt_ms), ...Array<number>(out).fill(Number.MAX_VALUE)]);
  return valid.toSorted((a, b) => Math.abs(a.plt_ms - middle_ms) - Math.abs(b.plt_ms - middle_ms)).slice(0, most);
}

/** Of pages on links that have valid loads of both lanes; of many those spread over them evenly. */
export function storedEvidence(
  results: Pick<Results, "harOf">,
  loads: readonly Load[],
  pair: LanePair,
): CellEvidence[] {
  const ofPair = loads.filter(({ lane }) => lane === pair.lane || lane === pair.over);
  const cells = [...Map.groupBy(ofPair, ({ page, link }) => JSON.stringify([page, link])).values()].filter((of) =>
    [pair.lane, pair.over].every((lane) => of.some((load) => load.lane === lane && isValid(load))),
  );
  const step = Math.max(1, Math.ceil((2 * cells.length) / mostRead));
  const looked = cells.filter((_, index) => index % step === 0);
  const each = Math.max(1, Math.min(mostOfCell, Math.floor(mostRead / (2 * Math.max(1, looked.length)))));
  const evidenceOf = (of: readonly Load[], lane: string): PathEvidence | null =>
    meanEvidence(
      nearestToMedian(
        of.filter((load) => load.lane === lane),
        each,
      ).flatMap(({ id }) => pathEvidence(results.harOf(id)) ?? []),
    );
  return looked.flatMap((of) => {
    const [lane, over] = [evidenceOf(of, pair.lane), evidenceOf(of, pair.over)];
    return lane && over ? [{ lane, over }] : [];
  });
}
