// Whether a fetch in a lab was over the planned link: for how long the machine held it up meanwhile. Pure. An object that did
// not come is no invalid fetch: its record says why.
import type { FetchRecord } from "../../../../schemas/generated/fetch_record.ts";
import type { ShaperReport } from "../../../../schemas/generated/shaper_report.ts";
import { disturbedRun } from "../../../load/disturbance.ts";
import type { FetchPlan } from "../plan/plan.ts";
import { connectTimeout_s } from "./client_words.ts";

/** What was waited for in vain is part of it: a link that stood still lets nothing come that would say how long. */
function lasted_ms(record: FetchRecord, timeout_s: number): number {
  const { download_ms, first_byte_ms, established_ms, connect_ms, error } = record;
  if (error?.stage === "timeout")
    return 1000 * (established_ms === null ? Math.min(timeout_s, connectTimeout_s) : timeout_s);
  return Math.max(download_ms ?? 0, first_byte_ms ?? 0, established_ms ?? 0, connect_ms ?? 0);
}

/** From the connection's start to the last that came of the object, or to the time-out; null: there was no connection. */
function windowOf(record: FetchRecord, timeout_s: number) {
  const { start_ns } = record;
  return start_ns === null ? null : { start_ns, end_ns: start_ns + lasted_ms(record, timeout_s) * 1e6 };
}

/** Empty for a fetch that counts. `tolerance`: relative to its length. */
export function disturbedReasons(
  record: FetchRecord,
  report: Pick<ShaperReport, "overdue">,
  { tolerance, timeout_s }: Pick<FetchPlan, "tolerance" | "timeout_s">,
): string[] {
  const window = windowOf(record, timeout_s);
  return window === null ? [] : [disturbedRun(report, window, tolerance)].filter((reason) => reason !== null);
}
