// What one object cost its server in a lab: the connection of trilane-replay's report that the object came over. Pure.

import type { ProcessCost } from "../../../../schemas/generated/fetch_cost.ts";
import type { FetchRecord } from "../../../../schemas/generated/fetch_record.ts";
import type { ReplayConnection } from "../../../../schemas/generated/replay_report.ts";

type Connection = Pick<ReplayConnection, "lane" | "local_address" | "local_port" | "opened_ns" | "cost">;

/** A lab's two ends have one clock: the connection is the first one of the lane's protocol that was opened once the object's had begun. */
export function serverCost(
  connections: readonly Connection[],
  { start_ns, lane, reused }: Pick<FetchRecord, "start_ns" | "lane" | "reused">,
): { readonly cost: ProcessCost } | { readonly missing: string } {
  if (start_ns === null) return { missing: "no connection was begun" };
  if (reused) return { missing: "its connection had others’ objects, too" };
  const [protocol = ""] = lane.split("-");
  const own = connections
    .filter((each) => each.lane === protocol && each.opened_ns >= start_ns)
    .sort((a, b) => a.opened_ns - b.opened_ns)[0];
  if (!own) return { missing: "the server had no connection for it" };
  return own.cost ? { cost: own.cost } : { missing: "the server did not say" };
}
