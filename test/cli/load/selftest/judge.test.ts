// The self-test's judgement, over a link in virtual time: one that is as asked is within tolerance, one that is not is out
// in just the row that tells of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLink } from "../../../../cli/link/link.ts";
import type { ShaperReport } from "../../../../cli/load/reports.ts";
import { tracePace } from "../../../../cli/load/selftest/arrivals.ts";
import { formatRow } from "../../../../cli/load/selftest/format.ts";
import { judge } from "../../../../cli/load/selftest/judge.ts";
import { linkLines } from "../../../../cli/load/selftest/link_table.ts";
import type { PhaseRecord } from "../../../../cli/load/selftest/measure.ts";
import { quick, thorough } from "../../../../cli/load/selftest/phases.ts";
import { faultOf } from "../../../../cli/load/selftest/test_link.ts";
import type { SelftestLink, SelftestRow } from "../../../../schemas/generated/selftest.ts";
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
    ["100mbit/20ms", { lateEvery: { packets: 60, ms: 3 } }, both("lateness")],
    // Two packets' time between two arrivals, where none may be lost, is a slower link, too.
    ["10mbit/50ms", { extraLoss: 0.01 }, [...both("rate"), ...both("loss")]],
    ["10mbit/50ms,loss=2%", { extraLoss: 0.02 }, both("loss")],
    // Arrivals that this machine takes late by most of a packet's time: the rate is what it was.
    ["10mbit/50ms,loss=2%", { lateEvery: { packets: 7, ms: 0.7 } }, []],
    ["3mbit/50ms,queue=30p", { extraQueue: 3 }, both("queue")],
    ["3mbit/50ms,queue=30p", { extraQueue: -3 }, both("queue")],
    ["10mbit/50ms,jitter=5ms", { jitterFactor: 1.3 }, both("jitter")],
    ["10mbit/50ms,jitter=normal:5ms", { jitterFactor: 0.5 }, both("jitter")],
  ] as const)
    assert.deepEqual(outOf(rowsOf(form, fault)), expected, `${form} ${JSON.stringify(fault)}`);
  // A longer delay makes each packet late, too; and at 3 Mbit/s waits as a packet more in the queue would.
  assert.deepEqual(outOf(rowsOf("3mbit/50ms", { extraDelay_ms: 0.5 })), both("delay"));
  assert.deepEqual(outOf(rowsOf("unlimited/50ms", { extraDelay_ms: 2.5 })), [...both("delay"), ...both("lateness")]);
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

test("a rate or lateness that is off by no more time than the machine held up the link is not measured", () => {
  /** So long in each of the link's phases. */
  const heldUp = (form: string, fault: Fault, held_ms: number): SelftestRow[] => {
    const record = recordOf(form, fault);
    const intervals = [[1e12, 1e12 + held_ms * 1e6]];
    const overdue = { total_ns: held_ms * 1e6, resolution_ns: 0, intervals };
    return judge(parseLink(form), { ...record, shaper: { overdue } as ShaperReport });
  };
  // 1 % of a flood of 2 s.
  assert.deepEqual(outOf(heldUp("3mbit/50ms", { rateFactor: 1.01 }, 10)), ["rate down", "rate up"]);
  const rows = heldUp("3mbit/50ms", { rateFactor: 1.01 }, 60);
  assert.deepEqual(outOf(rows), []);
  const rate = rows.find(({ quantity }) => quantity === "rate");
  assert.deepEqual([rate?.outcome, rate?.reason], ["not-measured", "this machine held up the link"]);
  const late = { lateEvery: { packets: 60, ms: 3 } };
  assert.deepEqual(outOf(heldUp("100mbit/20ms", late, 2)), ["lateness down", "lateness up"]);
  assert.deepEqual(outOf(heldUp("100mbit/20ms", late, 4)), []);
  // A delay is the median's, and a queue the link's.
  assert.deepEqual(outOf(heldUp("3mbit/50ms", { extraDelay_ms: 0.5 }, 500)), ["delay down", "delay up"]);
  assert.deepEqual(outOf(heldUp("3mbit/50ms,queue=30p", { extraQueue: 3 }, 500)), ["queue down", "queue up"]);
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

test("a link with a trace is held to the trace's opportunities over the same time, wrapped", () => {
  // 10 packets in the first 100 ms, 40 in the next, and again.
  const times = [...Array(10).keys()]
    .map((n) => (n + 1) * 10)
    .concat([...Array(40).keys()].map((n) => 100 + (n + 1) * 2.5));
  const rounded = Uint32Array.from(times, Math.ceil);
  const record = (keep: (number: number) => boolean): PhaseRecord => {
    const sent_ns = Array.from({ length: 400 }, (_, number) => number * 1000);
    // Time 0 of the trace was 30 ms before the first packet; delay 20 ms; each 40 us late.
    const left_ms = [...Array(8).keys()].flatMap((lap) => [...rounded].map((time_ms) => lap * 200 + time_ms - 30));
    const arrived = left_ms.filter((time_ms) => time_ms > 1).filter((_, place) => keep(place));
    return {
      direction: "down",
      kind: "flood",
      size_bytes: 1500,
      start_ns: 1e9,
      overrun: 0,
      sent_ns,
      numbers: arrived.map((_, place) => place),
      arrived_ns: arrived.map((time_ms) => (time_ms + 20 + 0.04) * 1e6),
    };
  };
  const pace = (phase: PhaseRecord) =>
    tracePace(phase, { times: rounded, once: false, delay_ms: 20, origin_ms: -30 }) ?? assert.fail("not busy");
  const right = pace(record(() => true));
  assert.ok(right.carried > 350 && right.atEnds <= 4, JSON.stringify(right));
  assert.ok(Math.abs(right.carried - right.offered) <= right.atEnds, JSON.stringify(right));
  const short = pace(record((place) => place % 50 !== 0));
  assert.ok(short.offered - short.carried > short.atEnds, JSON.stringify(short));
});
