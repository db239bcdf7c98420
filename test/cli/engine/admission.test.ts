// When a further load may begin beside others.
import assert from "node:assert/strict";
import { cpus } from "node:os";
import { test } from "node:test";
import { Admission } from "../../../cli/engine/admission.ts";

/** A machine on which tasks wait for so large a share of the time, one window after another; `used`: of its CPUs. */
function admission(shares: number[], most = 3, used: number[] = [0]) {
  const told: string[] = [];
  let total_us = 0;
  let used_ms = 0;
  let windows = 0;
  const made = new Admission({
    most,
    signal: new AbortController().signal,
    tell: (reason) => told.push(reason),
    machine: () => ({ stalled_us: total_us, used_ms, stolen_ms: 0 }),
    async pause(time_ms) {
      used_ms += (used[Math.min(windows, used.length - 1)] ?? 0) * time_ms * cpus().length;
      total_us += (shares[Math.min(windows++, shares.length - 1)] ?? 0) * time_ms * 1000;
    },
  });
  return { made, told, windows: () => windows };
}

test("at once where the machine has room, else when it has, said once", async () => {
  const idle = admission([0.1]);
  await idle.made.admit(() => true);
  assert.deepEqual([idle.windows(), idle.told], [1, []]);
  const soon = admission([0.9, 0.8, 0.7, 0.2]);
  await soon.made.admit(() => true);
  assert.deepEqual([soon.windows(), soon.told], [4, []]);
  const busy = admission([...Array(20).fill(0.9), 0.2]);
  await busy.made.admit(() => true);
  assert.equal(busy.windows(), 21);
  assert.deepEqual(busy.told, ["the machine is busy: tasks waited for a CPU in 90 % of the time, the next one waits"]);
});

test("not for ever, and not where nothing runs beside any more", async () => {
  const never = admission([1]);
  await never.made.admit(() => true);
  assert.equal(never.windows(), 100);
  const ended = admission([1]);
  await ended.made.admit(() => ended.windows() < 3);
  assert.equal(ended.windows(), 3);
});

const heldUp = { status: "invalid" as const, reasons: ["the machine held up the link: for 9.1 ms"] };

test("after a load whose link was held up the next one waits a moment also alone, once; after another one it does not", async () => {
  const { made, windows } = admission([1]);
  assert.equal(await made.admitCalm(() => true, true), 0);
  made.ended({ status: "valid", reasons: [] }, false);
  assert.equal(await made.admitCalm(() => true, true), 0);
  assert.equal(windows(), 0);
  made.ended(heldUp, false);
  assert.equal(await made.admitCalm(() => true, true), 3000);
  assert.equal(await made.admitCalm(() => true, true), 0);
  made.ended({ status: "invalid", reasons: ["2 of 9 requests failed"] }, false);
  assert.equal(await made.admitCalm(() => true, true), 0);
});

test("where the system does not tell, that is said once and nothing waits", async () => {
  const told: string[] = [];
  const signal = new AbortController().signal;
  const blindMachine = () => ({ stalled_us: null, used_ms: null, stolen_ms: null });
  const blind = new Admission({ most: 2, signal, tell: (reason) => told.push(reason), machine: blindMachine });
  await blind.admit(() => true);
  await blind.admit(() => true);
  assert.equal(told.length, 1);
  assert.match(told[0] ?? "", /does not report how busy it is/);
});

test("a load disturbed by others takes a lab away, many good ones give it back, and one always stays", () => {
  const { made, told } = admission([0]);
  const late = {
    status: "invalid" as const,
    reasons: ["the link missed its tolerance: 1 % of packets left 9 ms late"],
  };
  made.ended(late, false);
  made.ended({ status: "invalid", reasons: ["2 of 9 requests failed"] }, true);
  assert.equal(made.most, 3);
  for (let loads = 0; loads < 4; loads++) made.ended(late, true);
  assert.deepEqual([made.most, told.length], [1, 2]);
  for (let loads = 0; loads < 19; loads++) made.ended({ status: "valid", reasons: [] }, false);
  assert.equal(made.most, 1);
  for (let loads = 0; loads < 60; loads++) made.ended({ status: "valid", reasons: [] }, true);
  assert.equal(made.most, 3);
});

test("programs that leave no task waiting are seen where none of our loads runs", async () => {
  const { made, windows, told } = admission([0], 1, [1, 1, 1, 0.02]);
  made.ended(heldUp, false);
  await made.admitCalm(() => true, true);
  assert.equal(windows(), 4);
  assert.deepEqual(told, []);
});
