// What must hold whatever the machine: page load time against round trips and against bytes, through the real lab and
// the real browser. The expected numbers are theory, not earlier output. The lanes that are not plain: physics_lanes.test.ts.
import assert from "node:assert/strict";
import { before } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { plainLanes } from "../../cli/base/lanes.ts";
import { parseLink } from "../../cli/link/link.ts";
import type { Lane, PageLoad } from "../../cli/load/load.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import { type Calm, timedTest } from "../calm_machine.ts";
import { tempFolder } from "../temp_folder.ts";
import { calmLoad } from "./calm_load.ts";
import { alwaysHeld, pltOf, testRoundTrips } from "./round_trips.ts";
import type { Site } from "./site.ts";

const home = tempFolder("trilane-physics-");

const pages = new Map<string, Site>();
before(async () => {
  for (const name of ["object-1kB", "object-1MB", "carlucci-large"]) {
    pages.set(name, await withArchive(home, (archive) => ensureSynth(archive, name)));
  }
});

function pageOf(name: string): Site {
  const page = pages.get(name);
  assert.ok(page);
  return page;
}

function load(calm: Calm, page: string, lane: Lane, link: string): Promise<PageLoad> {
  return calmLoad(calm, { home, recording: pageOf(page), lane, link: parseLink(link), timeout_ms: 60_000 });
}

for (const lane of alwaysHeld) testRoundTrips(lane, home, async () => pageOf("object-1kB"));

timedTest("h1, h2, h3: 1 MB at 1 Mbit/s takes what its bytes on the wire need (within 2 %)", async (calm) => {
  // In three labs at once, which hardly need a CPU but while their browsers start: one after another.
  const results = await Promise.all(
    plainLanes.map(async (lane, place) => {
      await delay(place * 2000);
      return await load(calm, "object-1MB", lane, "1mbit/20ms");
    }),
  );
  for (const result of results) {
    const { shaper, lane } = result.log._trilane;
    assert.ok(shaper);
    const bytes = shaper.down.bytes_out;
    // All that the link carried towards the browser, at 1 Mbit/s, plus the round trips in which it carried nothing.
    const expected_ms = (bytes * 8) / 1000 + (lane === "h3" ? 3 : 4) * 20;
    const error = pltOf(result) / expected_ms - 1;
    assert.ok(Math.abs(error) <= 0.02, `${lane}: ${(error * 100).toFixed(2)} % longer`);
    // The bytes themselves: 1 MB of body and at the most 8 % of headers, acknowledgements and retransmissions.
    assert.ok(bytes > 1.03e6 && bytes < 1.08e6, `${lane}: ${bytes} bytes on the wire`);
  }
});

/** How many requests were sent and not answered whole when the n-th was sent. */
function underWay(result: PageLoad, nth: number): number {
  const spans = result.log.entries
    .map(({ startedDateTime, time, timings }) => {
      const start_ms = Date.parse(startedDateTime);
      return { sent_ms: start_ms + Math.max(0, timings.blocked ?? 0), end_ms: start_ms + time };
    })
    .toSorted((a, b) => a.sent_ms - b.sent_ms);
  const at_ms = spans[nth]?.sent_ms ?? Number.NaN;
  return spans.filter(({ sent_ms, end_ms }) => sent_ms <= at_ms && end_ms > at_ms).length;
}

// Chromium holds back images from hosts that, as far as it knows, take no priorities: six at a time, as over h1. Forced
// onto h3 it must know that it may ask at once, as it does over h2.
for (const lane of ["h2", "h3"] as const) {
  timedTest(`${lane}: of 217 images more than six at a time are asked for`, async (calm) => {
    const found = underWay(await load(calm, "carlucci-large", lane, "10mbit/50ms"), 150);
    assert.ok(found > 12, `${found} under way`);
  });
}
