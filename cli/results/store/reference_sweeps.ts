// The sweeps of reference cells that stand beside another sweep in merged results: their mark, and their loads.
import type { Environment, Load, Results } from "./results.ts";

/** Stored with a sweep of reference cells. */
export const referenceMark: Environment = { reference: true };

export const isReference = ({ reference }: Environment): boolean => reference === true;

/** By host; none where no machine of the sweep was noted. */
export function referencesIn(results: Results, sweep: number): { host: string; loads: Load[] }[] {
  const names = new Set(results.hostsOf(sweep).map(({ name }) => name));
  if (names.size === 0) return [];
  return results
    .listSweeps()
    .filter(({ id, environment }) => id !== sweep && isReference(environment))
    .flatMap(({ id }) => {
      const [host] = results.hostsOf(id);
      return host && names.has(host.name) ? [{ host: host.name, loads: results.loadsOf(id) }] : [];
    })
    .sort((a, b) => (a.host < b.host ? -1 : 1));
}
