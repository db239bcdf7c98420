// One run's result: made-up records in, numbers that follow by hand out; what cannot be said has its reason, and the schema takes all.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import { randomSource } from "../../../../../cli/base/random.ts";
import { flowResult } from "../../../../../cli/instruments/flows/metrics/flow_result.ts";
import type { FlowResult } from "../../../../../schemas/generated/flow_result.ts";
import { inlined } from "../../../../schemas/mutations.ts";
import { twoFlows } from "../records/two_flows.ts";
import { type MadeFlow, madeRecords, start_ns, steadily } from "./made_records.ts";

const validate = new Ajv({ strict: true, allowUnionTypes: true, keywords: ["metric"] }).compile(
  inlined("flow-result.schema.json"),
);

/** By the schema, finite, and with a reason for each null and for nothing else. */
function checked(result: FlowResult): FlowResult {
  assert.ok(validate(result), JSON.stringify(validate.errors));
  const sets = [...result.flows, ...result.groups, result.down, result.up, result.ping].filter((set) => set !== null);
  for (const { metrics, unavailable } of sets) {
    const nulls = Object.entries(metrics).flatMap(([name, value]) => (value === null ? [name] : []));
    assert.deepEqual(Object.keys(unavailable).toSorted(), nulls.toSorted());
    for (const value of Object.values(metrics)) assert.ok(value === null || Number.isFinite(value));
  }
  return result;
}

const alone: MadeFlow = { rates_bps: steadily(8_000_000, 10) };

test("one flow: goodput at the application, received rate at the link, and nothing of fairness", () => {
  const windows = Array.from({ length: 100 }, (_, place): [number, number] => [place < 50 ? 100_000 : 70_000, 60]);
  const flow = {
    ...alone,
    windows,
    bins: [
      [0, 500, 1, 1],
      [100, 900_000, 600, 20],
      [11_000, 400, 1, 1],
    ] as const,
  };
  const records = madeRecords({ flows: [flow], for_ms: 10_050, down: { link_bytes: 10_000_000, sent_packets: 9000 } });
  const result = checked(flowResult(records, [0]));
  const metrics = result.flows[0]?.metrics;
  assert.equal(metrics?.goodput_bps, 8_000_000);
  assert.equal(metrics?.received_bps, (10_000_000 * 1.05 * 8000) / 10_050);
  assert.equal(metrics?.share, 1);
  assert.equal(metrics?.loss_ratio, 0.01);
  assert.deepEqual([metrics?.lost_packets, metrics?.retransmitted_bytes], [7, 10_136]);
  assert.deepEqual([metrics?.queue_delay_p50_ms, metrics?.queue_delay_p95_ms], [20, 20]);
  assert.deepEqual([metrics?.rtt_p50_ms, metrics?.min_rtt_ms], [60, 40]);
  assert.equal(metrics?.window_median_bytes, 85_000);
  assert.ok(Math.abs((metrics?.largest_window_cut ?? 0) - 0.3) < 1e-12);
  assert.equal(metrics?.rate_variation, 0);
  assert.deepEqual([metrics?.connect_ms, metrics?.first_byte_ms, metrics?.completion_ms], [50, 75, null]);
  assert.equal(result.flows[0]?.unavailable.sender_cpu_ms, "not counted for each flow");
  // The last bin lies after the flow's end.
  assert.equal(result.down?.metrics.utilization, ((10_000_000 - 400) * 8000) / (10_000_000 * 10_050));
  assert.equal(result.down?.unavailable.jain, "one flow has nothing to share with");
  assert.equal(result.up, null);
  assert.equal(result.ping, null);
  assert.equal(result.run_ms, 10_050);
});

test("unequal starts: shares, Jain's index and convergence are of the time that the flows had in common", () => {
  const old = { rates_bps: [...steadily(9e6, 5), ...steadily(6e6, 2), ...steadily(5e6, 8)] };
  const late = { from_ms: 5000, rates_bps: [...steadily(3e6, 2), ...steadily(5e6, 8)] };
  const result = checked(flowResult(madeRecords({ flows: [old, late], for_ms: 15_050 }), [0, 1]));
  assert.deepEqual([result.down?.together_from_ms, result.down?.together_to_ms], [5050, 15_050]);
  const [x, y] = [52e6, 46e6];
  assert.ok(Math.abs((result.flows[0]?.metrics.share ?? 0) - x / (x + y)) < 1e-9);
  assert.ok(Math.abs((result.down?.metrics.jain ?? 0) - (x + y) ** 2 / (2 * (x ** 2 + y ** 2))) < 1e-9);
  assert.ok(Math.abs((result.down?.metrics.min_max_ratio ?? 0) - y / x) < 1e-9);
  assert.ok(Math.abs((result.down?.metrics.share_ratio ?? 0) - x / y) < 1e-9);
  assert.equal(result.down?.metrics.convergence_ms, 2000);
  assert.deepEqual(
    result.down?.jain_by_second.map(([second]) => second),
    [6, 7, 8, 9, 10, 11, 12, 13, 14],
  );
  assert.ok(Math.abs((result.down?.metrics.goodput_bps ?? 0) - (x + y + 45e6) / 15) < 1e-6);
});

