// cli/sweep/plan/plan.ts: a plan's expansion, its digest, and one clear line for each way in which a plan can be wrong.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { syntheticTraces } from "../../../../cli/link/trace/networks.ts";
import { laneServing, presets } from "../../../../cli/load/serving/serving.ts";
import { cellsOf, planDigest, planOf, readPlan, shippedPlans } from "../../../../cli/sweep/plan/plan.ts";
import { linksOf } from "../../../../cli/sweep/plan/plan_links.ts";
import { growth } from "../../../growth.ts";
import { tempFolder } from "../../../temp_folder.ts";

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const least = { name: "least", pages: ["page"], lanes: ["h1"], links: ["3mbit/50ms"], repetitions: 1 };

describe("plan", () => {
  test("defaults are filled in, and the document is left as it was", () => {
    const document = structuredClone(least);
    const plan = planOf(document, "least");
    assert.deepEqual([plan.seed, plan.retries, plan.timeout_s, plan.settle_ms], [1, 2, 60, 0]);
    assert.deepEqual(document, least);
  });

  test("a preset stays where a plan changes one of its settings", () => {
    const transport = { preset: "tuned", tcp: { congestion_control: "bbr" } };
    const { tcp, quic } = planOf({ ...least, serving: { transport } }, "tuned").serving.transport;
    assert.deepEqual(tcp, { ...presets.tuned.tcp, congestion_control: "bbr" });
    assert.deepEqual(quic, presets.tuned.quic);
  });

  test("a grid is every rate with every RTT with every loss", () => {
    const grid = { rates_mbit: [0.2, 25], rtts_ms: [30, 300], loss: [0, 0.07] };
    const plan = planOf({ ...least, links: ["unlimited/0ms", { grid }] }, "grid");
    assert.deepEqual(
      linksOf(plan).map(({ link }) => link),
      [
        "unlimited/0ms",
        "200kbit/30ms",
        "200kbit/30ms,loss=7%",
        "200kbit/300ms",
        "200kbit/300ms,loss=7%",
        "25mbit/30ms",
        "25mbit/30ms,loss=7%",
        "25mbit/300ms",
        "25mbit/300ms,loss=7%",
      ],
    );
    assert.equal(linksOf(plan)[2]?.link_profile.down.loss, 0.07);
  });

  test("a large grid takes time by its size, and one too large is refused before it is expanded", async () => {
    const grid = (count: number) => ({
      ...least,
      links: [{ grid: { rates_mbit: upTo(count), rtts_ms: upTo(count) } }],
    });
    const expand = (count: number): void => assert.equal(linksOf(planOf(grid(count), "large")).length, count * count);
    // Comparing each with each is 81 times as much.
    const grown = await growth(
      () => expand(50),
      () => expand(150),
      2,
    );
    assert.ok(grown < 40, `${grown} times as much for 9 times as many links`);
    const refuse = (): void =>
      assert.throws(
        () => planOf(grid(4000), "huge"),
        /^UserError: plan huge: 16000000 lanes on links: ask for at most 500000/,
      );
    const refused = await growth(() => expand(150), refuse, 2);
    assert.ok(refused < 10, `${refused} times as much as expanding 22 500, where 16 million are 700 times as many`);
  });

  test("too many loads are refused", () => {
    assert.throws(
      () =>
        planOf({ ...least, links: [{ grid: { rates_mbit: [1, 2], rtts_ms: upTo(1000) } }], repetitions: 10_000 }, "x"),
      /^UserError: plan x: 20000000 loads: ask for at most 10000000$/,
    );
  });

  test("nesting without end and control characters are refused in one line", () => {
    const deep: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    assert.throws(() => planOf(deep, "deep"), /^UserError: plan deep: nested too deeply/);
    for (const change of [
      { pages: ["a\u001b[31m"] },
      { pages: [{ synth: "\u009b" }] },
      { description: "a\u0007" },
      { links: ["3mbit/50ms,trace=\u001b"] },
    ])
      assert.throws(() => planOf({ ...least, ...change }, "wrong"), /^UserError: plan wrong: control characters in /);
    planOf({ ...least, description: "two\nlines" }, "fine");
  });

  test("cells are pages x links x lanes", () => {
    const plan = planOf(
      { ...least, pages: ["a", { synth: "carlucci-small" }], lanes: ["h1", "h3"], links: ["1mbit/9ms", "2mbit/9ms"] },
      "cells",
    );
    assert.deepEqual(
      cellsOf(plan).map(({ page, link, lane }) => `${page} ${link} ${lane}`),
      ["a", "carlucci-small"].flatMap((page) =>
        ["1mbit/9ms", "2mbit/9ms"].flatMap((link) => ["h1", "h3"].map((lane) => `${page} ${link} ${lane}`)),
      ),
    );
  });

  test("the digest is of what decides the loads", () => {
    const digest = (change: object) => planDigest(planOf({ ...least, ...change }, "digest"));
    const same = digest({});
    assert.equal(digest({ description: "words", reference: "more words" }), same);
    assert.equal(digest({ seed: 1, retries: 2 }), same, "defaults written out");
    assert.equal(digest({ serving: { think: "none", transport: { preset: "stock" } } }), same, "stock written out");
    assert.equal(digest({ dilate: 1 }), same, "undilated written out");
    const tuned = digest({ serving: { transport: { preset: "tuned" } } });
    assert.equal(
      digest({ serving: { transport: { preset: "custom", ...presets.tuned } } }),
      tuned,
      "tuned written out",
    );
    assert.equal(digest({ links: [{ grid: { rates_mbit: [3], rtts_ms: [50] } }] }), same, "a grid of the same link");
    const changes = [
      { name: "other" },
      { pages: ["other"] },
      { lanes: ["h2"] },
      { links: ["3mbit/51ms"] },
      { repetitions: 2 },
      { seed: 2 },
      { retries: 3 },
      { timeout_s: 61 },
      { settle_ms: 1 },
      { serving: { think: "recorded" } },
      { serving: { transport: { tcp: { pacing: true } } } },
    ];
    assert.equal(new Set([same, ...changes.map(digest)]).size, changes.length + 1);
  });

  test("a plan says all of how it is served, and a plan made of it says the same", () => {
    const plan = planOf({ ...least, serving: { think: { ms: 20 }, transport: { preset: "tuned" } } }, "serving");
    assert.deepEqual(plan.serving.think, { ms: 20 });
    assert.deepEqual(plan.serving.transport.tcp, presets.tuned.tcp);
    assert.deepEqual(planOf(plan, "again"), plan);
    assert.equal(planOf(least, "least").serving.transport.preset, "stock");
  });

  const wrong: [string, object, RegExp][] = [
    [
      "a window of 0",
      { serving: { transport: { tcp: { initial_window_packets: 0 } } } },
      /serving\.transport\.tcp\.initial_window_packets: must be >= 1 \(got 0\)/,
    ],
    ["a serving with a word that is not known", { serving: { speed: 1 } }, /plan x: serving: "speed" is not known/],
    [
      "a lane of early data without TLS 1.3",
      { lanes: ["h2-0rtt"], serving: { tls: "1.2" } },
      /^UserError: plan x: lane h2-0rtt needs TLS 1\.3/,
    ],
    ["a think time of no unit", { serving: { think: 20 } }, /plan x: serving\.think/],
    [
      "an unknown lane",
      { lanes: ["h1", "h4"] },
      /^UserError: plan x: lanes\[1\]: must be one of h1, h1-clear, .*h3-0rtt \(got "h4"\)$/,
    ],
    ["a lane twice", { lanes: ["h1", "h1"] }, /plan x: lanes: "h1" stands there twice: name it once$/],
    ["no page", { pages: [] }, /plan x: pages: must NOT have fewer than 1 items/],
    ["a page twice", { pages: ["a", { synth: "a" }] }, /page a stands there twice/],
    ["a rate of 0", { links: ["0mbit/50ms"] }, /link: rate must be above 0 \(got "0mbit"\)/],
    [
      "a rate of 0 in a grid",
      { links: [{ grid: { rates_mbit: [0], rtts_ms: [1] } }] },
      /links\[0\]\.grid\.rates_mbit\[0\]: must be > 0/,
    ],
    [
      "a loss in per cent",
      { links: [{ grid: { rates_mbit: [1], rtts_ms: [1], loss: [2] } }] },
      /loss\[0\]: must be <= 1 \(got 2\)/,
    ],
    ["a link twice", { links: ["3mbit/50ms", "3000kbit/50ms"] }, /link 3mbit\/50ms stands there twice/],
    ["no repetitions", { repetitions: 0 }, /plan x: repetitions: must be >= 1 \(got 0\)/],
    ["a word that is not known", { runs: 3 }, /plan x: "runs" is not known: did you mean "repetitions"\?$/],
    [
      "a word in place of another",
      { repetitions: undefined, run: 3 },
      /x: "run" is not known: did you mean "repetitions"\?/,
    ],
    [
      "a page that is no name",
      { pages: [{ recording: "x" }] },
      /x: pages\[0\]: "recording" is not known: did you mean "synth", or a name alone\?/,
    ],
    [
      "a link's member",
      { links: [{ rate: 3 }] },
      /x: links\[0\]: "rate" is not known: did you mean .*"grid".*, or a name alone\?/,
    ],
    ["a missing word", { name: undefined }, /plan x: "name" is missing/],
    ["a number for a page", { pages: [3] }, /plan x: pages\[0\]/],
    [
      "far too many loads",
      { repetitions: 10000, links: [{ grid: { rates_mbit: range(1, 50), rtts_ms: range(1, 50) } }] },
      /25000000 loads/,
    ],
  ];
  for (const [name, change, message] of wrong) {
    test(`${name} is refused in one line`, () => {
      const document: unknown = JSON.parse(JSON.stringify({ ...least, ...change }));
      assert.throws(
        () => planOf(document, "x"),
        (error: Error) => message.test(`${error.name}: ${error.message}`) && !error.message.includes("\n"),
      );
    });
  }

  test("a file that is missing, a folder, or no JSON is refused in one line", () => {
    const folder = tempFolder("trilane-plan-");
    assert.throws(
      () => readPlan(join(folder, "none.json")),
      /^UserError: no plan .*none.json: name a file, or one of .*example/,
    );
    assert.throws(() => readPlan(folder), /^UserError: no plan/);
    writeFileSync(join(folder, "cut.json"), '{"name": "cu');
    assert.throws(() => readPlan(join(folder, "cut.json")), /^UserError: plan .*cut.json: not JSON/);
  });

  test("every shipped plan is one, of the size its study had", () => {
    const home = tempFolder("trilane-plan-");
    const sizes = new Map(
      shippedPlans().map((name) => {
        const plan = readPlan(name, syntheticTraces(home));
        assert.equal(plan.name, name);
        assert.ok(plan.description, `${name} says what it asks`);
        return [name, cellsOf(plan).length * plan.repetitions];
      }),
    );
    assert.equal(sizes.get("carlucci-2015-s3"), 3 * 2 * 3 * 3 * 10);
    assert.ok(cellsOf(readPlan("das-2014-grid")).length >= 100 * 3);
    assert.equal(linksOf(readPlan("das-2014-grid")).length, 100);
    assert.equal(linksOf(readPlan("cse534-2017")).length, 4);
    assert.equal(sizes.get("yu-benson-2021"), 5 * 6 * 2 * 3 * 3 * 40);
    const yuBenson = readPlan("yu-benson-2021");
    assert.equal(laneServing(yuBenson, "h3:tuned").transport.preset, "tuned");
    assert.equal(laneServing(yuBenson, "h3:bbr").transport.quic.congestion_control, "bbr2");
    assert.equal(sizes.get("wolsing-2019-quick"), 5 * 4 * 6);
    assert.ok(sizes.has("example") && sizes.has("das-2014-subset"));
  });
});

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
