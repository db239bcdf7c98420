// CPU times read from /proc against what the kernel tells this process of itself (getrusage), running children and ended ones.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { labUseOf } from "../../../cli/measure/cpu_time.ts";

/** CPU time, not time: a busy machine takes longer for as much. */
const burn = (burnt_ms: number) =>
  `const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
   while (used() < ${burnt_ms});`;

/** All of this process and its descendants, whatever they are called. */
function used_ms(): number {
  const use = labUseOf(process.pid);
  assert.ok(use, "the system tells CPU times");
  return use.cpu.browser_ms;
}

test("a process's own time, and that of children while they run and after they ended", async () => {
  const own = process.cpuUsage();
  const before_ms = used_ms();
  assert.ok(Math.abs(before_ms - (own.user + own.system) / 1000) < 60, `${before_ms} ms, getrusage ${own.user} us`);

  const child = spawn(process.execPath, ["-e", `${burn(400)} process.stdout.write("x"); setInterval(() => {}, 1000);`]);
  try {
    await once(child.stdout, "data");
    assert.ok(used_ms() >= before_ms + 390, `${used_ms()} after ${before_ms} ms`);
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  assert.ok(used_ms() >= before_ms + 370, "it ended, and its time is kept");

  spawnSync(process.execPath, ["-e", burn(300)]);
  assert.ok(used_ms() >= before_ms + 660);
});

test("no process, no time", () => {
  assert.deepEqual(labUseOf(2 ** 30)?.cpu, { browser_ms: 0, server_ms: 0, shaper_ms: 0 });
});
