// In what a machine of a sweep is unlike the others: other versions, or reference cells that load in another time. Pure: facts
// in, sentences out; the test itself is agreement.ts's.
import { count, formatPercents } from "../../base/numbers.ts";
import type { HostFacts, Load } from "../../results/store/results.ts";
import { isValid } from "../../results/verdict/sample.ts";
import { type Disagreement, disagreements, fewestLoads, type ReferenceLoads } from "./agreement.ts";

interface HostSeen {
  readonly name: string;
  readonly facts: HostFacts;
}

/** What of a machine's products is not just the one version that most machines have. */
function versionFlags(one: HostSeen, hosts: readonly HostSeen[]): string[] {
  return Object.entries(one.facts.versions).flatMap(([product, own]) => {
    if (own.length > 1) return [`${product} ${own.join(" and ")} in one sweep`];
    const counts = new Map<string, number>();
    for (const { facts } of hosts)
      for (const version of facts.versions[product] ?? []) counts.set(version, (counts.get(version) ?? 0) + 1);
    const ownCount = counts.get(own[0] ?? "") ?? 0;
    const others = [...counts.keys()].filter((version) => version !== own[0]);
    // As many with one as with another: both are reported.
    const isUsual = others.every((version) => (counts.get(version) ?? 0) < ownCount);
    return isUsual ? [] : [`${product} ${own.join("")}, where others have ${others.join(" and ")}`];
  });
}

function disagreementText({ page, link, lane, change_percent, low_percent, high_percent }: Disagreement): string {
  const [size, isSlower] = [Math.abs(change_percent), change_percent > 0];
  const ends = [low_percent, high_percent].filter((end) => end !== null);
  // If a percentage is printed without its sign, the ends change places.
  const [low, high] = isSlower ? ends : ends.map((end) => -end).reverse();
  const text = formatPercents(size, low === undefined || high === undefined ? null : { low, high });
  const interval = text.low === "" ? "" : ` (95 %: ${text.low} to ${text.high})`;
  return `${page} over ${link}, ${lane}, is ${text.percent} % ${isSlower ? "slower" : "faster"} than on the others${interval}`;
}

/** Reference cells that could not be compared, though other machines have the loads for it: the machine, or its browser, cannot. */
function uncompared(name: string, references: readonly ReferenceLoads[]): string[] {
  const nameOf = ({ page, link, lane }: Load): string => `${page} over ${link}, ${lane}`;
  const cells = new Set(references.flatMap(({ loads }) => loads.map(nameOf)));
  const valid = (host: ReferenceLoads | undefined, cell: string): number =>
    host?.loads.filter((load) => isValid(load) && nameOf(load) === cell).length ?? 0;
  const own = references.find(({ host }) => host === name);
  return [...cells].flatMap((cell) => {
    const loads = valid(own, cell);
    const isComparable = references.some((other) => other !== own && valid(other, cell) >= fewestLoads);
    return loads < fewestLoads && isComparable ? [`${cell}: ${count(loads, "valid load")}, not compared`] : [];
  });
}

/** By host. `references`: the loads of their reference cells; none if the sweep has no reference cells. */
export function hostFlags(
  hosts: readonly HostSeen[],
  references: readonly ReferenceLoads[],
  tolerance_percent: number,
): Map<string, string[]> {
  const found = disagreements(references, tolerance_percent);
  return new Map(
    hosts.map((one) => {
      const own = references.find(({ host }) => host === one.name);
      const loads = own?.loads.filter(isValid).length ?? 0;
      const unknown =
        references.length > 0 && hosts.length > 1 && loads < fewestLoads
          ? [`only ${loads} valid loads of the reference cells: not compared`]
          : uncompared(one.name, references);
      const differing = (found.get(one.name) ?? []).map(disagreementText);
      return [one.name, [...differing, ...unknown, ...versionFlags(one, hosts)]];
    }),
  );
}
