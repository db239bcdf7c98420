// Pages load over h3 with Sprout-EWMA by Chromium's own ACKs, losses end no load, and Chromium acknowledges more often when asked to:
// counted by the server.
// Wide: native-host/congestion, native-host/replay, shaper.
// Beside others: what depends on time is tried again.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { parseLink } from "../../cli/link/link.ts";
import { servingWithAcks } from "../../cli/load/serving/serving.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import { field, numberAt } from "../../cli/report/figures/unknown_json.ts";
import type { ServingChoice } from "../../schemas/generated/serving.ts";
import { tempFolder } from "../temp_folder.ts";
import { untimedLoad } from "./untimed_load.ts";

const home = tempFolder("trilane-sprout-");
type Recording = Awaited<ReturnType<typeof ensureSynth>>;
const recordings = new Map<string, Recording>();
before(async () => {
  for (const name of ["carlucci-small", "object-1MB"])
    recordings.set(name, await withArchive(home, (archive) => ensureSynth(archive, name)));
});

async function loadOver(page: string, form: string, choice: ServingChoice) {
  const recording = recordings.get(page);
  assert.ok(recording);
  const { log } = await untimedLoad({
    ...{ home, recording, lane: "h3", link: parseLink(form), serving: servingWithAcks({ serving: choice }) },
    timeout_ms: 60_000,
  });
  return log._trilane;
}

for (const form of ["5mbit/30ms", "5mbit/30ms,loss=1%", "1mbit/200ms"])
  test(`sprout-ewma-acks on ${form}`, async () => {
    const transport = { quic: { congestion_control: "sprout-ewma-acks" } } as const;
    const { status, reasons, replay, serving, environment } = await loadOver("carlucci-small", form, { transport });
    assert.deepEqual([status, ...reasons], ["valid"]);
    assert.equal(field(replay, "transport", "quic", "congestion_control"), "sprout-ewma-acks");
    assert.equal(field(replay, "transport", "quic", "pacing"), false);
    assert.equal(serving?.client_acks, "frequent");
    assert.ok(environment.command_lines.browser.some((word) => word.includes("ack_decimation_delay")));
    const connections = field(replay, "connections");
    assert.ok(Array.isArray(connections) && connections.some((each) => (numberAt(each, "acks", "acks") ?? 0) > 0));
  });

/** Packets of the server for each that acknowledged, of the only connection. */
async function cadenceOf(client_acks: "usual" | "frequent"): Promise<number> {
  const { replay } = await loadOver("object-1MB", "20mbit/30ms,queue=unlimited", { client_acks });
  const connections = field(replay, "connections");
  assert.ok(Array.isArray(connections));
  const [packets, acks] = ["packets", "acks"].map((name) => numberAt(connections[0], "acks", name) ?? Number.NaN);
  return (packets ?? Number.NaN) / (acks ?? Number.NaN);
}

test("Chromium acknowledges more often when asked to", async (context) => {
  const tries = 3;
  for (let left = tries; left > 0; left--) {
    const [usual, frequent] = [await cadenceOf("usual"), await cadenceOf("frequent")];
    context.diagnostic(`usual ${usual.toFixed(1)}, frequent ${frequent.toFixed(1)} packets for each acknowledgement`);
    if (frequent < 0.85 * usual) return;
  }
  assert.fail(`Chromium's switch changed nothing in ${tries} pairs of loads`);
});
