// cli/instruments/flows/plan: a plan's defaults, its cells, its order and digest, and each way in which one contradicts itself.
import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { guessRun_ms, guessStored_bytes } from "../../../../../cli/instruments/flows/plan/estimate.ts";
import {
  cellsOf,
  flowPlanDigest,
  flowPlanOf,
  pageOf,
  readFlowPlan,
  shippedFlowPlans,
} from "../../../../../cli/instruments/flows/plan/plan.ts";
import { orderRuns, runSeed } from "../../../../../cli/instruments/flows/plan/run_order.ts";
import { tempFolder } from "../../../../temp_folder.ts";

const least = { name: "x", links: ["5mbit/50ms"], mixes: [{ flows: ["tcp"] }], for_s: 60, repetitions: 3 };
const plan = (change: object = {}) => flowPlanOf({ ...least, ...change }, "x", { kernel: ["reno", "cubic", "bbr"] });
const two = [{ name: "alone", flows: ["quic"] }, { flows: ["quic", "2*tcp@5s"] }];

test("a plan gets its defaults, its flows their one form, a mix without a name that of its flows", () => {
  const { seed, retries, ping_ms, sample_ms, mixes, page, lanes } = plan({ mixes: two });
  assert.deepEqual(
    { seed, retries, ping_ms, sample_ms, page, lanes },
    {
      ...{ seed: 1, retries: 2, ping_ms: null, sample_ms: 5 },
      ...{ page: undefined, lanes: undefined },
    },
  );
  assert.deepEqual(mixes, [
    { name: "alone", flows: ["quic:cubic"] },
    { name: "quic:cubic + 2*tcp:cubic@5s", flows: ["quic:cubic", "2*tcp:cubic@5s"] },
  ]);
});

test("cells are links x mixes, and x lanes where a page is loaded", () => {
  const grid = { grid: { rates_mbit: [1, 5], rtts_ms: [50] } };
  const cells = cellsOf(plan({ links: [grid], mixes: two }));
  assert.deepEqual(
    cells.map(({ link, mix, lane }) => [link, mix, lane]),
    [
      ["1mbit/50ms", "alone", null],
      ["1mbit/50ms", "quic:cubic + 2*tcp:cubic@5s", null],
      ["5mbit/50ms", "alone", null],
      ["5mbit/50ms", "quic:cubic + 2*tcp:cubic@5s", null],
    ],
  );
  assert.equal(cells[1]?.flows[1]?.count, 2);
  const amid = plan({ mixes: two, page: "news" });
  assert.deepEqual(pageOf(amid), { page: "news", start_s: 5, lanes: ["h1", "h2", "h3"] });
  assert.deepEqual(
    cellsOf(amid).map(({ lane }) => lane),
    ["h1", "h2", "h3", "h1", "h2", "h3"],
  );
});

test("each block has every cell once, those of a link next to one another and in changing order", () => {
  const made = plan({ links: ["1mbit/50ms", "2mbit/50ms"], mixes: two, repetitions: 20 });
  const cells = cellsOf(made);
  const order = orderRuns(made, cells);
  const blocks = [...Map.groupBy(order, ({ block }) => block).values()].map((runs) => runs.map(({ cell }) => cell));
  assert.equal(blocks.length, 20);
  for (const block of blocks) {
    assert.deepEqual(block.toSorted(), [0, 1, 2, 3]);
    const links = block.map((cell) => cells[cell]?.link);
    assert.equal(links[0], links[1]);
  }
  assert.ok(new Set(blocks.map(String)).size > 3, "blocks are in different orders");
  assert.deepEqual(orderRuns(made, cells), order);
});

test("mixes on a link meet the same luck in a block, another one in each block and on each link", () => {
  const made = plan({ links: ["1mbit/50ms,loss=1%", "2mbit/50ms,loss=1%"], mixes: two });
  const seeds = cellsOf(made).map((cell) => runSeed(made, cell, 0));
  assert.equal(seeds[0], seeds[1]);
  assert.notEqual(seeds[0], seeds[2]);
  const [first] = cellsOf(made);
  assert.ok(first);
  assert.notEqual(runSeed(made, first, 1), seeds[0]);
});

test("the digest is of what decides the runs, not of the words for people or the way a flow is written", () => {
  const digest = flowPlanDigest(plan());
  const same = [{ description: "why" }, { mixes: [{ flows: ["1*tcp:cubic@0s,down"] }] }, { seed: 1 }];
  for (const change of same) assert.equal(flowPlanDigest(plan(change)), digest, JSON.stringify(change));
  const grid = { grid: { rates_mbit: [5], rtts_ms: [50] } };
  assert.equal(flowPlanDigest(plan({ links: [grid] })), digest);
  const other = [
    { mixes: [{ flows: ["tcp:reno"] }] },
    ...[{ for_s: 61 }, { seed: 2 }, { ping_ms: 100 }, { sample_ms: 10 }, { repetitions: 4 }, { page: "news" }],
  ];
  const digests = other.map((change) => flowPlanDigest(plan(change)));
  assert.equal(new Set([digest, ...digests]).size, other.length + 1);
  const amid = { page: "news" };
  const lanes = flowPlanDigest(plan({ ...amid, lanes: ["h3"] }));
  assert.equal(
    new Set([flowPlanDigest(plan(amid)), flowPlanDigest(plan({ ...amid, page_start_s: 6 })), lanes]).size,
    3,
  );
});

