// `trilane plan --detect --from` of flows, fetches and commands, by stored sweeps of each; and what it refuses.
// Wide: cli/commands/plan.ts, cli/instruments, cli/sweep/plan.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { randomSource } from "../../../cli/base/random.ts";
import { commandCellsOf, commandPlanOf } from "../../../cli/instruments/command/plan/plan.ts";
import type { CommandSweep } from "../../../cli/instruments/command/plan/stored_plan.ts";
import {
  addedMeasured,
  measuredCellsOf,
  recordMeasuredRun,
} from "../../../cli/instruments/command/store/measured_runs.ts";
import { fetchCellsOf, fetchPlanOf } from "../../../cli/instruments/fetch/plan/plan.ts";
import { addedFetches, recordFetch, storedFetchCellsOf } from "../../../cli/instruments/fetch/store/fetch_runs.ts";
import { normalDraw } from "../../../cli/results/stats/normal_tail.ts";
import { openResults } from "../../../cli/results/store/results.ts";
import type { PairedDetection } from "../../../schemas/generated/paired_detection.ts";
import { output } from "../../product.ts";
import { schemaErrors } from "../../schemas/schema_errors.ts";
import { tempFolder } from "../../temp_folder.ts";
import { commandRun } from "../instruments/command/runs.ts";
import { storedFetch } from "../instruments/fetch/records.ts";
import { storeFlows } from "../instruments/flows/report/stored.ts";

const home = tempFolder("trilane-plan-detect-");

const plan = (...words: string[]) => output(home, ["plan", ...words]);

function planFile(name: string, document: object): string {
  const path = join(home, name);
  writeFileSync(path, JSON.stringify(document));
  return path;
}

const blocks = 12;
/** Each value's own deviation, of `spread` as a logarithm: pairs vary by that times the root of two. */
function noise(spread: number): () => number {
  const random = randomSource(7, "noise");
  return () => Math.exp(spread * normalDraw(random));
}

const flowDocument = {
  ...{ name: "flows", links: ["5mbit/50ms", "10mbit/50ms"], for_s: 1, repetitions: blocks },
  mixes: [
    { name: "cubic", flows: ["tcp:cubic"] },
    { name: "reno", flows: ["tcp:reno"] },
  ],
};
const objects = ["a", "b", "c", "d", "e", "f"].map((name) => `https://${name}.example/`);
const fetchDocument = { name: "fetches", objects, lanes: ["h2", "h3"], repetitions: blocks };
const commandDocument = {
  ...{ name: "commands", repetitions: blocks },
  commands: ["old", "new"].map((name) => ({ name, words: ["true", name] })),
};

const facts = { plan_digest: "d".repeat(64), seed: 1, command: ["trilane"], environment: {} };
const placed = { attempt: 0, started_at: "2026-11-30T10:00:00.000Z", status: "valid", reasons: [] } as const;

function storeFetches(): number {
  const planned = fetchPlanOf(fetchDocument, "test");
  const varied = noise(0.02);
  using results = openResults(home);
  const { sweep } = results.begin(
    addedFetches({ ...facts, name: "fetches", plan: planned, fetchCells: fetchCellsOf(planned) }),
    false,
  );
  let position = 0;
  for (const { id, object, lane } of storedFetchCellsOf(results, sweep.id))
    for (let block = 0; block < blocks; block++) {
      const first_byte_ms = (lane === "h3" ? 80 : 100 + 5 * objects.indexOf(object)) * varied();
      const { id: _, ...fetch } = storedFetch({ object, lane, record: { first_byte_ms } });
      recordFetch(results, { ...fetch, ...placed, cell: id, block, position: position++ });
    }
  results.finishSweep(sweep.id);
  results.release(sweep.id);
  return sweep.id;
}

