// The self-test of a sweep's links: each measured once on a machine, kept with the sweep, and loads on one that is out not
// counted.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { linksToTest, openLinkTests, testGuess_ms } from "../../../cli/engine/link_tests.ts";
import { parseLink } from "../../../cli/link/link.ts";
import { type AnySweep, type LoadStatus, openResults } from "../../../cli/results/store/results.ts";
import { cellsOf } from "../../../cli/sweep/plan/plan.ts";
import type { LinkTested } from "../../../schemas/generated/sweep_event.ts";
import { tempFolder } from "../../temp_folder.ts";
import { fastPlan, fastRun, sweepOf, validLoad } from "../instruments/page/run/fast_runner.ts";
import { testedLink } from "../load/selftest/tested.ts";

let home: string;
beforeEach(() => {
  home = tempFolder("trilane-link-tests-");
});

const plan = fastPlan();
const links = [...new Set(cellsOf(plan).map((cell) => cell.link))];

/** Runs the tests of the plan's sweep; 10mbit links with 200 ms are out, at their first so many measurements. */
async function run(signal = new AbortController().signal, stopAfter = Number.POSITIVE_INFINITY, outTimes = stopAfter) {
  const results = openResults(home);
  const { sweep } = results.beginSweep(sweepOf(plan), false);
  const asked: string[] = [];
  const events: LinkTested[] = [];
  let now_ms = 0;
  try {
    const tests = openLinkTests({
      results,
      sweep: sweep.id,
      pending: linksToTest(results, sweep, ["valid"], sweep.plan.repetitions),
      signal,
      now_ms: () => now_ms,
      tell: (event) => events.push(event),
      test: async (link) => {
        if (asked.length === stopAfter) throw new Error("no lab");
        const { rate_bps } = link.down;
        const form = links.find(
          (each) => parseLink(each).rtt_ms === link.rtt_ms && parseLink(each).down.rate_bps === rate_bps,
        );
        const isOut = form === "10mbit/200ms" && asked.filter((each) => each === form).length < outTimes;
        asked.push(form ?? "none");
        return testedLink("as it is called elsewhere", isOut ? "out" : "within");
      },
    });
    const faults = new Map<string, string>();
    const askAll = async (last = false): Promise<void> => {
      for (const link of links) {
        const fault = await tests.faultOf(link, last);
        if (fault === null) faults.delete(link);
        else faults.set(link, fault);
      }
    };
    await askAll();
    await askAll();
    const later = async (time_ms: number, last = false): Promise<string[]> => {
      now_ms += time_ms;
      const before = asked.length;
      await askAll(last);
      return asked.slice(before);
    };
    const soon = await later(60_000);
    const muchLater = await later(600_000);
    const atTheEnd = await later(1, true);
    const afterwards = await later(1, true);
    return { faults, asked, soon, muchLater, atTheEnd, afterwards, events, stored: results.linkTestsOf(sweep.id) };
  } finally {
    results.release(sweep.id);
    results.close();
  }
}

