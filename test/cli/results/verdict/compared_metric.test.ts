// By which metric lanes are compared: one choice where samples are made, and every statistic and sentence follows.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isUserTiming } from "../../../../cli/base/user_timing_name.ts";
import { pageRule } from "../../../../cli/instruments/page/run/settled_lanes.ts";
import { whyUnended } from "../../../../cli/load/video_step.ts";
import {
  comparedMetric,
  hasNoTime,
  type Measured,
  metricChoices,
  samplesOf,
} from "../../../../cli/results/verdict/compared_metric.ts";
import { isValid, timedOut } from "../../../../cli/results/verdict/sample.ts";
import { verdictBy } from "../../../../cli/results/verdict/sweep_verdict.ts";
import { planDigest } from "../../../../cli/sweep/plan/plan.ts";
import { fastPlan } from "../../instruments/page/run/fast_runner.ts";

const place = { page: "page", link: "1mbit/50ms", status: "valid", reasons: [] } as const;

/** By PLT h2 is faster than h3, by LCP slower. */
const loadsOf = (blocks: number): Measured[] =>
  Array.from({ length: blocks }, (_, block) => [
    { ...place, lane: "h2", block, plt_ms: 1000 + block, lcp_ms: 800 + block },
    { ...place, lane: "h3", block, plt_ms: 1200 + block, lcp_ms: 600 + block },
  ]).flat();

test("the choices are those of the schema, each with its words", () => {
  const path = join(import.meta.dirname, "..", "..", "..", "..", "schemas", "metrics.schema.json");
  const { definitions } = JSON.parse(readFileSync(path, "utf8")) as {
    definitions: { choice: { anyOf: [{ enum: string[] }, { pattern: string }] } };
  };
  const [listed, own] = definitions.choice.anyOf;
  assert.deepEqual(metricChoices, listed.enum);
  for (const name of ["mark:a", "measure:a b:c", "mark:", "plt", "mark:a\nb", `mark:${"x".repeat(101)}`])
    assert.equal(isUserTiming(name), new RegExp(own.pattern).test(name), name);
  assert.deepEqual(
    metricChoices.map((choice) => comparedMetric(choice).name),
    ["plt_ms", "ttfb_ms", "fcp_ms", "lcp_ms", "speed_index_ms", "startup_delay_ms", "viewing_ms"],
  );
  assert.equal(new Set(metricChoices.map((choice) => comparedMetric(choice).noun)).size, metricChoices.length);
});

test("a sample has the metric's time; by the page load time it is the load itself", () => {
  const loads = loadsOf(1);
  assert.equal(samplesOf(loads), loads);
  assert.deepEqual(
    samplesOf(loads, "lcp").map(({ plt_ms }) => plt_ms),
    [800, 600],
  );
});

test("a valid load without the metric is left out, for that reason; one that timed out is slower than all others", () => {
  const [load] = loadsOf(1) as [Measured];
  const lacking = { ...load, lcp_ms: null };
  const late = { ...load, status: "failed", plt_ms: null, lcp_ms: null } as const;
  const out = { ...late, reasons: ["the load event did not come within 60000 ms"] };
  const spoiled = { ...load, status: "invalid", reasons: ["the link was late"] } as const;
  const [a, b, c] = samplesOf([lacking, out, spoiled], "lcp") as [Measured, Measured, Measured];
  assert.deepEqual([isValid(a), a.reasons, hasNoTime(a, "lcp")], [false, ["no LCP"], true]);
  assert.deepEqual([isValid(b), timedOut(b), hasNoTime(b, "lcp")], [false, true, false]);
  assert.deepEqual([isValid(c), c.reasons, hasNoTime(c, "lcp")], [false, ["the link was late"], false]);
  assert.equal(isValid(samplesOf([lacking])[0] as Measured), true);
  const { excluded } = verdictBy("lcp", [...loadsOf(6), { ...lacking, block: 9 }], new Map(), 1);
  assert.match(excluded ?? "", /1 of 13 loads does not count: no LCP \(1\)/);
});

test("of a load that timed out the first byte and paint that came by then are its own, and what did not come is slower", () => {
  const [load] = loadsOf(1) as [Measured];
  const reasons = ["the load event did not come within 60000 ms"];
  const out = { ...load, status: "failed", plt_ms: null, lcp_ms: null, reasons, bytes: 9000 } as const;
  const judged = (more: Partial<Measured>, metric: "ttfb" | "fcp" | "startup") => {
    const [sample] = samplesOf([{ ...out, ...more }], metric) as [Measured];
    return isValid(sample) ? sample.plt_ms : timedOut(sample) ? "slower" : sample.reasons[0];
  };
  assert.deepEqual([judged({ ttfb_ms: 90 }, "ttfb"), judged({ ttfb_ms: 90, fcp_ms: 200 }, "fcp")], [90, 200]);
  assert.equal(judged({ ttfb_ms: 90, fcp_ms: null }, "fcp"), "slower", "the page was asked, and had painted nothing");
  assert.deepEqual([judged({ bytes: 0 }, "ttfb"), judged({ bytes: 0 }, "fcp")], ["slower", "slower"], "nothing came");
  // Stored before pages were asked, say.
  assert.deepEqual([judged({}, "ttfb"), judged({}, "fcp")], ["timed out, TTFB not known", "timed out, FCP not known"]);
  assert.ok(hasNoTime(samplesOf([out], "ttfb")[0] as Measured, "ttfb"));
  // A video that began, and one that did not, and one of which nobody knows.
  const endless = "the video did not end within 90000 ms";
  assert.equal(judged({ reasons: [endless], startup_delay_ms: 800 }, "startup"), 800);
  assert.equal(judged({ reasons: [`${endless}: it never began to play`] }, "startup"), "slower");
  const ended = (isLoaded: boolean) => judged({ reasons: [whyUnended(null, endless, isLoaded)] }, "startup");
  assert.match(`${ended(true)}`, /^timed out, .* not known$/, "its page did not answer");
  assert.equal(ended(false), "slower", "its page did not load");
  const disturbed = { reasons: [...reasons, "the machine disturbed the load: by up to 900.0 ms"], ttfb_ms: 90 };
  assert.equal(judged(disturbed, "ttfb"), disturbed.reasons[0], "it says nothing of the page");
});

