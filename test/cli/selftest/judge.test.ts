// The self-test's judgement, over a link in virtual time: one that is as asked is within tolerance, one that is not is out
// in just the row that tells of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLink } from "../../../cli/link/link.ts";
import { formatRow, linkLines } from "../../../cli/selftest/format.ts";
import { judge } from "../../../cli/selftest/judge.ts";
import { quick, thorough } from "../../../cli/selftest/phases.ts";
import { faultOf } from "../../../cli/selftest/test_link.ts";
import type { SelftestLink, SelftestRow } from "../../../schemas/generated/selftest.ts";
import { type Fault, recordOf } from "./model.ts";

const rowsOf = (form: string, fault?: Fault, seed?: number, effort = thorough): SelftestRow[] =>
  judge(parseLink(form), recordOf(form, fault, seed, effort));
const outOf = (rows: readonly SelftestRow[]): string[] =>
  rows.filter((row) => row.outcome === "out").map((row) => `${row.quantity} ${row.direction}`);

const plain = [
  "200kbit/100ms",
  "3mbit/50ms",
  "1mbit/0ms",
  "100mbit/20ms,queue=64kB",
  "unlimited/50ms",
  "10mbit/40ms,queue=30ms",
];
const impaired = [
  "10mbit/50ms,loss=2%",
  "10mbit/50ms,jitter=5ms",
  "10mbit/50ms,jitter=normal:2ms",
  "10mbit/50ms,jitter=pareto:2ms",
  "10mbit/50ms,duplicate=2%",
];

test("a link that is as asked is within tolerance, whatever it is asked, with few packets and with many", () => {
  for (const form of [...plain, ...impaired])
    for (const effort of [quick, thorough])
      for (let seed = 11; seed <= 15; seed++)
        assert.deepEqual(outOf(rowsOf(form, {}, seed, effort)), [], `${form} ${seed}`);
});

test("what is measured is what was asked, to the model's own exactness", () => {
  for (const form of plain) {
    for (const row of rowsOf(form)) {
      if (row.measured === null || row.asked === null) continue;
      const most = { rate: row.asked * 1e-6, delay: 1e-3, lateness: 1e-3, queue: 0.6 }[row.quantity as "rate"] ?? 0;
      assert.ok(Math.abs(row.measured - row.asked) <= most, `${form}: ${formatRow(row)}`);
    }
  }
});

test("each fault is out in its own rows", () => {
  const both = (quantity: string): string[] => [`${quantity} down`, `${quantity} up`];
  for (const [form, fault, expected] of [
    ["3mbit/50ms", { rateFactor: 1.01 }, both("rate")],
    ["3mbit/50ms", { rateFactor: 0.99 }, both("rate")],
    ["10mbit/50ms,loss=2%", { rateFactor: 0.99 }, both("rate")],
    ["100mbit/20ms", { lateEvery: { packets: 60, ms: 2 } }, both("lateness")],
    // Two packets' time between two arrivals, where none may be lost, is a slower link, too.
    ["10mbit/50ms", { extraLoss: 0.01 }, [...both("rate"), ...both("loss")]],
    ["10mbit/50ms,loss=2%", { extraLoss: 0.02 }, both("loss")],
    ["3mbit/50ms,queue=30p", { extraQueue: 3 }, both("queue")],
    ["3mbit/50ms,queue=30p", { extraQueue: -3 }, both("queue")],
    ["10mbit/50ms,jitter=5ms", { jitterFactor: 1.3 }, both("jitter")],
    ["10mbit/50ms,jitter=normal:5ms", { jitterFactor: 0.5 }, both("jitter")],
  ] as const)
    assert.deepEqual(outOf(rowsOf(form, fault)), expected, `${form} ${JSON.stringify(fault)}`);
  // A longer delay makes each packet late, too; and at 3 Mbit/s waits as a packet more in the queue would.
  assert.deepEqual(outOf(rowsOf("3mbit/50ms", { extraDelay_ms: 0.5 })), both("delay"));
  assert.deepEqual(outOf(rowsOf("unlimited/50ms", { extraDelay_ms: 1.5 })), [...both("delay"), ...both("lateness")]);
});

test("what cannot be measured says why, and is not out", () => {
  for (const [form, quantity, reason] of [
    ["1mbit/50ms,queue=1000p", "queue", /filling it takes 12 s/],
    ["10mbit/50ms,aqm=codel", "queue", /discipline/],
    ["10mbit/50ms,jitter=5ms", "queue", /jitter/],
    ["rate=8mbit:1mbit@10s,rtt=50ms", "rate", /changes over time/],
    ["10mbit,rtt=50ms:200ms@10s", "delay", /changes over time/],
    ["10mbit/50ms,duplicate=2%", "rate", /twice/],
    ["10mbit/50ms,reorder=1%:3", "rate", /overtake/],
    ["10mbit/50ms,onoff=10s:1s", "loss", /off at times/],
    ["10mbit/50ms,fec=4", "rate", /parity/],
    ["10mbit/50ms,fec=4,loss=1%", "loss", /repairs/],
  ] as const) {
    const row = rowsOf(form).find((each) => each.quantity === quantity);
    assert.equal(row?.outcome, "not-measured", `${form} ${quantity}`);
    assert.equal(row?.measured, null);
    assert.match(row?.reason ?? "", reason, form);
  }
});

test("a fault is told in one sentence, with what was asked; within tolerance there is none", () => {
  const tested = (rows: SelftestRow[]): SelftestLink => ({
    link: "3mbit/50ms",
    outcome: outOf(rows).length > 0 ? "out" : "within",
    measurements: 1,
    scheduling: "fifo",
    wall_ms: 1,
    rows,
  });
  assert.equal(faultOf(tested(rowsOf("3mbit/50ms"))), null);
  const fault = tested(rowsOf("3mbit/50ms", { rateFactor: 1.01 }));
  assert.match(
    faultOf(fault) ?? "",
    /^the link's self-test is out of tolerance: rate down 3\.03\d* Mbit\/s, asked 3 within 0\.00\d+; rate up /,
  );
  const lines = linkLines(fault);
  for (const line of lines) assert.ok(line.length <= 80, line);
  assert.match(lines.join("\n"), /rate down, Mbit\/s +3 +3\.03\d* +0\.00\d+ +OUT$/m);
});
