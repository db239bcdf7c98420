// The loads of the reference cells that stand beside a sweep in merged results.
import type { Load, Results } from "../results/results.ts";
import { isReference } from "./reference.ts";

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
