// cli/instruments/flows/plan/options.ts and describe.ts: the plan that a command line comes to, what is wrong with one, and what is shown of it
// without running it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeFlows, flowPlanLines } from "../../../../../cli/instruments/flows/plan/describe.ts";
import { type FlowOptions, flowPlanFrom } from "../../../../../cli/instruments/flows/plan/options.ts";
import { cellsOf, flowPlanDigest, mixesOf, pageOf } from "../../../../../cli/instruments/flows/plan/plan.ts";
import { schemaErrors } from "../../../../schemas/schema_errors.ts";

const kernel = ["reno", "cubic", "bbr"];
const none: FlowOptions = {
  ...{ plan: undefined, link: [], flow: [], for: undefined, runs: undefined },
  ...{
    ping: false,
    rrul: false,
    seed: undefined,
    retries: undefined,
    page: undefined,
    lanes: undefined,
    tolerance: undefined,
    servers: undefined,
  },
  ...{ decide: undefined, precise: undefined, "time-limit": undefined },
};
const plan = (options: Partial<FlowOptions>) => flowPlanFrom({ ...none, ...options }, undefined, kernel);

test("several --flow are one mix, on the usual link for the usual time", () => {
  const { name, links, mixes, for_s, repetitions, ping_ms } = plan({ flow: ["quic:cubic-n2", "tcp@5s"] });
  assert.deepEqual(
    { name, links, mixes, for_s, repetitions, ping_ms },
    {
      name: "flows quic-cubic-n2 - tcp-cubic-5s",
      links: ["10mbit/50ms"],
      mixes: [{ name: "quic:cubic-n2 + tcp:cubic@5s", flows: ["quic:cubic-n2", "tcp:cubic@5s"] }],
      ...{ for_s: 60, repetitions: 9, ping_ms: null },
    },
  );
});

test("--rrul is four flows of TCP each way and a ping", () => {
  const made = plan({ rrul: true, link: ["20mbit/40ms"], for: "1min", runs: 2 });
  assert.deepEqual(
    mixesOf(made).map(({ name, flows }) => [name, flows.map(({ direction, count }) => [direction, count])]),
    [
      [
        "rrul",
        [
          ["down", 4],
          ["up", 4],
        ],
      ],
    ],
  );
  assert.deepEqual([made.ping_ms, made.for_s, made.repetitions], [100, 60, 2]);
});

test("--tolerance is the plan's, decides what its runs are, and is refused in one line", () => {
  const made = plan({ flow: ["tcp"], tolerance: "5%,50ms" });
  assert.deepEqual(made.tolerance, { share: 0.05, ms: 50 });
  const without = plan({ flow: ["tcp"] });
  assert.equal(without.tolerance, undefined);
  assert.notEqual(flowPlanDigest(made), flowPlanDigest(without));
  assert.throws(
    () => plan({ flow: ["tcp"], tolerance: "much" }),
    /UserError: --tolerance must be a share of the run, a time/,
  );
});

test("options take the place of what a plan says, or are refused beside it", () => {
  const made = plan({ plan: "example", runs: 1, seed: 7 });
  assert.deepEqual([made.repetitions, made.seed, made.retries], [1, 7, 2]);
  assert.equal(cellsOf(made).length, 6);
  for (const beside of [
    { flow: ["tcp"] },
    { link: ["1mbit/1ms"] },
    { for: "5s" },
    { ping: true },
    { rrul: true },
    { page: "x" },
  ])
    assert.throws(
      () => plan({ plan: "example", ...beside }),
      new RegExp(`^UserError: --${Object.keys(beside)[0]}: plan example says this itself: leave one of the two out$`),
    );
});

