// cli/instruments/flows/run/validity.ts: a run counts where its link was on time, its flows began, were controlled and ended as planned, and both ends
// agree with the link; each fault alone is found, and named.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { FlowRecords } from "../../../../../cli/instruments/flows/records/flow_records.ts";
import { missedTicks_ms, standstill_ms } from "../../../../../cli/instruments/flows/run/standstill.ts";
import { countReasons, invalidReasons } from "../../../../../cli/instruments/flows/run/validity.ts";
import { isDisturbed } from "../../../../../cli/load/disturbance.ts";
import type { ReportedFlow } from "../../../../../schemas/generated/flow_report.ts";
import type { RunFlow } from "../../../../../schemas/generated/flow_run.ts";
import { start_ns, twoFlows } from "../records/two_flows.ts";

/** A run of two flows that is as it was asked, 10 s long, and a change of it. */
function changed(change: {
  near?: Partial<ReportedFlow>;
  far?: Partial<ReportedFlow>;
  flow?: Partial<RunFlow>;
  held_ms?: number;
  crossed_bytes?: number;
  records?: Partial<FlowRecords>;
}): FlowRecords {
  const made = twoFlows();
  const for_ms = 10_000;
  const end_ns = start_ns + for_ms * 1e6;
  const flows = made.run.flows.map((flow, index) => ({ ...flow, ...(index === 0 ? change.flow : {}) }));
  const reported = (end: FlowRecords["near"], own: Partial<ReportedFlow> = {}) => ({
    ...end,
    end_ns,
    flows: end.flows.map((flow, index) => ({ ...flow, ended_ns: end_ns, ...(index === 0 ? own : {}) })),
  });
  const counted = made.counters.flows.map((flow) => {
    const crossed = { goodput_bytes: change.crossed_bytes ?? 1e9 };
    return { ...flow, down: { ...flow.down, ...crossed }, up: { ...flow.up, ...crossed } };
  });
  const held_ns = (change.held_ms ?? 0) * 1e6;
  const overdue = { total_ns: held_ns, resolution_ns: 0, intervals: [[start_ns + 1e9, start_ns + 1e9 + held_ns]] };
  return {
    ...made,
    for_ms,
    run: { ...made.run, for_ms, flows: flows as FlowRecords["run"]["flows"] },
    near: reported(made.near, change.near),
    far: reported(made.far, change.far),
    counters: { ...made.counters, flows: counted },
    shaper: { ...made.shaper, overdue: overdue as unknown as NonNullable<FlowRecords["shaper"]["overdue"]> },
    ...change.records,
  };
}

const onlyReason = (records: FlowRecords): string => {
  const reasons = invalidReasons(records);
  assert.equal(reasons.length, 1, reasons.join("; "));
  return reasons[0] ?? "";
};