test("a flow of a size: its completion time from its first packet, and none where it was cut off", () => {
  const asked = { size_bytes: 8_000_000 };
  const ends = { state: "ended" as const, received_bytes: 8_000_000 };
  const whole = { asked, rates_bps: steadily(8e6, 8), sender: ends, receiver: ends };
  const cut = { asked, rates_bps: steadily(4e6, 8) };
  const result = checked(flowResult(madeRecords({ flows: [whole, cut] }), [0, 0]));
  assert.equal(result.flows[0]?.metrics.completion_ms, 8050);
  const tenth_ms = (place: number): number => Math.round(result.flows[0]?.progress_ms?.[place] ?? 0);
  assert.deepEqual([0, 4, 9].map(tenth_ms), [850, 4050, 8050]);
  assert.deepEqual(
    result.flows[1]?.progress_ms?.slice(3, 6).map((at_ms) => at_ms && Math.round(at_ms)),
    [6450, 8050, null],
  );
  assert.equal(result.flows[0]?.metrics.goodput_bps, 8e6);
  assert.equal(result.flows[1]?.unavailable.completion_ms, "it was cut off before it had all 8000000 bytes");
  assert.deepEqual([result.groups.length, result.groups[0]?.flows, result.groups[0]?.metrics.share], [1, 2, 1]);
  assert.equal(result.groups[0]?.metrics.goodput_bps, 12e6);
  assert.equal(result.down?.unavailable.share_ratio, "it is of two kinds of flows: see each one's share");
});

test("a flow that failed has no goodput, and its direction no shares; one that never began neither", () => {
  const refused = { state: "failed" as const, error: "the far end refused it", started_ns: null, ended_ns: null };
  const never = { ...{ state: "not-started" as const, connect_begin_ns: null, connected_ns: null }, started_ns: null };
  const failed = { rates_bps: [], sender: refused, receiver: refused };
  const unstarted = { rates_bps: [], sender: never, receiver: { ...never, first_byte_ns: null, ended_ns: null } };
  const broken = checked(flowResult(madeRecords({ flows: [alone, failed] }), [0, 1]));
  assert.equal(broken.flows[1]?.state, "failed");
  assert.equal(broken.flows[1]?.error, "the far end refused it");
  assert.equal(broken.flows[1]?.unavailable.goodput_bps, "it failed: the far end refused it");
  assert.equal(broken.flows[0]?.metrics.goodput_bps, 8_000_000);
  assert.equal(broken.flows[0]?.unavailable.share, "flow 1 failed");
  assert.equal(broken.down?.unavailable.jain, "flow 1 failed");
  const missing = checked(flowResult(madeRecords({ flows: [unstarted] }), [0]));
  assert.equal(missing.flows[0]?.unavailable.goodput_bps, "it never began");
  assert.equal(missing.down?.unavailable.goodput_bps, "no flow ran");
});

test("utilization: only while flows asked for the link, of a summed capacity where the rate changed, none without a limit", () => {
  const bins = [
    [500, 1_000_000, 700, 5],
    [30_000, 1_000_000, 700, 5],
  ] as const;
  const early = { rates_bps: steadily(8e6, 1), bins: [bins[0]] };
  const later = { from_ms: 30_000, rates_bps: steadily(8e6, 1), bins: [bins[1]] };
  const made = { flows: [early, later], down: { link_bytes: 2_000_000, capacity_bytes: 4_000_000 } };
  const gap = checked(flowResult(madeRecords(made), [0, 1]));
  assert.equal(gap.down?.metrics.utilization, (2_000_000 * 8000) / (10_000_000 * 2100));
  assert.equal(gap.down?.unavailable.jain, "its flows never ran all at once");
  const steps = [
    { at_ms: 0, rate_bps: 1e7 },
    { at_ms: 1000, rate_bps: 2e7 },
  ];
  const changing = checked(flowResult(madeRecords({ ...made, link: { rate_steps: steps } as never }), [0, 1]));
  assert.equal(changing.down?.metrics.utilization, 0.5);
  const unlimited = checked(flowResult(madeRecords({ ...made, link: { rate_bps: null } }), [0, 1]));
  assert.equal(unlimited.down?.unavailable.utilization, "the link's rate is not limited");
});