function storeCommands(): number {
  const planned = commandPlanOf(commandDocument, "test");
  const varied = noise(0.02);
  using results = openResults(home);
  const begun = { ...facts, kind: "commands", name: "commands", plan: planned } as const;
  const { sweep } = results.begin(
    addedMeasured<CommandSweep>({ ...begun, measuredCells: commandCellsOf(planned) }),
    false,
  );
  let position = 0;
  for (const { id, subject } of measuredCellsOf(results, sweep.id))
    for (let block = 0; block < blocks; block++) {
      const run = commandRun({ subject, block, wall_ms: 500 * varied() });
      recordMeasuredRun(results, { ...run, ...placed, cell: id, block, position: position++ });
    }
  results.finishSweep(sweep.id);
  results.release(sweep.id);
  return sweep.id;
}

const sweeps = { flows: 0, fetches: 0, commands: 0 };

before(() => {
  const varied = noise(0.02);
  const made = () => ({ rate_bps: 2e6 * varied() });
  const mixes = flowDocument.mixes.map((mix) => ({ ...mix, made }));
  sweeps.flows = storeFlows(home, { links: flowDocument.links, mixes, repetitions: blocks, for_ms: 1000 });
  sweeps.fetches = storeFetches();
  sweeps.commands = storeCommands();
});

function detected(schema: string, file: string, ...words: string[]): PairedDetection {
  const { status, stdout, stderr } = plan(file, ...words, "--json");
  assert.equal(status, 0, stderr);
  const document = JSON.parse(stdout) as { detection?: PairedDetection };
  assert.equal(schemaErrors(schema, document), null);
  assert.equal(schemaErrors("sweep-event", document), null);
  assert.ok(document.detection);
  return document.detection;
}

/** Pairs of values that vary by 2 % each vary by 2.8 %, found by twelve of them within so much. */
function assertSpread({ comparisons }: PairedDetection): void {
  for (const { spread_percent, planned_with_percent } of comparisons) {
    assert.ok(spread_percent > 1.6 && spread_percent < 4.5, String(spread_percent));
    assert.ok(planned_with_percent > spread_percent && planned_with_percent < 1.4 * spread_percent);
  }
}

function assertLines(text: string): void {
  for (const line of text.split("\n")) assert.ok(line.length <= 80, line);
}

test("flows: each link's comparison, corrected together, and how long so many runs of the plan take", () => {
  const file = planFile("flows.json", flowDocument);
  const detection = detected("flows-planned", file, "--detect", "3%", "--from", String(sweeps.flows));
  assertSpread(detection);
  assert.deepEqual([detection.sweep, detection.pilot_runs, detection.together], [sweeps.flows, blocks, 2]);
  assert.deepEqual(detection.comparisons.map(({ link, one, other }) => [one, other, link]).toSorted(), [
    ["cubic", "reno", "10mbit/50ms"],
    ["cubic", "reno", "5mbit/50ms"],
  ]);
  for (const { needed, metric } of detection.comparisons) {
    assert.equal(metric, "goodput_bps");
    const [likely, sure] = needed;
    assert.ok(likely?.runs && sure?.runs && likely.runs >= 8 && likely.runs < sure.runs && sure.runs < 80);
    assert.ok(likely.shown !== null && likely.shown >= 0.8 && sure.shown !== null && sure.shown >= 0.95);
    // Two mixes on two links, of a second and what is around it.
    assert.ok(likely.expected_s && likely.expected_s / likely.runs > 4 && likely.expected_s / likely.runs < 12);
  }
  const { stdout } = plan(file, "--detect", "3%", "--from", String(sweeps.flows));
  assertLines(stdout);
  assert.match(
    stdout,
    /^runs +vary by \S+ % \(cubic against reno, \S+, the widest; standard\s+deviation\), by\s+sweep \d+/m,
  );
  assert.match(stdout, /^ +in each of these\s+\d+ runs, [^/]+ \/ \d+ runs, /m);
});