test("a late image does not make the first byte late: most loads of one lane miss the load event", () => {
  const loads = loadsOf(9).map((load) => ({ ...load, ttfb_ms: 100 }));
  const reasons = ["the load event did not come within 60000 ms"];
  const withLate = (known: boolean) =>
    loads.map((load) =>
      load.lane === "h3" && load.block < 5
        ? {
            ...load,
            status: "failed" as const,
            reasons,
            plt_ms: null,
            bytes: 9000,
            ttfb_ms: known ? load.ttfb_ms : null,
          }
        : load,
    );
  for (const known of [true, false]) {
    const { pairs, excluded } = verdictBy("ttfb", withLate(known), new Map(), 1);
    assert.match(pairs[0]?.sentence ?? "", /^By TTFB, (no difference|h3 was as fast as)/, `${known}`);
    assert.equal(excluded, known ? null : "5 of 18 loads do not count: timed out, TTFB not known (5).");
  }
});

test("sentences name another metric than the page load time, and say what it shows", () => {
  const loads = loadsOf(8);
  const byPlt = verdictBy("plt", loads, new Map(), 1);
  const byLcp = verdictBy("lcp", loads, new Map(), 1);
  assert.match(byPlt.pairs[0]?.sentence ?? "", /^h3 is .*slower than h2/);
  assert.match(byLcp.pairs[0]?.sentence ?? "", /^By LCP, h3 is .*faster than h2/);
  assert.doesNotMatch(byPlt.scope, /compared by/);
  assert.match(byLcp.scope, /compared by largest contentful paint$/);
  const alike = loads.map((load) => ({ ...load, fcp_ms: 500 + load.block }));
  assert.match(verdictBy("fcp", alike, new Map(), 1).pairs[0]?.sentence ?? "", /^By FCP, no difference/);
});

test("a sweep runs until its metric is decided", () => {
  const until = { decided_percent: 3 };
  // By LCP h3 is slower in most blocks and faster in some: not enough to tell.
  const ratios = [1.1, 0.97, 1.12, 0.99, 1.08, 1.03, 0.96, 1.09];
  const loads = loadsOf(ratios.length).map((load) => ({
    ...load,
    lcp_ms: load.lane === "h2" ? 700 : 700 * (ratios[load.block] ?? 1),
  }));
  const enough = (metric: "plt" | "lcp") =>
    pageRule({ until, metric, lanes: ["h2", "h3"] }, loads).isEnough({ ...place, lane: "h3" }, 8);
  assert.deepEqual([enough("plt"), enough("lcp")], [true, false]);
});

test("another metric is another plan; naming the usual one is not", () => {
  const plan = fastPlan({ pages: ["a"] });
  assert.equal(planDigest({ ...plan, metric: "plt" }), planDigest(plan));
  assert.notEqual(planDigest({ ...plan, metric: "lcp" }), planDigest(plan));
});

test("a mark of the page is compared as a moment; a load without it is missing there, with its reason, and no other's", () => {
  const marked = loadsOf(9).map(
    (load, place): Measured => (place === 4 ? load : { ...load, user_timings: { "mark:ready": load.lcp_ms ?? 0 } }),
  );
  const samples = samplesOf(marked, "mark:ready");
  assert.deepEqual(
    samples.map(({ plt_ms }) => plt_ms),
    marked.map(({ lcp_ms }, place) => (place === 4 ? null : lcp_ms)),
  );
  const [missing] = samples.filter((sample) => !isValid(sample));
  assert.deepEqual(missing?.reasons, ["no mark:ready"]);
  assert.ok(missing && hasNoTime(missing, "mark:ready"));
  assert.deepEqual(comparedMetric("mark:ready"), {
    ...{ name: "mark:ready", title: "mark:ready", noun: 'the page\'s mark "ready"' },
  });
  const { pairs, scope } = verdictBy("mark:ready", marked, new Map(), 1);
  assert.match(pairs.map(({ sentence }) => sentence).join(), /By mark:ready, h3 is .* faster than h2/i);
  assert.match(scope, /compared by the page's mark "ready"/);
  assert.ok(samplesOf(marked, "measure:ready").every((sample) => !isValid(sample)));
});
