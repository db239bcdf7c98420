// TLS records are as large as the recorded server made them: one that is more than an initial window makes the browser
// wait a round trip for a response's first byte. QUIC has no such records.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Lane } from "../../cli/base/lanes.ts";
import { parseLink } from "../../cli/link/link.ts";
import { measureLoad } from "../../cli/load/load.ts";
import { recordSite } from "./site.ts";

const home = mkdtempSync(join(tmpdir(), "trilane-record-sizes-"));
after(() => rmSync(home, { recursive: true, force: true }));

const rtt_ms = 200;
const link = parseLink(`100mbit/${rtt_ms}ms`);
const body = `<!doctype html>${"x".repeat(40_000)}`;

/** How long the browser waits for the first byte of a response of 40 kB; the least of three, as a busy machine adds. */
async function wait_ms(lane: Lane, record_bytes: number | null): Promise<number> {
  const tls = {
    ...{ version: "TLS 1.3", names: ["page.test"], issuer: "x", chain_bytes: 3000 },
    ...(record_bytes === null ? {} : { record_bytes }),
  };
  const recording = await recordSite(home, "page", [{ url: "https://page.test/", body, recorded: { tls } }]);
  const waits: number[] = [];
  for (let run = 0; run < 3; run++) {
    const { log } = await measureLoad({ home, recording, lane, link, timeout_ms: 30_000 });
    waits.push(log.entries[0]?.timings.wait ?? Number.NaN);
  }
  return Math.min(...waits);
}

for (const [lane, roundTrips] of [
  ["h1", 2],
  ["h2", 2],
  ["h3", 1],
] as const) {
  test(`${lane}: a first byte in ${roundTrips} round trips where records were large, else in one`, async () => {
    const isAbout = (measured_ms: number, trips: number) =>
      assert.ok(measured_ms > trips * rtt_ms - 20 && measured_ms < (trips + 0.7) * rtt_ms, `${measured_ms} ms`);
    isAbout(await wait_ms(lane, 16_384), roundTrips);
    isAbout(await wait_ms(lane, 1400), 1);
    isAbout(await wait_ms(lane, null), 1);
  });
}
