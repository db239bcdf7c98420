// How a link's path moves while it runs: NAT rebindings, and the switch to another link. Pure.
import type { LinkProfile } from "./link.ts";

/** The link as it is at its start and stays: what a self-test can measure. */
export function withoutMoves({ rebind, switch: other, ...link }: LinkProfile): LinkProfile {
  return link;
}

/** Every link of a run, one after the other: the first, and the one it switches to. */
export function linksInTurn(profile: LinkProfile): [LinkProfile, ...LinkProfile[]] {
  const first = withoutMoves(profile);
  return profile.switch ? [first, { ...profile.switch.link, seed: profile.seed }] : [first];
}
