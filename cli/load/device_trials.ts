// Another device for a recording of which a trial load asks for too little: what its misses suggest (pictures of twice the pixels, those of a
// larger window) is tried before a model takes the page's place. Stores nothing.
import { type Device, isPixelRatio, usualDevice } from "../browser/device.ts";
import type { Recording } from "../recording/archive/archive.ts";
import { raisesCoverage, type Tried } from "./pin_decision.ts";
import { recordedRequestsOf } from "./recorded_requests_of.ts";
import { missesOf } from "./recording_check.ts";
import { type TrialOptions, trialLoad } from "./trial.ts";

const numbers = /\d+(?:\.\d+)?/g;
const densityMark = /[@_-]([1-4](?:\.\d+)?)x(?=\.[a-z]{3,4}\b)/i;
/** Both sides of a picture are that much larger, give or take a pixel. */
const sameFactor = 1.1;

/** By which factor the numbers of one URL are those of the other, in quarters; null: the URLs differ otherwise. */
export function factorBetween(recorded: string, requested: string): number | null {
  const [mark, density] = densityMark.exec(recorded) ?? [];
  if (mark !== undefined && recorded.replace(mark, "") === requested) return Number(density);
  if (recorded.replaceAll(numbers, "#") !== requested.replaceAll(numbers, "#")) return null;
  const others = requested.match(numbers) ?? [];
  const factors = (recorded.match(numbers) ?? []).flatMap((number, place) =>
    number === others[place] ? [] : [Number(number) / Number(others[place])],
  );
  const [least, most] = [Math.min(...factors), Math.max(...factors)];
  if (factors.length === 0 || factors.length > 2 || !(most / least < sameFactor)) return null;
  const factor = Math.round(least * 4) / 4;
  return factor > 1 && factor <= 4 ? factor : null;
}

interface Misses {
  /** Recorded, and not requested. */
  readonly notRequested: readonly string[];
  /** Requested, and not recorded, or answered with something like it. */
  readonly instead: readonly string[];
}

/** The most frequent first. */
function factorsOf({ notRequested, instead }: Misses): number[] {
  const votes = new Map<number, number>();
  for (const recorded of notRequested) {
    const factors = new Set(
      instead.map((requested) => factorBetween(recorded, requested)).filter((factor) => factor !== null),
    );
    for (const factor of factors) votes.set(factor, (votes.get(factor) ?? 0) + 1);
  }
  return [...votes].toSorted((a, b) => b[1] - a[1]).map(([factor]) => factor);
}

const windows = [
  { width: 1920, height: 1080 },
  { width: 1440, height: 900 },
  { width: 1280, height: 720 },
] as const;
const mostFactors = 2;
/** Of screens that are not usual ones. */
const usualFactor = 2;

/** What may be tried in place of a device's, of what is not known of it; the likeliest first. */
export function likelyChanges(device: Device, known: readonly string[], misses: Misses): Partial<Device>[] {
  if (misses.notRequested.length === 0) return [];
  const isFree = (...names: (keyof Device)[]): boolean =>
    names.every((name) => !known.includes(name) && device[name] === usualDevice[name]);
  const factors = factorsOf(misses).slice(0, mostFactors).filter(isPixelRatio);
  const ratios = isFree("device_pixel_ratio") ? (factors.length > 0 ? factors : [usualFactor]) : [];
  return [
    ...ratios.map((device_pixel_ratio) => ({ device_pixel_ratio })),
    ...(isFree("width", "height") && device.user_agent === null ? windows : []),
  ];
}

const urlsOf = (requests: readonly { readonly url: string }[]): string[] => requests.map(({ url }) => url);

function missesIn(tried: Tried, recorded: Parameters<typeof missesOf>[0]): Misses {
  const { notRequested, beyond, fuzzy } = missesOf(recorded, tried.chosen.load.log.entries);
  return { notRequested: urlsOf(notRequested), instead: urlsOf([...beyond, ...fuzzy]) };
}

interface OnDevice {
  readonly device: Device;
  readonly tried: Tried;
}

/** Null: on none of the devices that the misses suggest a load asks for enough. */
export async function tryDevices(
  home: string,
  recording: Recording,
  first: Tried,
  options: TrialOptions = {},
): Promise<OnDevice | null> {
  const recorded = await recordedRequestsOf(home, recording);
  if (recorded === null || first.chosen.failure !== null) return null;
  const { device_known } = recording.notes;
  const known = Array.isArray(device_known) ? device_known.map(String) : [];
  const { pinned_ms } = first;
  let best: OnDevice = { device: recorded.device, tried: first };
  for (const change of likelyChanges(recorded.device, known, missesIn(first, recorded))) {
    const device = { ...best.device, ...change };
    const chosen = await trialLoad(home, recording, { ...options, pinned_ms, device });
    const isBetter = raisesCoverage(best.tried.chosen.coverage, chosen.coverage);
    if (!isBetter) continue;
    best = { device, tried: { ...first, chosen } };
    if (chosen.outside.length === 0) return best;
  }
  return null;
}