test("each link is measured once, told and kept; one that is out again after a while, once at the end, and by a resumed sweep", async () => {
  const out = "10mbit/200ms";
  const { faults, asked, soon, muchLater, atTheEnd, afterwards, events, stored } = await run();
  assert.deepEqual(asked, [...links, out, out]);
  assert.deepEqual([soon, muchLater, atTheEnd, afterwards], [[], [out], [out], []]);
  assert.deepEqual([...faults.keys()], [out]);
  assert.match(faults.get(out) ?? "", /^the link's self-test is out of tolerance: rate down 2\.9/);
  assert.deepEqual(
    events.map(({ link, outcome, tested, puts_off }) => [link, outcome, tested, puts_off]),
    [
      ...links.map((link, index) => [link, link === out ? "out" : "within", index + 1, link === out]),
      [out, "out", links.length, true],
      [out, "out", links.length, false],
    ],
  );
  assert.equal(events.at(-1)?.left_s, 0);
  assert.deepEqual(new Set(stored.map(({ test: { link } }) => link)), new Set(links));
  const again = await run();
  assert.deepEqual(new Set(again.asked), new Set([out]));
});

test("a link that is within tolerance again has its loads count from then on, and is measured no more", async () => {
  const { faults, asked, muchLater, atTheEnd } = await run(undefined, undefined, 1);
  assert.deepEqual([muchLater, atTheEnd, faults.size], [["10mbit/200ms"], [], 0]);
  assert.deepEqual(asked, [...links, "10mbit/200ms"]);
  assert.deepEqual((await run()).asked, []);
});

test("an interrupted run keeps what it measured; what would fail every load is thrown", async () => {
  await assert.rejects(run(undefined, 2), /no lab/);
  const stopped = new AbortController();
  stopped.abort();
  await assert.rejects(run(stopped.signal, 0), { name: "AbortError" });
  assert.deepEqual((await run(undefined, undefined, 0)).asked, links.slice(2));
});

test("a measurement is stored through what waits for room, and one that was not stored is made again", async () => {
  using results = openResults(home);
  const { sweep } = results.beginSweep(sweepOf(plan), false);
  let measured = 0;
  const open = (store: (write: () => void) => Promise<unknown>) =>
    openLinkTests({
      results,
      sweep: sweep.id,
      pending: linksToTest(results, sweep, ["valid"], sweep.plan.repetitions),
      signal: new AbortController().signal,
      store,
      tell: () => undefined,
      test: async () => {
        measured++;
        return testedLink("as it is called elsewhere", "within");
      },
    });
  const link = links[0] as string;
  const stored = (): number => results.linkTestsOf(sweep.id).length;
  assert.equal(await open(async () => null).faultOf(link), null);
  assert.deepEqual([measured, stored()], [1, 0]);
  assert.equal(await open(async (write) => write()).faultOf(link), null);
  assert.deepEqual([measured, stored()], [2, 1]);
  assert.equal(open(async (write) => write()).isDue(link, true), false);
  results.release(sweep.id);
});

test("loads wait for a link that is out, and count when it is within tolerance at the end", async () => {
  const small = fastPlan({ pages: ["a"], links: ["1mbit/20ms", "3mbit/50ms"], lanes: ["h1", "h3"], repetitions: 2 });
  const asked: string[] = [];
  let isOut = true;
  const outcome = await fastRun({
    home,
    plan: small,
    measure: (request) => {
      asked.push(request.link.rtt_ms === 50 ? "3mbit/50ms" : "1mbit/20ms");
      return validLoad(request);
    },
    links: {
      isDue: () => false,
      async faultOf(link, last) {
        if (last) isOut = false;
        return isOut && link === "3mbit/50ms" ? "out of tolerance" : null;
      },
    },
  });
  assert.deepEqual([outcome.state, outcome.done, outcome.all], ["finished", 8, 8]);
  assert.deepEqual(asked, [...Array(4).fill("1mbit/20ms"), ...Array(4).fill("3mbit/50ms")]);
  using results = openResults(home);
  assert.ok(results.loadsOf(1).every(({ status }) => status === "valid"));
});

test("at the end a link is measured while no load runs beside it", async () => {
  const small = fastPlan({ pages: ["a", "b"], links: ["1mbit/20ms", "1mbit/200ms"], lanes: ["h1"], repetitions: 2 });
  let running = 0;
  const measuredLast = new Set<string>();
  const beside: number[] = [];
  await fastRun({
    home,
    plan: small,
    labs: { most: 2, mayShare: () => true },
    measure: async (request) => {
      running++;
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return validLoad(request);
    },
    links: {
      isDue: (link, last) => last && !measuredLast.has(link),
      async faultOf(link, last) {
        if (!last) return "out of tolerance";
        if (!measuredLast.has(link)) beside.push(running);
        measuredLast.add(link);
        return null;
      },
    },
  });
  assert.deepEqual(beside, [0, 0]);
});

test("loads on a link that is out are invalid with the reason, not tried again, however they went; others are not touched", async () => {
  const small = fastPlan({ pages: ["a"], links: ["1mbit/20ms", "3mbit/50ms"], repetitions: 1, retries: 2 });
  const reason = "the link's self-test is out of tolerance: rate down 2.9 Mbit/s, asked 3 within 0.0043";
  await fastRun({
    home,
    plan: small,
    measure: validLoad,
    linkFault: async (link) => (link === "3mbit/50ms" ? reason : null),
  });
  using results = openResults(home);
  const loads = results.loadsOf(results.listSweeps()[0]?.id ?? 0);
  assert.equal(loads.length, 6);
  for (const load of loads) {
    const expected = load.link === "3mbit/50ms" ? ["invalid", [reason]] : ["valid", []];
    assert.deepEqual([load.status, load.reasons], expected);
    // In the page load, too: an exported HAR says why.
    const { status, reasons } = results.harOf(load.id).log._trilane;
    assert.deepEqual([status, reasons], expected);
  }
});

test("a guess at a self-test is a few seconds", () => {
  for (const form of ["200kbit/300ms", "3mbit/50ms", "1gbit/10ms", "unlimited/50ms"])
    assert.ok(testGuess_ms(parseLink(form)) < 5000, `${form}: ${testGuess_ms(parseLink(form))}`);
});

test("links are tested of cells with fewer attempts that count than planned, whatever the sweep is of", () => {
  const link_profile = parseLink("3mbit/50ms");
  const attempt = (cell: number, status: LoadStatus) => ({ id: 0, cell, status, started_at: "" });
  const results = {
    cellLinksOf: () => [
      { id: 1, link: "3mbit/50ms", link_profile },
      { id: 2, link: null, link_profile: null },
      { id: 3, link: "9mbit/9ms", link_profile },
    ],
    attemptsOf: () => [attempt(1, "valid"), attempt(1, "failed"), attempt(3, "valid"), attempt(3, "invalid")],
  };
  const sweep = { kind: "fetches", id: 7 } as AnySweep;
  const pending = (counted: readonly LoadStatus[]) => [...linksToTest(results, sweep, counted, 2).keys()];
  assert.deepEqual(pending(["valid", "failed"]), ["9mbit/9ms"]);
  assert.deepEqual(pending(["valid"]), ["3mbit/50ms", "9mbit/9ms"]);
});
