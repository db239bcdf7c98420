// What the history keeps: profiles and races, and the short rows by which they are listed. Types only.
import type { Profile } from "../../schemas/generated/profile.ts";
import type { RaceResult } from "../../schemas/generated/race_result.ts";
import type { Failure, Lane } from "../actions.ts";

export type { Profile, RaceResult };

export interface ProfileRow {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  /** ISO 8601, UTC. */
  readonly started: string;
  readonly kind: "reload" | "observed" | "imported";
  readonly plt_ms: number | null;
  readonly requests: number;
  /** Of its JSON. */
  readonly size_bytes: number;
}

type RaceOutcome = "running" | "finished" | "failed" | "canceled";

export interface RaceRow {
  readonly id: string;
  /** The raced profile's id; it may have left the history since. */
  readonly profile: string;
  readonly name: string;
  readonly link: string;
  readonly lanes: readonly Lane[];
  readonly runs: number;
  readonly started: string;
  readonly outcome: RaceOutcome;
  readonly error: Failure | null;
  /** What the helper calls it; null: it had not begun there. */
  readonly hostRace: string | null;
  /** Of its result's JSON, 0 where there is none yet. */
  readonly size_bytes: number;
}

export interface RaceRecord extends RaceRow {
  /** null: not finished, or it was not got yet (action race-result). */
  readonly result: RaceResult | null;
}

export interface Usage {
  readonly bytes: number;
  /** Beyond it the oldest go when a new one comes. */
  readonly limit_bytes: number;
}
