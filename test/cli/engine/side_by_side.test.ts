import assert from "node:assert/strict";
import { test } from "node:test";
import { expectedWidths, runSideBySide, type SideBySide } from "../../../cli/engine/side_by_side.ts";

/** Runs units named by what they are: s shares, q shares but needs quiet first, a is alone. Says how many ran at each start. */
async function run(units: readonly string[], most: number, change: Partial<SideBySide<string>> = {}) {
  const log: string[] = [];
  let running = 0;
  const gates: (() => void)[] = [];
  const finished = runSideBySide(units, {
    most: () => most,
    mayShare: (unit) => !unit.startsWith("a"),
    needsQuiet: (unit) => unit.startsWith("q"),
    prepare: async (unit) => void log.push(`${unit} prepared beside ${running}`),
    run: async (unit) => {
      running++;
      log.push(`${unit} of ${running}`);
      await new Promise<void>((resolve) => gates.push(resolve));
      running--;
      return true;
    },
    fail: () => undefined,
    ...change,
  });
  // The units end one by one, the oldest first, whenever nothing else can happen.
  let settled = false;
  void finished
    .catch(() => undefined)
    .finally(() => {
      settled = true;
    });
  while (!settled) {
    await new Promise((resolve) => setImmediate(resolve));
    gates.shift()?.();
  }
  return { finished: await finished, log: log.filter((line) => !line.includes("prepared")), prepared: log };
}

test("those that may share run side by side up to the limit, the others alone", async () => {
  const { finished, log } = await run(["s1", "s2", "s3", "a1", "s4", "s5"], 2);
  assert.equal(finished, true);
  assert.deepEqual(log, ["s1 of 1", "s2 of 2", "s3 of 2", "a1 of 1", "s4 of 1", "s5 of 2"]);
});

test("one at a time is one after another", async () => {
  const { log } = await run(["s1", "s2", "a1"], 1);
  assert.deepEqual(log, ["s1 of 1", "s2 of 1", "a1 of 1"]);
});

test("what must be measured in quiet is, before others join", async () => {
  const { prepared } = await run(["s1", "s2", "q1", "s3"], 3);
  assert.ok(prepared.includes("q1 prepared beside 0"));
  assert.ok(prepared.includes("s3 of 2"));
});

test("what becomes due while it waits to join is measured in quiet, too", async () => {
  let waited = false;
  const { prepared } = await run(["s1", "s2", "s3"], 2, {
    needsQuiet: (unit) => unit === "s2" && waited,
    admit: async () => {
      waited = true;
    },
  });
  assert.deepEqual(
    prepared.filter((line) => line.startsWith("s2")),
    ["s2 prepared beside 0", "s2 of 1"],
  );
});

test("a unit that says stop lets the others end and starts no more", async () => {
  const started: string[] = [];
  const finished = await runSideBySide(["s1", "s2", "s3"], {
    most: () => 2,
    mayShare: () => true,
    needsQuiet: () => false,
    prepare: async () => undefined,
    run: async (unit) => {
      started.push(unit);
      await new Promise((resolve) => setTimeout(resolve, unit === "s1" ? 1 : 20));
      return unit !== "s1";
    },
    fail: () => undefined,
  });
  assert.equal(finished, false);
  assert.deepEqual(started, ["s1", "s2"]);
});

test("the first failure is thrown once nothing runs any more, and the others are told", async () => {
  const stop = new AbortController();
  let running = 0;
  const failing = runSideBySide(["s1", "s2", "s3"], {
    most: () => 2,
    mayShare: () => true,
    needsQuiet: () => false,
    prepare: async () => undefined,
    run: async (unit) => {
      running++;
      try {
        if (unit === "s2") throw new Error("no browser");
        await new Promise((resolve) => stop.signal.addEventListener("abort", resolve));
        throw new Error("aborted");
      } finally {
        running--;
      }
    },
    fail: () => stop.abort(),
  });
  await assert.rejects(failing, /^Error: no browser$/);
  assert.equal(running, 0);
});

test("how many are expected to run at a time: those next to one another that may share, up to the limit", () => {
  const units = ["s1", "s2", "s3", "a1", "s4", "a2", "s5", "s6"];
  const widths = (most: number) => expectedWidths(units, most, (unit) => unit.startsWith("s"));
  assert.deepEqual(widths(2), [2, 2, 2, 1, 1, 1, 2, 2]);
  assert.deepEqual(widths(8), [3, 3, 3, 1, 1, 1, 2, 2]);
  assert.deepEqual(new Set(widths(1)), new Set([1]));
});
