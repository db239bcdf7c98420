// Contents of profiled pages, in memory only, for the race that may follow: for a few minutes, and for one page at a time.
// While any are held the service worker is kept awake, for they go when it sleeps.
import type { BodyText, BodyTexts } from "../capture/bodies.ts";
import { changeState } from "./state.ts";

const heldFor_ms = 5 * 60_000;
// A service worker is put to sleep after 30 s without a call to the browser.
const wakeEvery_ms = 20_000;

export interface HeldBodies {
  /** By the entry's place in log.entries. */
  readonly ofResponses: ReadonlyMap<number, BodyText>;
  readonly ofRequests: ReadonlyMap<number, string>;
}

interface Held extends HeldBodies {
  readonly profile: string;
  readonly expire: ReturnType<typeof setTimeout>;
  readonly wake: ReturnType<typeof setInterval>;
}

let held: Held | null = null;

type Keyed = { readonly requestId: string; readonly start_ns: number };

/** Bodies by the entries' places; `entries` in the profile's order. */
export function bodiesByEntry(bodies: BodyTexts, entries: readonly { _trilane: Keyed }[]): HeldBodies {
  const places = new Map(
    entries.map(({ _trilane: { requestId, start_ns } }, place) => [`${requestId} ${start_ns}`, place]),
  );
  const byPlace = <T>(of: BodyTexts["ofResponses"] | BodyTexts["ofRequests"]): Map<number, T> => {
    const found = new Map<number, T>();
    for (const [{ requestId, sent }, body] of of) {
      const place = places.get(`${requestId} ${Math.round(sent.timestamp * 1e9)}`);
      if (place !== undefined) found.set(place, body as T);
    }
    return found;
  };
  return { ofResponses: byPlace<BodyText>(bodies.ofResponses), ofRequests: byPlace<string>(bodies.ofRequests) };
}

export async function holdBodies(profile: string, bodies: HeldBodies): Promise<void> {
  await dropBodies();
  const until_ms = Date.now() + heldFor_ms;
  held = {
    ...bodies,
    profile,
    expire: setTimeout(() => void dropBodies(), heldFor_ms),
    wake: setInterval(() => void chrome.runtime.getPlatformInfo(), wakeEvery_ms),
  };
  await changeState((state) => ({ ...state, bodies: { [profile]: { until_ms } } }), true);
}

export function heldBodies(profile: string): HeldBodies | null {
  return held?.profile === profile ? held : null;
}

export async function dropBodies(): Promise<void> {
  if (held) {
    clearTimeout(held.expire);
    clearInterval(held.wake);
    held = null;
  }
  await changeState((state) => (Object.keys(state.bodies).length === 0 ? state : { ...state, bodies: {} }), true);
}
