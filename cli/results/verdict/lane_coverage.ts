// Whether two lanes loaded the same page: of one page on one link, whether the valid loads of both requested as much of the
// recording. Lanes that did not are not compared, since the one that requested less was not faster by its protocol. Pure.

import { median } from "../../base/quantile.ts";
import { coverageBounds, percentDown } from "../../load/metrics/coverage.ts";
import type { LanePair, ValidSample } from "./sample.ts";

/** Median shares of both lanes, from 0 to 1, where they differ by more than lanes may. */
export interface CoverageGap {
  readonly what: "requests" | "bytes";
  readonly lane: number;
  readonly over: number;
}

type Covered = Pick<ValidSample, "coverage_requests" | "coverage_bytes">;

/** Shares are quotients: what is reported as the same difference is the same. */
const rounding = 1e-9;

/** Valid loads of one page on one link. Null also where a lane has none, or none that shows its coverage. */
export function coverageGap(lane: readonly Covered[], over: readonly Covered[]): CoverageGap | null {
  for (const what of ["requests", "bytes"] as const) {
    const shares = [lane, over].map((loads) => loads.flatMap((load) => load[`coverage_${what}`] ?? []));
    const [ofLane = [], ofOver = []] = shares;
    if (ofLane.length === 0 || ofOver.length === 0) continue;
    const gap = { what, lane: median(ofLane), over: median(ofOver) };
    if (Math.abs(gap.lane - gap.over) > coverageBounds.betweenLanes + rounding) return gap;
  }
  return null;
}

/** `h3 and h1 are not compared: h3 asked for 100 % of the recorded requests, h1 for 62.1 %`. No full stop. */
export function gapClause({ lane, over }: LanePair, gap: CoverageGap): string {
  const of = gap.what === "requests" ? "the recorded requests" : "the recorded bytes";
  return `${lane} and ${over} are not compared: ${lane} asked for ${percentDown(gap.lane)} of ${of}, ${over} for ${percentDown(gap.over)}`;
}
