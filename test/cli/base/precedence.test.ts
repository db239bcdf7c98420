// cli/base/precedence.ts: a session that was just started gets a larger share where that is allowed, and nothing breaks where it is not.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { endPrecedence, takePrecedence } from "../../../cli/base/precedence.ts";

const may = process.getuid?.() === 0 && existsSync("/proc/self/autogroup");

test("a session of its own is raised until its end, and ours is not", {
  skip: !may && "needs root and autogroups",
}, async () => {
  const ours = readFileSync("/proc/self/autogroup", "latin1");
  const child = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  try {
    takePrecedence(child.pid);
    assert.match(readFileSync(`/proc/${child.pid}/autogroup`, "latin1"), / nice -10$/m);
    assert.equal(readFileSync("/proc/self/autogroup", "latin1"), ours);
    endPrecedence(child.pid);
    assert.match(readFileSync(`/proc/${child.pid}/autogroup`, "latin1"), / nice 0$/m);
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});

test("a process that is gone, or never began, is no error", () => {
  takePrecedence(undefined);
  takePrecedence(2 ** 22 + 1);
  endPrecedence(2 ** 22 + 1);
});