describe("validity of a flow run", () => {
  test("a run as it was asked counts", () => {
    assert.deepEqual(invalidReasons(changed({})), []);
    // One percent of ten seconds.
    assert.deepEqual(invalidReasons(changed({ held_ms: 99 })), []);
    assert.deepEqual(invalidReasons(changed({ near: { connect_begin_ns: start_ns + 90e6 } })), []);
  });

  test("what the machine did is told apart from what the flows did", () => {
    const machine = [
      changed({ held_ms: 101 }),
      changed({ near: { connect_begin_ns: start_ns + 150e6 } }),
      changed({ near: { ended_ns: start_ns + 10_200e6 } }),
    ].map(onlyReason);
    assert.match(machine[0] ?? "", /held the link up for 101\.0 ms \(tolerated: 100\.0 ms\)/);
    assert.match(machine[1] ?? "", /flow 1 \(tcp:cubic, down\) started 150 ms late/);
    assert.match(machine[2] ?? "", /ended at 10200 ms and not at 10000 ms/);
    assert.ok(machine.every(isDisturbed));
    const flows = [
      [changed({ near: { state: "failed", error: "Connection refused" } }), /^flow 1 .* failed: Connection refused$/],
      [changed({ far: { state: "failed", error: "Broken pipe" } }), /failed: Broken pipe$/],
      [changed({ near: { state: "not-started", connect_begin_ns: null } }), /never started$/],
      [changed({ near: { started_ns: null } }), /did not connect/],
      [changed({ near: { ended_ns: start_ns + 7000e6 } }), /ended at 7000 ms and not at 10000 ms$/],
      [changed({ far: { congestion: "reno" } }), /was controlled by reno, and not by cubic$/],
      [changed({ far: { congestion: null } }), /was controlled by what could not be read back/],
      [changed({ near: { received_bytes: 40_001 } }), /received 40001 bytes, and 40000 were sent$/],
      [changed({ crossed_bytes: 29_999 }), /received 30000 bytes, and 29999 crossed the link$/],
    ] as const;
    for (const [records, expected] of flows) {
      const reason = onlyReason(records);
      assert.match(reason, expected);
      assert.ok(!isDisturbed(reason), reason);
    }
  });

  test("a flow that was to move and never did does not count", () => {
    const flow = { transport: "quic", migrate_ms: 1000 } as const;
    const moves = (begun: number, made: number) => changed({ flow, near: { migrations: { begun, made } } });
    assert.deepEqual(invalidReasons(moves(9, 1)), []);
    assert.deepEqual(invalidReasons(moves(0, 0)), []);
    const reason = onlyReason(moves(3, 0));
    assert.match(
      reason,
      /^flow 1 \(quic:cubic, down\) never moved: nothing answered at its new address in 3 attempts: /,
    );
    assert.ok(!isDisturbed(reason));
  });

  test("an end that stood still is the machine's doing, whichever flow shows it", () => {
    const records = changed({});
    const ticksOf = (pauses_ms: readonly number[], to_ms = 10_000): Float64Array =>
      Float64Array.from({ length: to_ms / 5 }, (_, tick) => tick * 5).filter(
        (time_ms) => !pauses_ms.some((from_ms) => time_ms > from_ms && time_ms < from_ms + 60),
      );
    const paused = (pauses_ms: readonly number[]): FlowRecords => ({
      ...records,
      samples: records.samples.map(({ sender, receiver }, flow) => ({
        sender: { ...sender, time_ms: ticksOf(flow === 0 ? pauses_ms : [], flow === 0 ? 10_000 : 500) },
        receiver: { ...receiver, time_ms: ticksOf([]) },
      })),
    });
    // Each is of twelve intervals, in which eleven ticks are missing.
    assert.deepEqual(standstill_ms(paused([1000, 4000])), { near: 0, far: 110 });
    assert.deepEqual(invalidReasons(paused([1000])), []);
    const reason = onlyReason(paused([1000, 4000]));
    assert.match(reason, /the far end stood still for 110 ms \(tolerated: 100 ms\)/);
    assert.ok(isDisturbed(reason));
    assert.equal(
      missedTicks_ms({ time_ms: Float64Array.of(0, 10, 15, 25) }, 5),
      0,
      "a tick served late is none missed",
    );
    assert.equal(missedTicks_ms({ time_ms: new Float64Array(0) }, 5), 0);
  });

  test("a flow of a size ends with all its bytes, or the run was too short", () => {
    const flow = { size_bytes: 30_000 };
    const ended = { state: "ended", ended_ns: start_ns + 2000e6 } as const;
    assert.deepEqual(invalidReasons(changed({ flow, near: ended })), []);
    assert.match(onlyReason(changed({ flow, near: { ...ended, received_bytes: 29_000 } })), /29000 of 30000 bytes$/);
    assert.match(
      onlyReason(changed({ flow, near: { received_bytes: 20_000 } })),
      /when the run ended: run it for longer$/,
    );
    // With a duration, its end is that of a flow cut by time.
    const short = { size_bytes: 1e9, duration_ms: 4000 };
    assert.deepEqual(invalidReasons(changed({ flow: short, near: { ended_ns: start_ns + 4010e6 } })), []);
  });

  test("a flow that the link never saw has no bytes to show", () => {
    const records = changed({});
    const [first, ...others] = records.bins;
    const unseen = { ...records, bins: first ? [{ ...first, counted: [] }, ...others] : [] };
    assert.match(onlyReason(unseen), /was not seen at the link$/);
  });

  test("of a run whose flows all fail the first reasons are told, and how many more", () => {
    const records = changed({});
    const [flow] = records.run.flows;
    const [near] = records.near.flows;
    const many = <T>(item: T): [T, ...T[]] => [item, ...Array<T>(99).fill(item)];
    assert.ok(flow && near);
    const failed = many({ ...near, state: "failed" as const, error: "refused" });
    const reasons = invalidReasons({
      ...records,
      run: { ...records.run, flows: many(flow) },
      near: { ...records.near, flows: failed },
      far: { ...records.far, flows: failed },
    });
    assert.equal(reasons.length, 6);
    assert.equal(reasons.at(-1), "and 95 more reasons");
  });
});

describe("a run that ended with a page's load", () => {
  test("is held to its controllers and counts, not to the flows' planned ends", () => {
    assert.deepEqual(countReasons(changed({ near: { ended_ns: start_ns + 1e9 } })), []);
    assert.match(countReasons(changed({ far: { congestion: "reno" } })).join(), /^flow 1 .* was controlled by reno/);
    assert.match(countReasons(changed({ crossed_bytes: 10 })).join(), /and 10 crossed the link/);
  });

  test("is not held to flows that had not begun", () => {
    const waiting = { state: "not-started", started_ns: null, congestion: null } as const;
    assert.deepEqual(countReasons(changed({ near: waiting, far: waiting })), []);
  });
});