const wrong: [string, object, RegExp][] = [
  [
    "moves more often than the link lets them come about",
    { mixes: [{ flows: ["tcp", "quic,migrate=150ms"] }] },
    /^plan x: flow quic:cubic,migrate=150ms moves more often than every 4 round trips of 5mbit\/50ms: write migrate=200ms or longer$/,
  ],
  [
    "an unknown transport",
    { mixes: [{ flows: ["udp"] }] },
    /^plan x: flow "udp", character 1: transport "udp": use tcp/,
  ],
  ["a kernel without it", { mixes: [{ flows: ["tcp:vegas"] }] }, /this kernel offers reno, cubic, bbr/],
  [
    "a flow after the end",
    { for_s: 5, mixes: [{ flows: ["tcp@5s"] }] },
    /^plan x: flow tcp:cubic@5s starts when the run/,
  ],
  [
    "one mix twice",
    { mixes: [{ flows: ["tcp"] }, { name: "b", flows: ["tcp:cubic"] }] },
    /mix b is the same as tcp:cubic/,
  ],
  [
    "two mixes of a name",
    {
      mixes: [
        { name: "a", flows: ["tcp"] },
        { name: "a", flows: ["quic"] },
      ],
    },
    /mix a stands there twice/,
  ],
  ["lanes without a page", { lanes: ["h1"] }, /^plan x: lanes is of a page, and there is none/],
  ["a start without a page", { page_start_s: 3 }, /page_start_s is of a page/],
  [
    "a page after the end",
    { page: "news", page_start_s: 60 },
    /the page starts at 60 s, when the run of 60 s has ended/,
  ],
  ["a link twice", { links: ["1mbit/50ms", "1000kbit/50ms"] }, /link 1mbit\/50ms stands there twice/],
  ["no link", { links: ["fast"] }, /fast/],
  ["too many flows", { mixes: [{ flows: ["999*tcp", "2*quic"] }] }, /1001 flows at once/],
  [
    "too many runs",
    {
      repetitions: 10_000,
      links: [{ grid: { rates_mbit: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], rtts_ms: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] } }],
    },
    /1100000 runs: ask for at most 1000000/,
  ],
  [
    "a word too long to be shown",
    { name: "a".repeat(100_000) },
    /^plan x: name: must NOT have more than 120 characters \(got "a{119}\.\.\. of 100002 characters\)$/,
  ],
  ["a control character", { mixes: [{ name: "a\u001b[1m", flows: ["tcp"] }] }, /control characters/],
  ...(
    [
      ["one flow", [["tcp"]], /compares flows, and there is one: add a flow, or take interval_percent/],
      ["flows that are counted as one", [["2*tcp"]], /the 2 of 2\*tcp:cubic are counted as one: name them as several/],
      ["opposite flows", [["tcp", "tcp,up"]], /send the same way, and these send opposite ways: add a flow/],
      ["opposite mixes", [["tcp"], ["tcp,up"]], /send the same way, and these send opposite ways: add a flow/],
      [
        "mixes of opposite flows",
        [["tcp", "tcp,up"], ["quic"]],
        /in one mix, or mixes of one flow each, and there are/,
      ],
    ] as const
  ).map(([of, mixes, message]): (typeof wrong)[number] => [
    `--decide of ${of}`,
    { until: { decided_percent: 3 }, repetitions: 30, mixes: mixes.map((flows) => ({ flows: [...flows] })) },
    message,
  ]),
  ["a word that no plan has", { mix: [] }, /"mix" is not known: did you mean "mixes"\?/],
];
for (const [name, change, message] of wrong)
  test(`${name}: refused in one line`, () => {
    assert.throws(
      () => plan(change),
      (error: Error) => error.name === "UserError" && message.test(error.message) && !error.message.includes("\n"),
    );
  });

test("plans that Trilane comes with are read by name, others from files whose links' files lie beside them", () => {
  assert.ok(shippedFlowPlans().includes("example"));
  for (const name of shippedFlowPlans()) assert.ok(cellsOf(readFlowPlan(name)).length > 0, name);
  const folder = tempFolder("trilane-flow-plan-");
  const path = join(folder, "plan.json");
  writeFileSync(path, JSON.stringify({ ...least, links: ["trace=a.trace,rtt=20ms"] }));
  writeFileSync(join(folder, "a.trace"), "1\n2\n3\n");
  assert.equal(cellsOf(readFlowPlan(path))[0]?.link_profile.down.trace?.file, join(folder, "a.trace"));
  // Root reads what nobody may: there is nothing to be refused then.
  chmodSync(path, 0o000);
  if (process.getuid?.() !== 0) assert.throws(() => readFlowPlan(path), /plan .*plan\.json: may not be read: make it/);
  assert.throws(() => readFlowPlan("nowhere"), /no plan nowhere: name a file, or one of .*example/);
});

test("a run is guessed to last until its last flow ends, or the run does", () => {
  const guessOf = (change: object): number => {
    const made = plan(change);
    const [cell] = cellsOf(made);
    assert.ok(cell);
    return guessRun_ms(made, cell);
  };
  const open = guessOf({});
  assert.ok(open >= 60_000 && open < 62_000, String(open));
  const timed = guessOf({ mixes: [{ flows: ["tcp,for=1s", "tcp@3s,for=2s"] }] });
  assert.ok(timed >= 5000 && timed < 7000, String(timed));
  // 625 kB are a second of 5 Mbit/s.
  const sized = guessOf({ mixes: [{ flows: ["2*tcp,size=625kB"] }] });
  assert.ok(sized > 2000 && sized < 4000, String(sized));
  assert.equal(guessOf({ mixes: [{ flows: ["tcp,size=1TB"] }] }), open);
  const many = plan({ mixes: [{ flows: ["10*tcp"] }] });
  const [one, ten] = [plan(), many].map((each) => guessStored_bytes(each, cellsOf(each)[0] ?? assert.fail()));
  assert.ok((one ?? 0) > 1e4 && (ten ?? 0) < 10 * (one ?? 0));
});
