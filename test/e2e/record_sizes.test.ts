// TLS records are as large as the recorded server made them: one that is more than an initial window makes the browser
// wait a round trip for a response's first byte. QUIC has no such records.
// Wide: cli/recording/record, native-host/replay.
// Beside others: a wait that is no longer than it should be is seen in one load of three.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lane } from "../../cli/base/lanes.ts";
import { parseLink } from "../../cli/link/link.ts";
import { measureLoad } from "../../cli/load/load.ts";
import { tempFolder } from "../temp_folder.ts";
import { recordSite } from "./site.ts";

const home = tempFolder("trilane-record-sizes-");

const rtt_ms = 200;
const link = parseLink(`100mbit/${rtt_ms}ms`);
const body = `<!doctype html>${"x".repeat(40_000)}`;

/** The browser waits so many round trips for the first byte of 40 kB. Never less; of three loads one not more, as a busy machine adds. */
async function assertWaits(lane: Lane, record_bytes: number | null, trips: number): Promise<void> {
  const tls = {
    ...{ version: "TLS 1.3", names: ["page.test"], issuer: "x", chain_bytes: 3000 },
    ...(record_bytes === null ? {} : { record_bytes }),
  };
  const recording = await recordSite(home, "page", [{ url: "https://page.test/", body, recorded: { tls } }]);
  const waits_ms: number[] = [];
  for (let run = 0; run < 3; run++) {
    const { log } = await measureLoad({ home, recording, lane, link, timeout_ms: 30_000 });
    const wait_ms = log.entries[0]?.timings.wait ?? Number.NaN;
    assert.ok(wait_ms > trips * rtt_ms - 20, `${wait_ms} ms`);
    if (wait_ms < (trips + 0.7) * rtt_ms) return;
    waits_ms.push(wait_ms);
  }
  assert.fail(`${waits_ms.join(", ")} ms`);
}

for (const [lane, roundTrips] of [
  ["h1", 2],
  ["h2", 2],
  ["h3", 1],
] as const) {
  test(`${lane}: a first byte in ${roundTrips} round trips where records were large, else in one`, async () => {
    await assertWaits(lane, 16_384, roundTrips);
    await assertWaits(lane, 1400, 1);
    await assertWaits(lane, null, 1);
  });
}