test("pings: quantiles of those that came back, and how many did not", () => {
  const replies = Array.from({ length: 99 }, (_, place) => ({ sent_ns: start_ns, rtt_ns: (place + 1) * 1e6 }));
  const result = checked(flowResult(madeRecords({ flows: [alone], ping: { sent: 100, received: 99, replies } }), [0]));
  assert.equal(result.ping?.metrics.ping_p50_ms, 50);
  assert.ok(Math.abs((result.ping?.metrics.ping_lost ?? 0) - 0.01) < 1e-12);
  assert.equal(result.ping?.unavailable.ping_p99_ms, "99 replies are too few for it");
});

test("real shapes of records: both directions, and a run that was too short to say much", () => {
  const records = twoFlows();
  const { counters } = records;
  const sent = { down: { ...counters.down, link_bytes: 4500 }, up: { ...counters.up, link_bytes: 1240 } };
  const result = checked(flowResult({ ...records, counters: { ...counters, ...sent } }, [0, 1]));
  assert.deepEqual([result.down?.flows, result.up?.flows], [1, 1]);
  assert.equal(result.flows[0]?.metrics.goodput_bps, (30_000 * 8000) / 99);
  assert.equal(result.flows[1]?.metrics.goodput_bps, (10_000 * 8000) / 79);
  assert.throws(() => flowResult(twoFlows(), [0]), /2 flows were run, not 1/);
});

test("whatever flows there are, the schema takes the result, and shares add up to 1", () => {
  const random = randomSource(15, "flow results");
  const whole = (most: number): number => Math.floor(random() * most);
  for (let trial = 0; trial < 100; trial++) {
    const flows = Array.from({ length: 1 + whole(5) }, (): MadeFlow => {
      const windows = Array.from({ length: whole(50) }, (): [number, number] => [whole(100_000), whole(100)]);
      const bins = Array.from(
        { length: whole(20) },
        (_, at) => [at * 5, whole(9000), whole(6), random() * 50] as const,
      );
      const rates_bps = Array.from({ length: whole(12) }, () => (random() < 0.2 ? 0 : random() * 1e7));
      const asked = { direction: random() < 0.8 ? "down" : "up", size_bytes: random() < 0.2 ? 1000 : null } as const;
      return { from_ms: whole(4000), rates_bps, asked, windows, bins };
    });
    const result = checked(
      flowResult(
        madeRecords({ flows, link: { rate_bps: random() < 0.5 ? null : 1e7 } }),
        flows.map(({ asked }, flow) => (asked?.direction === "up" ? 2 : Math.min(flow, 1))),
      ),
    );
    for (const direction of ["down", "up"] as const) {
      const shared = result.flows.filter((flow) => flow.direction === direction).map((flow) => flow.metrics.share);
      if (shared.length === 0 || shared.includes(null)) continue;
      assert.ok(Math.abs(shared.reduce((sum: number, share) => sum + (share ?? 0), 0) - 1) < 1e-9);
    }
  }
});

test("a group whose flows do not all run at once has no more goodput than the link", () => {
  const short = { rates_bps: steadily(6e6, 4) };
  const late = { from_ms: 4000, rates_bps: steadily(10e6, 4) };
  const result = checked(flowResult(madeRecords({ flows: [short, late], for_ms: 8050 }), [0, 0]));
  const [group] = result.groups;
  // 3 MB in 4 s and 5 MB in the 4 s after the handshake's 50 ms.
  assert.ok(Math.abs((group?.metrics.goodput_bps ?? 0) - 8e6) < 1);
});

test("a flow that moves says how often it did; of another that is unavailable, with the reason", () => {
  const moving: MadeFlow = {
    ...alone,
    asked: { transport: "quic", migrate_ms: 1000 },
    receiver: { migrations: { begun: 9, made: 8 } },
  };
  const { flows } = checked(flowResult(madeRecords({ flows: [moving, alone] }), [0, 1]));
  assert.equal(flows[0]?.metrics.moves_made, 8);
  assert.equal(flows[1]?.metrics.moves_made, null);
  assert.equal(flows[1]?.unavailable.moves_made, "it was not to move");
});
