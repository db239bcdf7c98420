// The order of a plan's fetches, what is random in them, and a guess at how long they take (for dry runs and progress, never a result). Pure: the same plan and seed give the same, also when the sweep is resumed.
import { linkSeed, orderLoads, type PlannedLoad } from "../../../sweep/plan/load_order.ts";
import type { NewFetchCell } from "../store/fetch_runs.ts";
import { blocksOf, type FetchPlan } from "./plan.ts";

/** What cells share whose fetches are compared. */
export const fetchPlace = ({ object, link }: Pick<NewFetchCell, "object" | "link">): string =>
  JSON.stringify([object, link]);

/**
 * Every object once over everything in each block; its lanes, versions of TLS and of IP one after another in random order, so that a
 * slow minute of the network meets all of them alike, and the objects in random order.
 */
export function orderFetches(
  plan: Pick<FetchPlan, "repetitions" | "syscalls" | "seed">,
  cells: readonly Pick<NewFetchCell, "object" | "link">[],
): PlannedLoad[] {
  return orderLoads(cells, fetchPlace, blocksOf(plan), plan.seed);
}

/** The seed of all that is random on the link for an object in a block: whatever it is fetched over meets the same losses. */
export function fetchSeed(
  { seed }: Pick<FetchPlan, "seed">,
  {
    object,
    link,
    link_profile,
  }: Pick<NewFetchCell, "object" | "link"> & { readonly link_profile: { readonly seed: number } },
  block: number,
): number {
  return linkSeed(seed, { page: object, link: link ?? "", link_profile }, block);
}

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
