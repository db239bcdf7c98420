// What a flow is, in words for labels: its transport, controller and pacing; not when, how much or which way.
import type { Flow } from "../../../../schemas/generated/flow.ts";

/** `tcp:cubic,paced`: the beginning of a flow's own words (cli/link/flows). */
export function kindWords({ transport, congestion, paced }: Pick<Flow, "transport" | "congestion" | "paced">): string {
  return `${transport}:${congestion}${paced ? ",paced" : ""}`;
}
