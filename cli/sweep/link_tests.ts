// Before a sweep's loads: each of its links measured on this machine, a second or two each, and kept with the sweep, so
// that a resumed one measures only what it has not. Measures through cli/selftest; decides nothing about loads but which
// links they may not count on.
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

/**
 * Measures what has not been measured on this machine. Returns, by link, why loads on it do not count; links that are
 * within tolerance are not in it. Stops early at the signal.
 */
export async function testLinks(testing: LinkTesting): Promise<Map<string, string>> {
  const { results, sweep, signal, tell, test = (link) => testLink(link, quick, signal) } = testing;
  const here = machineName();
  const known = new Map<string, SelftestLink>();
  for (const { machine: where, test: stored } of results.linkTestsOf(sweep.id))
    if (where === here) known.set(stored.link, stored);
  const pending = pendingLinks(testing);
  const untested = [...pending.values()].filter((cell) => !known.has(cell.link));
  let left_ms = untested.reduce((sum, cell) => sum + testGuess_ms(cell.link_profile), 0);
  for (const [index, cell] of untested.entries()) {
    if (signal.aborted) break;
    let tested: SelftestLink;
    try {
      tested = { ...(await test(cell.link_profile, signal)), link: cell.link };
    } catch (error) {
      if (signal.aborted) break;
      throw error;
    }
    results.recordLinkTest(sweep.id, here, tested);
    known.set(cell.link, tested);
    left_ms -= testGuess_ms(cell.link_profile);
    tell({
      event: "link-tested",
      link: cell.link,
      outcome: tested.outcome,
      reason: faultOf(tested),
      tested: index + 1,
      links: untested.length,
      left_s: Math.max(0, Math.round(left_ms)) / 1000,
    });
  }
  const faults = [...known.values()].map((tested): [string, string | null] => [tested.link, faultOf(tested)]);
  return new Map(faults.filter((fault): fault is [string, string] => fault[1] !== null));
}
