// cli/instruments/page/run/outcome.ts: what a finished sweep says where some or all of its loads are not valid.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  disturbedRemedy,
  failureOf,
  outcomeLines,
  outcomeOf,
} from "../../../../../cli/instruments/page/run/outcome.ts";
import type { Measure } from "../../../../../cli/instruments/page/run/request.ts";
import { timeOut } from "../../../../../cli/load/time_out.ts";
import { type Load, openResults } from "../../../../../cli/results/store/results.ts";
import type { LoadFacts } from "../../../../../schemas/generated/page_load.ts";
import { tempFolder } from "../../../../temp_folder.ts";
import { fastPlan, fastRun, validLoad } from "./fast_runner.ts";

async function outcome(
  invalid: readonly string[],
  links: string[],
  lost: Pick<LoadFacts, "status" | "reasons"> & { readonly plt_ms?: null } = {
    status: "invalid",
    reasons: ["the link was late"],
  },
  pages = ["a"],
) {
  const home = tempFolder("trilane-outcome-");
  const plan = fastPlan({ pages, links, retries: 0 });
  const measure: Measure = async (request) => {
    const { log } = await validLoad(request);
    if (!invalid.includes(request.lane)) return { log };
    const { status, reasons, plt_ms = log._trilane.metrics.plt_ms } = lost;
    const metrics = { ...log._trilane.metrics, plt_ms };
    return { log: { ...log, _trilane: { ...log._trilane, status, reasons, metrics } } };
  };
  const { all: loads } = await fastRun({ home, plan, measure });
  const results = openResults(home);
  const of = outcomeOf(results.cellsOf(1), results.loadsOf(1), plan, loads);
  results.close();
  return {
    ...of,
    text: outcomeLines(of)
      .map(({ text }) => text)
      .join("\n"),
  };
}

for (const links of [["1mbit/20ms"], ["1mbit/20ms", "2mbit/20ms"]])
  test(`all loads of a cell invalid: said in the table and the verdict, of ${links.length} links`, async () => {
    const { table, counts, cells, text } = await outcome(["h3"], links);
    assert.ok(
      table.slice(1).every((line) => /none/.test(line) || !/^h3/.test(line)),
      table.join("\n"),
    );
    assert.match(text, /h3 has no valid load\./);
    const loads = 3 * links.length;
    assert.deepEqual(counts, { valid: 2 * loads, invalid: loads, failed: 0, given_up: loads });
    assert.ok(cells.every(({ lane, median_ms, valid }) => (lane === "h3") === (median_ms === null && valid === 0)));
  });

test("a lane that timed out is over the time it was given, in the table and in the event, of one link and of two", async () => {
  for (const links of [["1mbit/20ms"], ["1mbit/20ms", "2mbit/20ms"]]) {
    const lost = { status: "failed", reasons: [timeOut(60_000)], plt_ms: null } as const;
    const { table, cells } = await outcome(["h3"], links, { ...lost, reasons: [...lost.reasons] });
    assert.match(table.join("\n"), /over 60\.0 s/);
    assert.deepEqual(
      cells.map(({ lane, at_least, timed_out }) => [lane, at_least, timed_out]),
      links.flatMap(() => [
        ["h1", false, 0],
        ["h2", false, 0],
        ["h3", true, 3],
      ]),
    );
  }
});

test("pages of one series, whose names are too long for the table, are told apart by their ends", async () => {
  const series = ["01", "02"].map((number) => `das-2014-30-seed-1-page-${number}`);
  const { table } = await outcome([], ["1mbit/20ms"], undefined, series);
  assert.deepEqual(
    table.slice(1).map((line) => line.split(" ")[0]),
    ["das-2014-3…eed-1-page-01", "das-2014-3…eed-1-page-02"],
  );
});

test("no load valid at all: every lane is named, and nothing is blank", async () => {
  const { text, counts } = await outcome(["h1", "h2", "h3"], ["1mbit/20ms"]);
  for (const lane of ["h1", "h2", "h3"]) assert.match(text, new RegExp(`${lane} has no valid load\\.`));
  assert.equal(counts.valid, 0);
  assert.match(text, /^h1 .*none/m);
});

test("a sweep without a valid load says so if the machine disturbed each load, and only then", () => {
  const late = { reasons: ["the machine disturbed the load: by up to 9.0 ms"] };
  assert.match(
    disturbedRemedy([late, late]) ?? "",
    /^the machine disturbed all of them: run it again on a calmer one$/,
  );
  assert.equal(disturbedRemedy([late, { reasons: ["2 of 9 requests failed"] }]), null);
  assert.equal(disturbedRemedy([]), null);
});

test("a sweep of no use says so in one line: the most frequent reason and a remedy, or that the time was too short", () => {
  const answer = { hasInterval: false } as Parameters<typeof failureOf>[0]["answer"];
  const load = (status: "valid" | "failed", reason?: string) =>
    ({ page: "shop", lane: "h1", status, reasons: reason ? [reason] : [] }) as unknown as Load;
  const ended = { sweep: 3, plan: { lanes: ["h1"] }, answer, cut: 0, limit_s: 360 } as const;
  const broken = [
    load("failed", "timed out"),
    ...[1, 2].map((pid) => load("failed", `the browser did not start: ${pid}`)),
  ];
  assert.equal(
    failureOf({ ...ended, loads: broken }),
    "no load of sweep 3 was valid: the browser did not start: see its report, and what `trilane doctor` finds",
  );
  const some = [...broken, load("valid")];
  assert.equal(failureOf({ ...ended, loads: some, cut: 5 }), "no answer in 6 min: run it again while less else runs");
  assert.match(failureOf({ ...ended, loads: some }) ?? "", /^no answer, because too many loads do not count: /);
  assert.equal(failureOf({ ...ended, loads: some, limit_s: undefined }), null);
  assert.equal(failureOf({ ...ended, loads: some, answer: { ...answer, hasInterval: true } }), null);
});