test("fetches: of five objects or more each is a unit, and more runs are no more of them", () => {
  const file = planFile("fetches.json", fetchDocument);
  const detection = detected("fetches-planned", file, "--detect", "30%", "--from", String(sweeps.fetches));
  assertSpread(detection);
  const [only] = detection.comparisons;
  assert.deepEqual(
    [detection.comparisons.length, only.objects, only.metric, detection.together],
    [1, 6, "first_byte_ms", 2],
  );
  const beyond = detected("fetches-planned", file, "--detect", "3%", "--from", String(sweeps.fetches));
  assert.equal(beyond.comparisons[0]?.needed[0]?.runs, null);
  const { stdout } = plan(file, "--detect", "3%", "--from", String(sweeps.fetches));
  assertLines(stdout);
  assert.match(stdout, /h3 against h2 +more than 300 runs \/ more than 300 runs/);
  assert.match(stdout, /Objects differ by more than that: more of them help, and no runs\./);
  // Of two objects each pair is a unit.
  const two = { ...fetchDocument, objects: objects.slice(0, 2) };
  const fewer = detected(
    "fetches-planned",
    planFile("two.json", two),
    "--detect",
    "20%",
    "--from",
    String(sweeps.fetches),
  );
  assert.equal(fewer.comparisons[0]?.objects, 2);
});

test("commands: as they were timed; --from without an effect says what the plan's runs show", () => {
  const file = planFile("commands.json", commandDocument);
  const detection = detected("commands-planned", file, "--detect", "3%", "--from", String(sweeps.commands));
  assertSpread(detection);
  const [only] = detection.comparisons;
  const [likely] = only.needed;
  assert.deepEqual(
    [only.one, only.other, only.link, only.metric, detection.together],
    ["new", "old", null, "wall_ms", 1],
  );
  // Two commands of half a second.
  assert.ok(likely?.runs && likely.expected_s && Math.abs(likely.expected_s / likely.runs - 1) < 0.2);
  const alone = detected("commands-planned", file, "--from", String(sweeps.commands), "--runs", "4");
  assert.deepEqual([alone.detect_percent, alone.runs, alone.comparisons[0]?.shown], [null, 4, [null, null]]);
  const { stdout } = plan(file, "--detect", "3%", "--from", join(home, "results.db"));
  assertLines(stdout);
  assert.match(stdout, /^shows +differences that 12 runs would show in 80 \/ 95 of 100 sweeps:$/m);
  assert.match(stdout, /^needs +runs and time to show 3 % in 80 \/ 95 of 100 sweeps:\n +new against old +\d+ runs, /m);
});

test("what says nothing of how the plan's runs vary is refused in one line, with what to do", () => {
  const commands = planFile("commands.json", commandDocument);
  const [first, second] = commandDocument.commands;
  const alone = planFile("alone.json", { ...commandDocument, commands: [first] });
  const other = planFile("other.json", { ...commandDocument, commands: [first, { ...second, name: "newer" }] });
  const of = (file: string, ...words: string[]) => plan(file, "--detect", "3%", ...words);
  for (const [{ status, stdout, stderr }, line] of [
    [
      of(commands),
      /--detect: how much runs of plan commands vary is not known: run a pilot of the plan \(`trilane sweep PLAN --runs 8`\)/,
    ],
    [of(commands, "--from", String(sweeps.flows)), /sweep 1 has flows and no commands: name one that has/],
    [of(other, "--from", String(sweeps.commands)), /sweep 3 does not compare newer with old \(time\): run a pilot/],
    [of(alone, "--from", String(sweeps.commands)), /plan commands compares nothing: add/],
    [
      of(commands, "--from", String(sweeps.commands), "--decide", "3"),
      /--decide and --precise load until it is enough/,
    ],
    [of(commands, "--spread", "3"), /--spread: is for plans of page loads/],
  ] as const) {
    assert.deepEqual([status, stdout], [2, ""], stderr);
    assert.match(stderr, line);
    assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
  }
});
