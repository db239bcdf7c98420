// trilane-flows and the shaper's bins over a real link, against each other and against iperf3. test/bench/flow_theory.ts has the long ones.
// Wide: native-host/flows, shaper.
// Beside others: all but tests of time.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { notInstalled } from "../../cli/install/requirements.ts";
import type { FlowRecords } from "../../cli/instruments/flows/records/flow_records.ts";
import type { BinSeries } from "../../cli/instruments/flows/records/series.ts";
import { readMachine, unrestBetween } from "../../cli/load/pressure.ts";
import { type Calm, timedTest } from "../calm_machine.ts";
import { flow, overdueShare, runFlowLab } from "../flows/flow_lab.ts";
import { goodput_bps } from "../flows/flow_measures.ts";
import { iperf3Goodput_bps } from "../flows/flow_oracles.ts";
import { tempFolder } from "../temp_folder.ts";

const home = tempFolder("trilane-flow-oracle-");

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

function assertSums(bins: BinSeries, counts: FlowRecords["counters"]["flows"][number]["down"]): void {
  assert.equal(sumOf(bins.arrived_bytes), counts.sent_bytes);
  assert.equal(sumOf(bins.left_bytes), counts.link_bytes);
  assert.equal(sumOf(bins.left_packets), counts.link_packets);
  assert.equal(sumOf(bins.marked_packets), counts.marked_packets);
  assert.equal(sumOf(bins.dropped_packets), counts.lost_packets.queue + counts.lost_packets.aqm);
}

test("bins of flows add up to their counters, and hold what the applications had", async () => {
  const flows = [flow("tcp:cubic"), flow("quic:cubic", { direction: "up", start_ms: 200 })];
  const link = "5mbit/20ms,queue=20p,loss_down=1%";
  const { records } = await runFlowLab(join(home, "sums"), { link, flows, for_s: 3 });
  assert.ok(records);
  for (const [place, { counted, down, up }] of records.bins.entries()) {
    const at = records.counters.flows[counted[0] ?? -1];
    assert.ok(at, `flow ${place} was counted`);
    assertSums(down, at.down);
    assertSums(up, at.up);
  }
  const [tcp, quic] = records.bins;
  const [received, gone] = [records.near.flows[0]?.received_bytes ?? 0, records.far.flows[1]?.received_bytes ?? 0];
  assert.ok(received > 0 && received < sumOf(tcp?.down.left_bytes ?? new Float64Array()));
  assert.ok(gone > 0 && gone < sumOf(quic?.up.left_bytes ?? new Float64Array()));
});

const asIperf3 = "a TCP flow has the goodput that iperf3 measures (within 0.5 %)";
const missing = notInstalled(["iperf3"]);
if (missing === null) timedTest(asIperf3, comparesWithIperf3);
else test(asIperf3, { skip: missing });

async function comparesWithIperf3(calm: Calm): Promise<void> {
  const link = "5mbit/20ms,queue=1bdp";
  const [seconds, skipped_s] = [8, 2];
  const before = readMachine();
  const began_ms = performance.now();
  const { records, shaper } = await runFlowLab(join(home, `iperf3-${began_ms}`), {
    link,
    flows: [flow("tcp:cubic")],
    for_s: seconds,
  });
  assert.ok(records);
  const theirs = await iperf3Goodput_bps(link, "cubic", { seconds, skipped_s });
  const { stalled, stolen } = unrestBetween(before, readMachine(), performance.now() - began_ms);
  if ((stalled ?? 0) > 0.1 || (stolen ?? 0) > 0.005 || overdueShare(shaper) > 0.002)
    calm.disturbed("other programs had the CPUs while flows were measured");
  const ours = goodput_bps(records, 0, { from_ms: skipped_s * 1000, to_ms: seconds * 1000 });
  assert.ok(Math.abs(ours / theirs - 1) <= 0.005, `${ours} bit/s by trilane-flows, ${theirs} by iperf3`);
}
