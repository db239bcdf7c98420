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
import type { AnySweep, LoadStatus, Results } from "../results/store/results.ts";

/** Lab and processes. */
const perTest_ms = 300;

/** A guess at a link's self-test. */
export function testGuess_ms(link: LinkProfile): number {
  return perTest_ms + expected_ms(phasesFor(link, quick));
}

interface LinkTesting {
  readonly results: Pick<Results, "linkTestsOf" | "recordLinkTest">;
  /** Its number. */
  readonly sweep: number;
  /** By short form, the links that something is still to be measured over, in the plan's order. */
  readonly pending: ReadonlyMap<string, LinkProfile>;
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

/**
 * The links of a sweep's cells that have not been measured often enough, in the cells' order. `counted`: how attempts end that count.
 */
export function linksToTest(
  results: Pick<Results, "cellLinksOf" | "attemptsOf">,
  sweep: AnySweep,
  counted: readonly LoadStatus[],
  repetitions: number,
): Map<string, LinkProfile> {
  const done = Map.groupBy(
    results.attemptsOf(sweep).filter(({ status }) => counted.includes(status)),
    ({ cell }) => cell,
  );
  return new Map(
    results
      .cellLinksOf(sweep)
      .flatMap(({ id, link, link_profile }) =>
        link !== null && link_profile !== null && (done.get(id)?.length ?? 0) < repetitions
          ? [[link, link_profile] as const]
          : [],
      ),
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
  const { results, sweep, pending, signal, tell, now_ms = () => performance.now() } = testing;
  const store = testing.store ?? (async (write: () => void) => write());
  const test = testing.test ?? ((link: LinkProfile) => testLink(link, quick, { signal, pauses_ms }));
  const here = machineName();
  const within = new Set<string>();
  for (const { machine: where, test: stored } of results.linkTestsOf(sweep))
    if (where === here && stored.outcome === "within") within.add(stored.link);
  const untested = new Map([...pending].filter(([link]) => !within.has(link)));
  const tested = new Map<string, Tested>();
  let left_ms = [...untested.values()].reduce((sum, profile) => sum + testGuess_ms(profile), 0);

  const isDue = (link: string, last = false): boolean => {
    if (within.has(link) || !untested.has(link)) return false;
    const before = tested.get(link);
    return before === undefined || now_ms() - before.at_ms >= retestAfter_ms || (last && !before.wasLast);
  };

  const measure = async (link: string, profile: LinkProfile, last: boolean): Promise<void> => {
    signal.throwIfAborted();
    const measured: SelftestLink = { ...(await test(profile, signal)), link };
    await store(() => results.recordLinkTest(sweep, here, measured));
    signal.throwIfAborted();
    if (!tested.has(link)) left_ms -= testGuess_ms(profile);
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
      links: untested.size,
      left_s: Math.max(0, Math.round(left_ms)) / 1000,
    });
  };

  return {
    async faultOf(link, last = false) {
      const profile = untested.get(link);
      if (profile && isDue(link, last)) await measure(link, profile, last);
      const known = tested.get(link);
      return known ? faultOf(known.test) : null;
    },
    isDue,
  };
}