test("--page names a page and when it begins, --lanes what it is loaded over", () => {
  const made = plan({ flow: ["tcp:bbr"], page: "carlucci-medium@10s", lanes: "h1,h3" });
  assert.deepEqual(pageOf(made), { page: "carlucci-medium", start_s: 10, lanes: ["h1", "h3"] });
  assert.equal(made.name, "carlucci-medium amid flows tcp-bbr");
  const usual = plan({ flow: ["tcp:bbr"], page: "https://user@shop.example/" });
  assert.deepEqual(pageOf(usual), { page: "https://user@shop.example/", start_s: 5, lanes: ["h1", "h2", "h3"] });
  const imported = flowPlanFrom({ ...none, flow: ["tcp"], page: "shop.har@2s" }, { synth: "carlucci-small" }, kernel);
  assert.deepEqual(pageOf(imported)?.page, { synth: "carlucci-small" });
});

const wrong: [string, Partial<FlowOptions>, RegExp][] = [
  ["nothing named", {}, /^flows: names no flow: give --flow, as --flow tcp:cubic, or --rrul, or a plan$/],
  ["two mixes at once", { flow: ["tcp"], rrul: true }, /^--rrul is a mix of its own/],
  ["an unknown transport", { flow: ["tcp", "udp"] }, /^flow "udp", character 1: transport "udp": use tcp, tls, quic$/],
  ["a start after the end", { flow: ["tcp@5s"], for: "5s" }, /^flow tcp:cubic@5s starts when the run has ended, at 5s/],
  ["no time", { flow: ["tcp"], for: "0s" }, /^--for "0s" must be above 0s, up to 86400s$/],
  ["a time without a unit", { flow: ["tcp"], for: "60" }, /^--for "60" has no unit: use ms, s, min, h$/],
  [
    "a link without a delay",
    { flow: ["tcp"], link: ["5mbit"] },
    /^--link 5mbit: says no round-trip time: write 5mbit\/50ms/,
  ],
  ["a link twice", { flow: ["tcp"], link: ["5mbit/50ms", "5mbit/50ms"] }, /link 5mbit\/50ms stands there twice/],
  ["10 000 flows", { flow: ["10000*tcp"] }, /count "10000": must be from 1 to 1000$/],
  ["lanes of no page", { flow: ["tcp"], lanes: "h1" }, /^--lanes: is of --page, and there is none/],
  ["an unknown lane", { flow: ["tcp"], page: "x", lanes: "h4" }, /^lane "h4" is not known: did you mean h1\? use h1/],
  ["a page before the browser", { flow: ["tcp"], page: "x@0s" }, /^--page "x@0s": begins at 1s or later/],
  ["a page at no time", { flow: ["tcp"], page: "x@5" }, /^--page "x@5": 5 has no unit: use ms, s, min, h$/],
  [
    "a page after the end",
    { flow: ["tcp"], page: "x@60s" },
    /^the page starts at 60 s, when the run of 60 s has ended/,
  ],
  ["a page loaded twice", { flow: ["tcp"], page: "x", lanes: "h3-0rtt" }, /lane h3-0rtt has two navigations/],
  ["no such plan", { plan: "nowhere" }, /^no plan nowhere: name a file, or one of/],
];
for (const [name, options, message] of wrong)
  test(`${name}: refused in one line`, () => {
    assert.throws(
      () => plan(options),
      (error: Error) => error.name === "UserError" && message.test(error.message) && !error.message.includes("\n"),
    );
  });

test("a dry run says what would run, for people within 80 columns and for programs by its schema", () => {
  const made = plan({ plan: "example" });
  const planned = describeFlows(made);
  assert.equal(schemaErrors("flows-planned", planned), null);
  assert.deepEqual([planned.cells, planned.runs, planned.page], [6, 18, null]);
  assert.ok(planned.expected_s > 18 * 60 && planned.expected_s < 18 * 65, String(planned.expected_s));
  const lines = flowPlanLines(made, planned);
  assert.ok(lines.every((line) => line.length <= 80));
  const text = lines.join("\n");
  for (const said of [
    /2 mixes +alone: quic:cubic-n2 \(1 flow\)/,
    /= 18 runs of 60 s/,
    /ping +each 100 ms/,
    /links +3: /,
  ])
    assert.match(text, said);
});
