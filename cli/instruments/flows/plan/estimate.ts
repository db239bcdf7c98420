// How long runs will take, and what they will store. A guess for dry runs and progress, never a result.
import type { Flow } from "../../../../schemas/generated/flow.ts";
import type { LinkProfile } from "../../../../schemas/generated/link_profile.ts";
import { countFlows } from "../../../link/flows/mix.ts";
import { guessWall_ms, type PageSize } from "../../../sweep/plan/estimate.ts";
import type { FlowPlan, PlannedFlowCell } from "./plan.ts";

/** The lab made and removed, reports and samples read. */
const perRun_ms = 700;
/** Headers and packets around what the application sends. */
const overhead = 1.08;

/** When a flow ends, on the run's clock, if it has the link for itself. */
function end_ms({ start_s, for_s, size_bytes, direction, count }: Flow, link: LinkProfile, limit_ms: number): number {
  const { rate_bps } = link[direction];
  const sent_ms =
    size_bytes === null
      ? Number.POSITIVE_INFINITY
      : rate_bps === null
        ? 0
        : (size_bytes * count * overhead * 8000) / rate_bps + 3 * link.rtt_ms;
  const wanted_ms = for_s === null ? Number.POSITIVE_INFINITY : for_s * 1000;
  return Math.min(limit_ms, start_s * 1000 + Math.min(sent_ms, wanted_ms));
}

/** Wall time of one run. `page`: how large the plan's page is, if it has one and that is known. */
export function guessRun_ms(
  plan: FlowPlan,
  { flows, link_profile }: PlannedFlowCell,
  page: PageSize | null = null,
): number {
  const limit_ms = plan.for_s * 1000;
  if (plan.page !== undefined) {
    const load_ms = page === null ? limit_ms : guessWall_ms(page, link_profile);
    return perRun_ms + Math.min(limit_ms, (plan.page_start_s ?? 0) * 1000 + load_ms);
  }
  return perRun_ms + Math.max(...flows.map((flow) => end_ms(flow, link_profile, limit_ms)));
}

/** A run's stored series, thinned and compressed: at most so many ticks of each flow and end. */
const mostTicks = 2000;
const perTick_bytes = 25;
const perStoredRun_bytes = 6000;

/** A guess at what a stored run takes on the disk. */
export function guessStored_bytes(plan: FlowPlan, { flows }: PlannedFlowCell): number {
  const ticks = Math.min(mostTicks, (plan.for_s * 1000) / plan.sample_ms);
  return perStoredRun_bytes + countFlows(flows) * ticks * 2 * perTick_bytes;
}
