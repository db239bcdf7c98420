// Before a link's first load in a sweep: the link measured on this machine, a second or two, and kept with the sweep, so
// that a resumed one measures only what it has not, and again what was out. Not all links before all loads: a sweep has
// hundreds. Measures through cli/selftest; decides nothing about loads but which links they may not count on.
import type { LinkProfile } from "../../schemas/generated/link_profile.ts";
import type { SelftestLink } from "../../schemas/generated/selftest.ts";
import type { LinkTested } from "../../schemas/generated/sweep_event.ts";
import { machine } from "../measure/environment.ts";
import type { Cell, Results, Sweep } from "../results/results.ts";
import { expected_ms, phasesFor, quick } from "../selftest/phases.ts";
import { faultOf, testLink } from "../selftest/test_link.ts";

/** Lab and processes. */
const perTest_ms = 300;

/** A guess at a link's self-test. */
export function testGuess_ms(link: LinkProfile): number {
  return perTest_ms + expected_ms(phasesFor(link, quick));
}

export interface LinkTesting {
  readonly results: Results;
  readonly sweep: Sweep;
  readonly signal: AbortSignal;
  readonly tell: (event: LinkTested) => void;
  /** Another one in tests. */
  readonly test?: (link: LinkProfile, signal: AbortSignal) => Promise<SelftestLink>;
}

/** What a measurement holds for: the same link on another machine is another one. */
export function machineName(): string {
  const { cpu, cpus, kernel } = machine();
  return `${cpu}, ${cpus} CPUs, Linux ${kernel}`;
}

/** The links that still have loads to come, in the plan's order. */
function pendingLinks({ results, sweep }: LinkTesting): Map<string, Cell> {
  const valid = Map.groupBy(
    results.loadsOf(sweep.id).filter((load) => load.status === "valid"),
    (load) => load.cell,
  );
  const pending = results
    .cellsOf(sweep.id)
    .filter((cell) => (valid.get(cell.id)?.length ?? 0) < sweep.plan.repetitions);
  return new Map(
    pending
      .toReversed()
      .map((cell): [string, Cell] => [cell.link, cell])
      .toReversed(),
  );
}

export interface LinkTests {
  /** Why loads on the link do not count; null: they do. Measures the link at its first asking. Throws at the signal. */
  faultOf(link: string): Promise<string | null>;
}

export function openLinkTests(testing: LinkTesting): LinkTests {
  const { results, sweep, signal, tell, test = (link) => testLink(link, quick, signal) } = testing;
  const here = machineName();
  const known = new Map<string, SelftestLink>();
  for (const { machine: where, test: stored } of results.linkTestsOf(sweep.id))
    if (where === here && stored.outcome === "within") known.set(stored.link, stored);
  const untested = [...pendingLinks(testing)].filter(([link]) => !known.has(link));
  const cells = new Map(untested);
  let tested = 0;
  let left_ms = untested.reduce((sum, [, cell]) => sum + testGuess_ms(cell.link_profile), 0);
  return {
    async faultOf(link) {
      const before = known.get(link);
      const cell = cells.get(link);
      if (before || !cell) return before ? faultOf(before) : null;
      signal.throwIfAborted();
      const measured: SelftestLink = { ...(await test(cell.link_profile, signal)), link };
      results.recordLinkTest(sweep.id, here, measured);
      known.set(link, measured);
      tested++;
      left_ms -= testGuess_ms(cell.link_profile);
      tell({
        event: "link-tested",
        link,
        outcome: measured.outcome,
        reason: faultOf(measured),
        tested,
        links: cells.size,
        left_s: Math.max(0, Math.round(left_ms)) / 1000,
      });
      return faultOf(measured);
    },
  };
}
