// On which devices a sweep's pages are loaded: kept with the sweep, as a recording's digest is of its exchanges only. Pure.
import type { Environment } from "./sweep_rows.ts";

const keyOf = (page: string): string => `device of page ${page}`;

/** For the sweep's environment. `devices`: by page; null: the usual one. */
export function deviceEnvironment(devices: Iterable<readonly [page: string, device: string | null]>): Environment {
  return Object.fromEntries(
    [...devices].filter(([, device]) => device !== null).map(([page, device]) => [keyOf(page), device]),
  );
}

const cacheKeyOf = (page: string): string => `cached before page ${page}`;

/** Likewise, of how many URLs a page was recorded from a warm cache. */
export function cacheEnvironment(cached: Iterable<readonly [page: string, urls: number]>): Environment {
  return Object.fromEntries(
    [...cached].filter(([, urls]) => urls > 0).map(([page, urls]) => [cacheKeyOf(page), String(urls)]),
  );
}

export const notedCache = (page: string, environment: Environment): number =>
  Number(/^\d{1,9}$/.exec(String(environment[cacheKeyOf(page)]))?.[0] ?? 0);

/** Of a page that is loaded on another than the usual one, as deviceIn() reads it; null: it is not. */
export function notedDevice(page: string, environment: Environment): unknown {
  const noted = environment[keyOf(page)];
  if (typeof noted !== "string") return null;
  try {
    return JSON.parse(noted);
  } catch {
    return null; // a stranger's: no device of ours is written so
  }
}

/** Whether two sweeps of a page load it on one device. */
export const isOneDevice = (page: string, a: Environment, b: Environment): boolean => a[keyOf(page)] === b[keyOf(page)];
