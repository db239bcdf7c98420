// What `doctor --fix` does to a machine, with the commands noted in place of root's shell.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { type Check, checkNames, ok } from "../../../../cli/install/doctor/check.ts";
import { apply, type Fix, fixesOf } from "../../../../cli/install/doctor/fixes.ts";

const failed = (name: string, remedy = "do it"): Check => ({ name, outcome: "missing", found: "closed", remedy });
const fix: Fix = { does: "mend it", commands: ["one", "two"] };

test("what holds needs no fix, and what only a person can mend has none", () => {
  for (const name of Object.values(checkNames)) assert.deepEqual(fixesOf(ok(name, "there")), []);
  assert.deepEqual(fixesOf(failed("CPU cores")), []);
  assert.deepEqual(fixesOf(failed("Node", "start it as `npx trilane`")), []);
});

test("commands run in order, then the check is looked at again", () => {
  const ran: string[] = [];
  const note = (command: string): null => {
    ran.push(command);
    return null;
  };
  assert.deepEqual(
    apply(fix, () => ok("it", "there"), note),
    { outcome: "fixed", fix },
  );
  assert.deepEqual(ran, ["one", "two"]);
  assert.deepEqual(
    apply(fix, () => failed("it"), note),
    { outcome: "not enough", fix, why: "closed" },
  );
});

test("the first command that fails ends a fix", () => {
  const ran: string[] = [];
  const refuse = (command: string) => {
    ran.push(command);
    return "no permission";
  };
  assert.deepEqual(
    apply(fix, () => ok("it", "there"), refuse),
    { outcome: "refused", fix, why: "no permission" },
  );
  assert.deepEqual(ran, ["one"]);
});

test("what holds from the next login on is not looked at before", () => {
  const [limits] = fixesOf(failed(checkNames.scheduling));
  assert.ok(limits?.isLater);
  const outcome = apply(
    limits,
    () => failed(checkNames.scheduling),
    () => null,
  );
  assert.equal(outcome.outcome, "fixed");
});

test("every command is a shell's, and a missing package is installed by its name", () => {
  const checks = [
    ...Object.values(checkNames).map((name) => failed(name)),
    failed("h2o", "apt install h2o, for servers"),
  ];
  const commands = checks.flatMap(fixesOf).flatMap((each) => each.commands);
  assert.ok(commands.length > 5);
  for (const command of commands) {
    const { status, stderr } = spawnSync("sh", ["-n", "-c", command], { encoding: "utf8" });
    assert.equal(status, 0, `${command}: ${stderr}`);
  }
  assert.ok(commands.some((command) => /^apt-get install -y h2o$/.test(command)));
});
