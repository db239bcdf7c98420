// How a report says that loads shared their link with bulk flows. Words only; what became of the flows is cross_traffic.ts's.
import type { PlanCrossTraffic, SweepPlan } from "../../schemas/generated/sweep_plan.ts";
import { mixWords, readMix } from "../link/flows/mix.ts";

/** `tcp:bbr + 4*quic:cubic@2s,up, from 5 s before each page until its load ended`. */
export function trafficWords({ flows, page_start_s = 5 }: PlanCrossTraffic): string {
  return `${mixWords(readMix(flows, null))}, from ${page_start_s} s before each page until its load has ended`;
}

/** Null for a plan whose loads had their link for themselves. */
export function trafficSentence({ cross_traffic }: Pick<SweepPlan, "cross_traffic">): string | null {
  return cross_traffic ? `Every load shared its link with cross traffic: ${trafficWords(cross_traffic)}.` : null;
}
