// Which recordings a sweep was measured with: kept with it by the machines of a shared plan, whose digest is of the plan alone. Pure.
import { UserError } from "../../base/errors.ts";
import type { Environment } from "./sweep_rows.ts";

/** By name. */
export type NotedRecordings = ReadonlyMap<string, { readonly digest: string }>;

const keyPrefix = "recording ";

/** For the sweep's environment. */
export const recordingsEnvironment = (recordings: NotedRecordings): Environment =>
  Object.fromEntries([...recordings].map(([name, { digest }]) => [`${keyPrefix}${name}`, digest]));

/** The texts of an environment under keys that begin so, by the rest of the key. */
export const environmentTexts = (environment: Environment, prefix: string): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(environment).flatMap(([key, value]) =>
      key.startsWith(prefix) && typeof value === "string" ? [[key.slice(prefix.length), value] as const] : [],
    ),
  );

/** Digests by name. */
export const recordingsIn = (environment: Environment): ReadonlyMap<string, string> =>
  environmentTexts(environment, keyPrefix);

/**
 * `before` and `now`: digests; null: not noted, or none. `remedy`: what to do besides bringing the earlier one back.
 * @throws UserError if a recording is another than the sweep began with
 */
export function refuseChangedRecording(
  what: string,
  sweep: number,
  before: string | null,
  now: string | null,
  remedy: string,
): void {
  if (before === null || before === now) return;
  throw new UserError(
    `${what} has changed since sweep ${sweep} began (${before.slice(0, 12)}, now ${now?.slice(0, 12) ?? "none"}): bring the earlier one back, or ${remedy}`,
  );
}

/** All that were noted in its environment. @throws as refuseChangedRecording does */
export function refuseChangedRecordings(sweep: SweepStart, now: Environment, remedy: string): void {
  const digests = recordingsIn(now);
  for (const [name, before] of recordingsIn(sweep.environment))
    refuseChangedRecording(`recording ${name}`, sweep.id, before, digests.get(name) ?? null, remedy);
}

interface SweepStart {
  readonly id: number;
  readonly environment: Environment;
}
