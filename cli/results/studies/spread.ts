// How much loads of one page on one link vary, beside a study's figure: standard deviation over mean of page load times. Pure.
import { type Interval, minimumUnits } from "../../base/interval.ts";
import { coefficientOfVariation } from "../../base/quantile.ts";
import { randomSource } from "../../base/random.ts";
import { formatLink, parseLink } from "../../link/link.ts";
import { resampledInterval } from "../stats/bootstrap.ts";
import { isValid, type Sample } from "../verdict/sample.ts";
import type { Agreement, PublishedSpread, Study } from "./study.ts";

export interface ComparedSpread {
  readonly published: PublishedSpread;
  /** Standard deviation over mean; null: of fewer than two loads. */
  readonly variation: number | null;
  /** 95 %, resampled over loads; null with fewer than five. */
  readonly interval: Interval | null;
  readonly loads: number;
  readonly agreement: Agreement;
}

/** Below what the study set its own beside, as the study's is; or above. */
function agreementOf(interval: Interval | null, loads: number, less_than: number): Agreement {
  if (loads === 0) return "not loaded";
  if (interval === null) return "undecided";
  if (interval.high < less_than) return "agrees";
  return interval.low > less_than ? "differs" : "undecided";
}

function spreadOf(times_ms: readonly number[], seed: number, lane: string) {
  if (times_ms.length < 2) return { variation: null, interval: null };
  const interval = resampledInterval(
    (random) => coefficientOfVariation(times_ms.map(() => times_ms[Math.floor(random() * times_ms.length)] as number)),
    randomSource(seed, `spread of ${lane}`),
  );
  return { variation: coefficientOfVariation(times_ms), interval: times_ms.length < minimumUnits ? null : interval };
}

/** Of the published spreads those whose page was loaded over that lane and link. */
export function comparedSpreads({ spreads = [] }: Study, loads: readonly Sample[], seed: number): ComparedSpread[] {
  return spreads.flatMap((published) => {
    const link = formatLink(parseLink(published.link));
    const tried = loads.filter(
      (load) => load.link === link && load.lane === published.lane && load.page === published.page,
    );
    if (tried.length === 0) return [];
    const times_ms = tried.filter(isValid).map(({ plt_ms }) => plt_ms);
    const { variation, interval } = spreadOf(times_ms, seed, published.lane);
    const agreement = agreementOf(interval, times_ms.length, published.less_than);
    return [{ published: { ...published, link }, variation, interval, loads: times_ms.length, agreement }];
  });
}
