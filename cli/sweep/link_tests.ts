// Before a link's first load in a sweep: the link measured on this machine, a second or two, and kept with the sweep, so
// that a resumed one measures only what it has not, and again what was out. A link that is out is measured again later, too:
// most often the machine was disturbed. Not all links before all loads: a sweep has hundreds. Measures through
// cli/load/selftest; decides nothing about loads but which links they may not count on.
import type { LinkProfile } from "../../schemas/generated/link_profile.ts";
import type { SelftestLink } from "../../schemas/generated/selftest.ts";
import type { LinkTested } from "../../schemas/generated/sweep_event.ts";
import { machine } from "../load/environment.ts";
import { expected_ms, phasesFor, quick } from "../load/selftest/phases.ts";
import { faultOf, testLink } from "../load/selftest/test_link.ts";
import type { Cell, Results, Sweep } from "../results/store/results.ts";

/** Lab and processes. */
const perTest_ms = 300;

/** A guess at a link's self-test. */
export function testGuess_ms(link: LinkProfile, dilation = 1): number {
  return perTest_ms + expected_ms(phasesFor(link, quick)) * dilation;
}

export interface LinkTesting {
  readonly results: Results;
  readonly sweep: Sweep;
  readonly signal: AbortSignal;
  readonly tell: (event: LinkTested) => void;
  /** Stores, as soon as it can; what it gave up is measured again in the next run. */
  readonly store?: (write: () => void) => Promise<unknown>;
  /** Others in tests. */
  readonly now_ms?: () => number;
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
  /**
   * Why loads on the link do not count; null: they do. Measures the link at its first asking, and one that was out when it is
   * due again, or at `last`, after which loads are not deferred any more. Throws at the signal.
   */
  faultOf(link: string, last?: boolean): Promise<string | null>;
  /** Whether asking for it now would measure it. */
  isDue(link: string, last: boolean): boolean;
}

/** A disturbed machine is given a moment before a link is measured the second and the third time. */
const pauses_ms = [1000, 4000];
/** What disturbs a machine for longer (a backup, an update) is often over by then. */
const retestAfter_ms = 300_000;

/** What this run measured. */
interface Tested {
  readonly test: SelftestLink;
  readonly at_ms: number;
  readonly wasLast: boolean;
}

export function openLinkTests(testing: LinkTesting): LinkTests {
  const dilation = testing.sweep.plan.dilate ?? 1;
  const { results, sweep, signal, tell, now_ms = () => performance.now() } = testing;
  const store = testing.store ?? (async (write: () => void) => write());
  const test = testing.test ?? ((link: LinkProfile) => testLink(link, quick, { dilation, signal, pauses_ms }));
  const here = machineName();
  const within = new Set<string>();
  for (const { machine: where, test: stored } of results.linkTestsOf(sweep.id))
    if (where === here && stored.outcome === "within") within.add(stored.link);
  const untested = [...pendingLinks(testing)].filter(([link]) => !within.has(link));
  const cells = new Map(untested);
  const tested = new Map<string, Tested>();
  let left_ms = untested.reduce((sum, [, cell]) => sum + testGuess_ms(cell.link_profile, dilation), 0);

  const isDue = (link: string, last = false): boolean => {
    if (within.has(link) || !cells.has(link)) return false;
    const before = tested.get(link);
    return before === undefined || now_ms() - before.at_ms >= retestAfter_ms || (last && !before.wasLast);
  };

  const measure = async (link: string, cell: Cell, last: boolean): Promise<void> => {
    signal.throwIfAborted();
    const measured: SelftestLink = { ...(await test(cell.link_profile, signal)), link };
    await store(() => results.recordLinkTest(sweep.id, here, measured));
    signal.throwIfAborted();
    if (!tested.has(link)) left_ms -= testGuess_ms(cell.link_profile, dilation);
    const reason = faultOf(measured);
    if (reason === null) within.add(link);
    tested.set(link, { test: measured, at_ms: now_ms(), wasLast: last });
    tell({
      event: "link-tested",
      link,
      outcome: measured.outcome,
      reason,
      measurements: measured.measurements,
      puts_off: reason !== null && !last,
      tested: tested.size,
      links: cells.size,
      left_s: Math.max(0, Math.round(left_ms)) / 1000,
    });
  };

  return {
    async faultOf(link, last = false) {
      const cell = cells.get(link);
      if (cell && isDue(link, last)) await measure(link, cell, last);
      const known = tested.get(link);
      return known ? faultOf(known.test) : null;
    },
    isDue,
  };
}
