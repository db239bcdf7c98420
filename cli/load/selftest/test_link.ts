// Measures one link and judges it: again where a row was out or this machine too slow, since another program's moment is
// no fault of the link.
import { setTimeout as delay } from "node:timers/promises";
import type { SelftestLink } from "../../../schemas/generated/selftest.ts";
import { formatLink, type LinkProfile } from "../../link/link.ts";
import { formatRow, linkIsOut } from "./format.ts";
import { judge, machineReasons } from "./judge.ts";
import { measureLink } from "./measure.ts";
import type { Effort } from "./phases.ts";

/** A link that is out so often is out. */
const mostMeasurements = 3;

interface LinkTestOptions {
  readonly signal?: AbortSignal;
  /** Before the second measurement and before the third, for what disturbed the machine to pass. */
  readonly pauses_ms?: readonly number[];
}

export async function testLink(
  link: LinkProfile,
  effort: Effort,
  { signal, pauses_ms = [] }: LinkTestOptions = {},
): Promise<SelftestLink> {
  let wall_ms = 0;
  for (let measurements = 1; ; measurements++) {
    const record = await measureLink(link, effort, signal);
    const rows = judge(link, record);
    const outcome = rows.some((row) => row.outcome === "out") ? "out" : "within";
    wall_ms += record.wall_ms;
    const again = outcome === "out" || rows.some(({ reason }) => reason !== null && machineReasons.includes(reason));
    if (again && measurements < mostMeasurements) {
      await delay(pauses_ms[measurements - 1] ?? 0, undefined, signal ? { signal } : {});
      continue;
    }
    const scheduling = record.shaper?.scheduling ?? null;
    return { link: formatLink(link), outcome, measurements, scheduling, wall_ms: Math.round(wall_ms), rows };
  }
}

/** Why loads on a link do not count: the rows that are out; null where none is. */
export function faultOf({ rows, outcome }: SelftestLink): string | null {
  if (outcome === "within") return null;
  const out = rows.filter((row) => row.outcome === "out").map(formatRow);
  return `${linkIsOut}: ${out.join("; ")}`;
}
