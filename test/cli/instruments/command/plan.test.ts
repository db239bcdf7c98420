// Plans of commands: what the options come to, and what is refused in one line.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type CommandOptions, commandPlanFrom } from "../../../../cli/instruments/command/plan/options.ts";
import {
  commandCellsOf,
  commandPlanDigest,
  commandPlanOf,
  orderCommands,
} from "../../../../cli/instruments/command/plan/plan.ts";

const none = {
  ...{ plan: undefined, command: [], link: [], recording: undefined, runs: undefined, decide: undefined, number: [] },
  ...{ reach: [], outside: false, "allow-local-network": false },
  ...{ numbers: undefined, timeout: undefined, seed: undefined, tolerance: undefined },
} as unknown as CommandOptions;
const refused = (options: Partial<CommandOptions>, message: RegExp): void => {
  assert.throws(() => commandPlanFrom({ ...none, ...options }), { name: "UserError", message });
};

test("what follows -- is a command called after its program, and the first; ten runs", () => {
  const plan = commandPlanFrom({
    ...none,
    "--": ["/usr/bin/curl", "-s", "x"],
    command: ["b=wget x"],
    link: ["3g", "10mbit/50ms"],
  });
  assert.deepEqual(
    plan.commands.map(({ name, words }) => [name, ...words]),
    [
      ["curl", "/usr/bin/curl", "-s", "x"],
      ["b", "wget", "x"],
    ],
  );
  assert.deepEqual([plan.repetitions, plan.timeout_s, plan.seed, plan.name], [10, 300, 1, "time curl b"]);
  assert.equal(commandCellsOf(plan).length, 4);
});

test("how a recording is served is part of the plan and of its digest", () => {
  const options = { ...none, command: ["a=x"], link: ["3g"], recording: "shop" };
  const plan = commandPlanFrom({ ...options, think: "20", transport: "tuned" });
  assert.deepEqual(plan.serving, { think: { ms: 20 }, transport: { preset: "tuned" } });
  assert.notEqual(commandPlanDigest(plan, "d"), commandPlanDigest(commandPlanFrom(options), "d"));
});

test("--decide has as many runs as it may look at", () => {
  const plan = commandPlanFrom({ ...none, command: ["a=x", "b=y"], decide: 3 });
  assert.deepEqual([plan.repetitions, plan.until], [30, { decided_percent: 3 }]);
});

test("every block has every command once, next to one another on a link", () => {
  const cells = [{ link: "a" }, { link: "a" }, { link: "b" }, { link: "b" }];
  const order = orderCommands({ repetitions: 3, seed: 1 }, cells);
  for (const block of [0, 1, 2]) {
    const own = order.filter((each) => each.block === block).map(({ cell }) => cell);
    assert.deepEqual(own.toSorted(), [0, 1, 2, 3]);
    assert.equal(Math.floor((own[0] as number) / 2), Math.floor((own[1] as number) / 2));
  }
});

test("what cannot be is refused in one line", () => {
  refused({}, /^time: no command: write it after --/);
  refused({ command: ["nothing"] }, /^--command must be NAME=COMMAND/);
  refused({ command: ["a= "] }, /^--command a: there is no command after the =$/);
  refused({ command: ["a=x", "a=y"] }, /^two commands are called "a"/);
  refused({ command: ["a=x"], number: ["n=no group"] }, /^number n: the pattern no group has no parentheses/);
  refused({ command: ["a=x"], link: ["3g"], think: "20" }, /^nothing is served: name a --recording/);
  refused({ command: ["a=x"], link: ["3g"], recording: "shop", "pin-time": true }, /^--pin-time: is for pages/);
  refused({ command: ["a=x"], recording: "shop" }, /^--recording: is at the other end of a link: name one/);
  refused({ command: ["a=x"], outside: true }, /^--outside: is at the other end of a link: name one/);
  refused(
    { command: ["a=x"], link: ["3g"], reach: ["localhost"] },
    /^--reach "localhost": write a host of this machine and a port/,
  );
  refused(
    { command: ["a=x"], link: ["3g"], reach: ["localhost:1"], outside: true },
    /^--reach and --outside: one of them/,
  );
  refused({ command: ["a=x"], decide: 3 }, /^until \(--decide\): decided_percent compares commands, and there is one/);
  refused(
    { command: ["a=x", "b=y"], decide: 3, runs: 4 },
    /^until \(--decide\): first looks after 5 repetitions \(--runs\)/,
  );
  refused({ command: ["a=x"], link: ["10mbit"] }, /./);
  refused({ plan: "plan.json", command: ["a=x"] }, /^time: a plan has its commands/);
  refused({ plan: "/nowhere/plan.json" }, /^plan \/nowhere\/plan.json: cannot be read/);
});

test("what decides the runs is in the digest, words for people are not", () => {
  const document = { name: "a", commands: [{ name: "a", words: ["x"] }], repetitions: 2 };
  const digest = (changes: object): string =>
    commandPlanDigest(commandPlanOf({ ...document, ...changes }, "test"), null);
  assert.equal(digest({ description: "words" }), digest({}));
  for (const changes of [
    { repetitions: 3 },
    { seed: 2 },
    { timeout_s: 1 },
    { commands: [{ name: "a", words: ["y"] }] },
  ])
    assert.notEqual(digest(changes), digest({}));
});
