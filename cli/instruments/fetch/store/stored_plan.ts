// A plan of fetches as it is stored, with its defaults filled in, and its sweeps.
import type { FetchLabel, FetchPlanDocument } from "../../../../schemas/generated/fetch_plan.ts";
import type { FetchIp, FetchTls } from "../../../../schemas/generated/fetch_record.ts";
import type { PlanLink } from "../../../../schemas/generated/sweep_plan.ts";
import type { SweepKind, SweepOf } from "../../../results/store/results.ts";

export interface StoredFetchPlan extends Omit<FetchPlanDocument, "objects" | "tls" | "ip" | "lanes" | "links"> {
  readonly objects: readonly string[];
  readonly lanes: readonly FetchLabel[];
  readonly tls: readonly FetchTls[];
  readonly ip: readonly FetchIp[];
  /** Absent: the network as it is. */
  readonly links?: readonly PlanLink[];
}

export type FetchSweep = SweepOf<"fetches", StoredFetchPlan>;

export const fetchSweeps: SweepKind<FetchSweep> = { kind: "fetches", holds: "fetches" };
