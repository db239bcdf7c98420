// CPU times read from /proc against what the kernel tells this process of itself (getrusage), running children and ended ones.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { kernelUse_ms, labUseOf, ranBetween_ms } from "../../../cli/load/cpu_time.ts";

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

test("between two readings: what started and ended between them, and only what ran after the first of what ended", async () => {
  const use = () => {
    const read = labUseOf(process.pid);
    assert.ok(read, "the system tells CPU times");
    return read;
  };
  const child = spawn(process.execPath, ["-e", `${burn(300)} process.stdout.write("x"); setInterval(() => {}, 1000);`]);
  try {
    await once(child.stdout, "data");
    const before = use();
    const own = process.cpuUsage();
    child.kill("SIGKILL");
    await once(child, "exit");
    const { stdout } = spawnSync(process.execPath, ["-e", `${burn(300)} process.stdout.write(String(used()));`]);
    // What it says of itself, whatever starting takes on this machine; its end takes some more.
    const told_ms = Number(stdout);
    const { user, system } = process.cpuUsage(own);
    const beside_ms = ranBetween_ms(before, use()) - (user + system) / 1000;
    const isNewOnesAlone = beside_ms > 0.8 * told_ms && beside_ms < 1.6 * told_ms;
    assert.ok(isNewOnesAlone, `${beside_ms} ms: ${told_ms} of one that is new, none of the other's 300 and more`);
  } finally {
    child.kill("SIGKILL");
  }
});

test("the kernel's threads are its own, and have run", (t) => {
  // In a container it is another program or none.
  const isShown = existsSync("/proc/2/comm") && readFileSync("/proc/2/comm", "latin1").trim() === "kthreadd";
  if (!isShown) return t.skip("this system does not show the kernel's threads");
  const threads = [...kernelUse_ms()];
  assert.ok(threads.some(([, ran_ms]) => ran_ms > 0));
  for (const [thread] of threads.slice(0, 5)) {
    // Those that ended meanwhile are none of the first.
    assert.equal(readFileSync(`/proc/${thread}/cmdline`, "latin1"), "", "a program has a command line");
  }
});
