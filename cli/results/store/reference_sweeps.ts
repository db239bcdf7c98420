// The sweeps of reference cells that stand beside another sweep in merged results: their mark, and their loads.
import type { Environment, Load, Results } from "./results.ts";

/** Stored with a sweep of reference cells. */
export const referenceMark: Environment = { reference: true };

export const isReference = ({ reference }: Environment): boolean => reference === true;

/** Sweeps of reference cells by machines of this one; none where no machine of it was noted. */
function referencesOf(results: Results, sweep: number): { host: string; sweep: number }[] {
  const names = new Set(results.hostsOf(sweep).map(({ name }) => name));
  if (names.size === 0) return [];
  return results
    .listSweeps()
    .filter(({ id, environment }) => id !== sweep && isReference(environment))
    .flatMap(({ id }) => {
      const [host] = results.hostsOf(id);
      return host && names.has(host.name) ? [{ host: host.name, sweep: id }] : [];
    });
}

/** Their numbers. */
export const referenceSweeps = (results: Results, sweep: number): number[] =>
  referencesOf(results, sweep).map((reference) => reference.sweep);

/** By host; none where no machine of the sweep was noted. */
export function referencesIn(results: Results, sweep: number): { host: string; loads: Load[] }[] {
  return referencesOf(results, sweep)
    .map(({ host, sweep: id }) => ({ host, loads: results.loadsOf(id) }))
    .sort((a, b) => (a.host < b.host ? -1 : 1));
}
