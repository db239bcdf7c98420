// How long fetches will take. A guess for dry runs and progress, never a result.
import type { NewFetchCell } from "../store/fetch_runs.ts";
import type { FetchPlan } from "./plan.ts";

/** A process of the client, its certificates read; an object that is near. */
const perFetch_ms = 250;
/** The lab made and removed. */
const perLab_ms = 200;
/** Handshakes, the request, and for early data a connection before. */
const roundTrips = 6;
const usualBody_bytes = 50_000;
/** Headers and packets around the body. */
const overhead = 1.08;

/** Of objects whose bodies are known before they are fetched, as a recording's: how many bytes they have. */
export type KnownSizes = ReadonlyMap<string, number>;

/** Wall time of one fetch, with the pause before it. */
export function guessFetch_ms(
  { pause_ms }: Pick<FetchPlan, "pause_ms">,
  { object, link_profile }: Pick<NewFetchCell, "object" | "link_profile">,
  sizes: KnownSizes,
): number {
  if (link_profile === null) return perFetch_ms + pause_ms;
  const { rate_bps } = link_profile.down;
  const body_bytes = sizes.get(object) ?? usualBody_bytes;
  const download_ms = rate_bps === null ? 0 : (body_bytes * overhead * 8000) / rate_bps;
  return perLab_ms + roundTrips * link_profile.rtt_ms + download_ms;
}
