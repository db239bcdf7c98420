// How steady the loads of each cell are: their coefficient of variation, whether they drift over the sweep's time, which lie far from
// the others. Over many cells some drift by chance, so their probabilities are corrected (Holm). Leaves nothing out; the tests of one
// cell are stability.ts's.

import { coefficientOfVariation, median } from "../../base/quantile.ts";
import { correctedTogether, significanceLevel } from "../stats/multiplicity.ts";
import { drift, outliers } from "../stats/stability.ts";
import { isValid, type Sample, type ValidSample } from "./sample.ts";

export interface CellSteadiness<Load extends Sample> {
  readonly page: string;
  readonly link: string;
  readonly lane: string;
  /** Valid loads. */
  readonly n: number;
  /** Standard deviation over mean; null with fewer than two. */
  readonly variation: number | null;
  /** From the first load to the last, in per cent of the median, and its corrected probability; null with fewer than eight. */
  readonly drift: { readonly percent: number; readonly probability: number } | null;
  readonly farAway: readonly Load[];
}

export const drifts = ({ drift: found }: Pick<CellSteadiness<Sample>, "drift">): boolean =>
  found !== null && found.probability <= significanceLevel;

/** Every cell that has a valid load; `loads` in the order in which they came. */
export function steadinessOf<Load extends Sample>(loads: readonly Load[]): CellSteadiness<Load>[] {
  const cells = [
    ...Map.groupBy(
      loads.filter((load): load is Load & ValidSample => isValid(load)),
      ({ page, link, lane }) => JSON.stringify([page, link, lane]),
    ).values(),
  ].map((group) => {
    const plts_ms = group.map(({ plt_ms }) => plt_ms);
    const found = drift(plts_ms);
    return { group, plts_ms, found, probability: found?.probability ?? null };
  });
  return correctedTogether(cells).map(({ group, plts_ms, found, probability }) => {
    const [{ page, link, lane }] = group as [Load, ...Load[]];
    return {
      ...{ page, link, lane, n: group.length },
      variation: plts_ms.length > 1 ? coefficientOfVariation(plts_ms) : null,
      drift:
        found && probability !== null
          ? { percent: ((found.perLoad * (plts_ms.length - 1)) / median(plts_ms)) * 100, probability }
          : null,
      farAway: outliers(plts_ms).map((index) => group[index] as Load),
    };
  });
}
