// What the tables `sweep` and `link_test` hold, and of page loads `cell` and `attempt`, as they are handed out, and how rows become that. Reads
// and writes no files: results.ts does.
import type { SQLOutputValue } from "node:sqlite";
import type { LaneLabel } from "../../../schemas/generated/lane_label.ts";
import type { LinkProfile } from "../../../schemas/generated/link_profile.ts";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import type { SelftestLink } from "../../../schemas/generated/selftest.ts";
import type { SweepKindName } from "../../../schemas/generated/sweep_kind.ts";
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import type { NewAttempt } from "./attempt_rows.ts";
import type { Host, NamedHost } from "./hosts.ts";
import { type LoadObservations, loadObservationsOf, type UserTimings } from "./load_observations.ts";
import { storedJson } from "./stored_json.ts";

export type { LaneLabel };
export type LoadStatus = "valid" | "invalid" | "failed";

/** What a sweep began on: versions and machine, for the report. */
export type Environment = Readonly<Record<string, string | number | boolean | null>>;

/** What sweeps have in common, whatever they are of. */
interface SweepFacts {
  readonly id: number;
  readonly name: string;
  readonly plan_digest: string;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly seed: number;
  readonly command: readonly string[];
  readonly environment: Environment;
}

/** What of a plan is the same in all kinds of sweeps. */
export interface PlanFacts {
  readonly description?: string | undefined;
  readonly repetitions: number;
  readonly time_limit_s?: number | undefined;
}

/** A sweep, whatever it is of. */
export interface AnySweep extends SweepFacts {
  readonly kind: SweepKindName;
  readonly plan: PlanFacts;
}

/** A sweep of one kind, with its plan. */
export interface SweepOf<Kind extends SweepKindName, Plan extends PlanFacts> extends AnySweep {
  readonly kind: Kind;
  readonly plan: Plan;
}

/** Sweeps of one kind, and what their attempts are, in words. */
export interface SweepKind<Sweep extends AnySweep> {
  readonly kind: Sweep["kind"];
  readonly holds: string;
}

/** A sweep of pages. */
export type Sweep = SweepOf<"pages", SweepPlan>;

/** Over what a cell goes. */
export interface CellLink {
  readonly id: number;
  /** Short form, canonical; null: the network as it is. */
  readonly link: string | null;
  /** null as above. */
  readonly link_profile: LinkProfile | null;
}

/** How far a sweep is. */
export interface SweepProgress {
  readonly cells: number;
  /** One per cell and repetition. */
  readonly planned: number;
  readonly attempts: number;
  readonly valid: number;
  readonly running: boolean;
}

export interface NewCell {
  readonly page: string;
  readonly recording_digest: string;
  readonly lane: LaneLabel;
  /** Short form, canonical. */
  readonly link: string;
  readonly link_profile: LinkProfile;
}

export interface Cell extends NewCell {
  readonly id: number;
  readonly sweep: number;
  /** Who ran it, where that was noted. */
  readonly host?: Host;
  /** To which moment the clock of its loads is set, where that was noted; null: it is left as it is. */
  readonly pinned_ms?: number | null;
}

export interface NewSweepFacts extends Omit<SweepFacts, "id" | "created_at" | "finished_at"> {
  /** Of the one recording that all its cells are of. null or absent: they are of none, or have their own, as pages have. */
  readonly recording_digest?: string | null;
  /** The machine that begins it, if it is noted: another one of its name may not resume what it began. */
  readonly host?: NamedHost;
}

/** Of pages. */
export interface NewSweep extends NewSweepFacts {
  readonly plan: SweepPlan;
  readonly cells: readonly NewCell[];
}

/** What else there is of the attempt stands in the load. */
export interface NewLoad extends Omit<NewAttempt, "status" | "reasons" | "wall_ms"> {
  readonly load: PageLoad;
}

/** An attempt at a load without its HAR. A null metric is unavailable; the HAR says why. */
export interface Load extends NewAttempt, LoadObservations {
  readonly id: number;
  readonly page: string;
  readonly lane: LaneLabel;
  readonly link: string;
  /** Absent: it has none. */
  readonly user_timings?: UserTimings;
}

/** What a link was measured to be on a machine. */
export interface LinkTest {
  readonly machine: string;
  readonly measured_at: string;
  readonly test: SelftestLink;
}

export type Row = Record<string, SQLOutputValue>;

export const anySweepOf = (row: Row): AnySweep => ({
  id: Number(row.id),
  kind: row.kind as SweepKindName,
  name: String(row.name),
  plan: storedJson(row.plan, "sweep.plan") as PlanFacts,
  plan_digest: String(row.plan_digest),
  created_at: String(row.created_at),
  finished_at: row.finished_at === null ? null : String(row.finished_at),
  seed: Number(row.seed),
  command: storedJson(row.command, "sweep.command") as string[],
  environment: storedJson(row.environment, "sweep.environment") as Environment,
});

export const sweepColumns = "id, name, plan, plan_digest, created_at, finished_at, seed, command, environment, kind";

export function loadOf(row: Row): Load {
  const { reasons, observations: _observations, ...facts } = row;
  const { user_timings, ...observations } = loadObservationsOf(row);
  return {
    ...facts,
    ...observations,
    reasons: storedJson(reasons, "attempt.reasons") as string[],
    ...(user_timings ? { user_timings } : {}),
  } as unknown as Load;
}
