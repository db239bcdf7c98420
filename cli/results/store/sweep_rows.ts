// What the tables `sweep` and `link_test` hold, and of page loads `cell` and `attempt`, as they are handed out, and how rows become that. Reads
// and writes no files: results.ts does.
import type { SQLOutputValue } from "node:sqlite";
import type { CommandPlanDocument, PlannedNumber } from "../../../schemas/generated/command_plan.ts";
import type { FetchLabel, FetchPlanDocument } from "../../../schemas/generated/fetch_plan.ts";
import type { FetchIp, FetchTls } from "../../../schemas/generated/fetch_record.ts";
import type { FlowPlanDocument } from "../../../schemas/generated/flow_plan.ts";
import type { LaneLabel } from "../../../schemas/generated/lane_label.ts";
import type { LinkProfile } from "../../../schemas/generated/link_profile.ts";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import type { SelftestLink } from "../../../schemas/generated/selftest.ts";
import type { PlanLink, SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
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

/** A sweep of pages. */
export interface Sweep extends SweepFacts {
  readonly kind: "pages";
  readonly plan: SweepPlan;
}

/** A plan of flows as it is stored (cli/instruments/flows/plan fills in its defaults). */
export interface StoredFlowPlan extends Omit<FlowPlanDocument, "mixes"> {
  readonly mixes: readonly { readonly name?: string; readonly flows: readonly string[] }[];
}

/** A sweep of flows: of `trilane flows`. */
export interface FlowSweep extends SweepFacts {
  readonly kind: "flows";
  readonly plan: StoredFlowPlan;
}

/** A plan of fetches as it is stored (cli/instruments/fetch/plan fills in its defaults). */
export interface StoredFetchPlan extends Omit<FetchPlanDocument, "objects" | "tls" | "ip" | "lanes" | "links"> {
  readonly objects: readonly string[];
  readonly lanes: readonly FetchLabel[];
  readonly tls: readonly FetchTls[];
  readonly ip: readonly FetchIp[];
  /** Absent: the network as it is. */
  readonly links?: readonly PlanLink[];
}

/** A sweep of fetches: of `trilane fetch`. */
export interface FetchSweep extends SweepFacts {
  readonly kind: "fetches";
  readonly plan: StoredFetchPlan;
}

/** A plan of commands as it is stored (cli/instruments/command/plan fills in its defaults). */
export interface StoredCommandPlan extends Omit<CommandPlanDocument, "commands" | "links" | "numbers"> {
  readonly commands: readonly { readonly name: string; readonly words: readonly string[] }[];
  /** Absent: the network as it is. */
  readonly links?: readonly PlanLink[];
  readonly numbers: readonly PlannedNumber[];
}

/** A sweep of commands: of `trilane time`. */
export interface CommandSweep extends SweepFacts {
  readonly kind: "commands";
  readonly plan: StoredCommandPlan;
}

export type AnySweep = Sweep | FlowSweep | FetchSweep | CommandSweep;

export type SweepOf<Kind extends AnySweep["kind"]> = Extract<AnySweep, { readonly kind: Kind }>;

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

export interface NewLoad {
  readonly cell: number;
  readonly block: number;
  readonly attempt: number;
  readonly position: number;
  readonly started_at: string;
  readonly load: PageLoad;
}

/** An attempt at a load without its HAR. A null metric is unavailable; the HAR says why. */
export interface Load extends LoadObservations {
  readonly id: number;
  readonly cell: number;
  readonly page: string;
  readonly lane: LaneLabel;
  readonly link: string;
  readonly block: number;
  readonly attempt: number;
  readonly position: number;
  readonly status: LoadStatus;
  readonly reasons: readonly string[];
  readonly started_at: string;
  readonly wall_ms: number;
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

export function anySweepOf(row: Row): AnySweep {
  const plan: unknown = storedJson(row.plan, "sweep.plan");
  const facts = {
    id: Number(row.id),
    name: String(row.name),
    plan_digest: String(row.plan_digest),
    created_at: String(row.created_at),
    finished_at: row.finished_at === null ? null : String(row.finished_at),
    seed: Number(row.seed),
    command: storedJson(row.command, "sweep.command") as string[],
    environment: storedJson(row.environment, "sweep.environment") as Environment,
  };
  if (row.kind === "flows") return { ...facts, kind: "flows", plan: plan as StoredFlowPlan };
  if (row.kind === "fetches") return { ...facts, kind: "fetches", plan: plan as StoredFetchPlan };
  if (row.kind === "commands") return { ...facts, kind: "commands", plan: plan as StoredCommandPlan };
  return { ...facts, kind: "pages", plan: plan as SweepPlan };
}

export function cellOf(row: Row): Cell {
  return {
    id: Number(row.id),
    sweep: Number(row.sweep),
    page: String(row.subject),
    recording_digest: String(row.recording_digest),
    lane: String(row.lane) as LaneLabel,
    link: String(row.link),
    link_profile: storedJson(row.link_profile, "cell.link_profile") as LinkProfile,
  };
}

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
