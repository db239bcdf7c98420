// The self-test of a sweep's links: each measured once on a machine, kept with the sweep, and loads on one that is out not
// counted.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { parseLink } from "../../../cli/link/link.ts";
import { openResults } from "../../../cli/results/results.ts";
import { openLinkTests, testGuess_ms } from "../../../cli/sweep/link_tests.ts";
import { cellsOf } from "../../../cli/sweep/plan.ts";
import type { LinkTested } from "../../../schemas/generated/sweep_event.ts";
import { testedLink } from "../selftest/tested.ts";
import { fastPlan, fastRun, sweepOf, validLoad } from "./fast_runner.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "trilane-link-tests-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const plan = fastPlan();
const links = [...new Set(cellsOf(plan).map((cell) => cell.link))];

/** Runs the tests of the plan's sweep; 10mbit links with 200 ms are out. */
async function run(signal = new AbortController().signal, stopAfter = Number.POSITIVE_INFINITY) {
  const results = openResults(home);
  const { sweep } = results.beginSweep(sweepOf(plan), false);
  const asked: string[] = [];
  const events: LinkTested[] = [];
  try {
    const tests = openLinkTests({
      results,
      sweep,
      signal,
      tell: (event) => events.push(event),
      test: async (link) => {
        if (asked.length === stopAfter) throw new Error("no lab");
        const { rate_bps } = link.down;
        const form = links.find(
          (each) => parseLink(each).rtt_ms === link.rtt_ms && parseLink(each).down.rate_bps === rate_bps,
        );
        asked.push(form ?? "none");
        return testedLink("as it is called elsewhere", form === "10mbit/200ms" ? "out" : "within");
      },
    });
    const faults = new Map<string, string>();
    for (const link of [...links, ...links]) {
      const fault = await tests.faultOf(link);
      if (fault !== null) faults.set(link, fault);
    }
    return { faults, asked, events, stored: results.linkTestsOf(sweep.id) };
  } finally {
    results.release(sweep.id);
    results.close();
  }
}

test("each link is measured once, told and kept; a resumed sweep measures again what was out", async () => {
  const { faults, asked, events, stored } = await run();
  assert.deepEqual(asked, links);
  assert.deepEqual([...faults.keys()], ["10mbit/200ms"]);
  assert.match(faults.get("10mbit/200ms") ?? "", /^the link's self-test is out of tolerance: rate down 2\.9/);
  assert.deepEqual(
    events.map(({ link, outcome, tested }) => [link, outcome, tested]),
    links.map((link, index) => [link, link === "10mbit/200ms" ? "out" : "within", index + 1]),
  );
  assert.equal(events.at(-1)?.left_s, 0);
  assert.deepEqual(
    stored.map(({ test: { link } }) => link),
    links,
  );
  const again = await run();
  assert.deepEqual([again.asked, again.events.length, [...again.faults]], [["10mbit/200ms"], 1, [...faults]]);
});

test("an interrupted run keeps what it measured; what would fail every load is thrown", async () => {
  await assert.rejects(run(undefined, 2), /no lab/);
  const stopped = new AbortController();
  stopped.abort();
  await assert.rejects(run(stopped.signal, 0), { name: "AbortError" });
  assert.deepEqual((await run()).asked, links.slice(2));
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
  const results = openResults(home);
  const loads = results.loadsOf(results.listSweeps()[0]?.id ?? 0);
  assert.equal(loads.length, 6);
  for (const load of loads) {
    const expected = load.link === "3mbit/50ms" ? ["invalid", [reason]] : ["valid", []];
    assert.deepEqual([load.status, load.reasons], expected);
    // In the page load, too: an exported HAR says why.
    const { status, reasons } = results.harOf(load.id).log._trilane;
    assert.deepEqual([status, reasons], expected);
  }
  results.close();
});

test("a guess at a self-test is a few seconds", () => {
  for (const form of ["200kbit/300ms", "3mbit/50ms", "1gbit/10ms", "unlimited/50ms"])
    assert.ok(testGuess_ms(parseLink(form)) < 5000, `${form}: ${testGuess_ms(parseLink(form))}`);
});
