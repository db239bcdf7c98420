// What must hold whatever the machine: page load time against round trips and against bytes, through the real lab and
// the real browser. The expected numbers are theory, not earlier output.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { parseLink } from "../../cli/link/link.ts";
import type { Lane, PageLoad } from "../../cli/load/load.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/ensure.ts";
import { type Calm, timedTest } from "../calm_machine.ts";
import { calmLoad } from "./calm_load.ts";

const home = mkdtempSync(join(tmpdir(), "trilane-physics-"));
after(() => rmSync(home, { recursive: true, force: true }));

const pages = new Map<string, { name: string; digest: string; url: string }>();
before(async () => {
  for (const name of ["object-1kB", "object-1MB", "carlucci-large"]) {
    pages.set(name, await withArchive(home, (archive) => ensureSynth(archive, name)));
  }
});

function load(calm: Calm, page: string, lane: Lane, link: string): Promise<PageLoad> {
  const recording = pages.get(page);
  assert.ok(recording);
  return calmLoad(calm, { home, recording, lane, link: parseLink(link), timeout_ms: 60_000 });
}

function pltOf(result: PageLoad): number {
  const { plt_ms } = result.log._trilane.metrics;
  assert.ok(plt_ms !== null);
  return plt_ms;
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Least-squares slope of y over x. */
function slope(points: { x: number; y: number }[]): number {
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, p) => sum + of(p), 0) / points.length;
  const x0 = mean((p) => p.x);
  const y0 = mean((p) => p.y);
  const covariance = points.reduce((sum, p) => sum + (p.x - x0) * (p.y - y0), 0);
  return covariance / points.reduce((sum, p) => sum + (p.x - x0) ** 2, 0);
}

const rtts_ms = [20, 50, 100, 200];

// h1, h2: DNS, TCP, TLS 1.3, request and answer. h3: DNS, QUIC with TLS 1.3 in it, request and answer.
for (const [lane, roundTrips] of [
  ["h1", 4],
  ["h2", 4],
  ["h3", 3],
] as const) {
  timedTest(`${lane}: PLT of a one-object page grows by ${roundTrips} round trips (within 3 %)`, async (calm) => {
    const points: { x: number; y: number }[] = [];
    for (const rtt_ms of rtts_ms) {
      const plts: number[] = [];
      for (let run = 0; run < 5; run++) plts.push(pltOf(await load(calm, "object-1kB", lane, `100mbit/${rtt_ms}ms`)));
      points.push({ x: rtt_ms, y: median(plts) });
    }
    const found = slope(points);
    const told = `slope ${found.toFixed(3)}: ${points.map(({ x, y }) => `${x} ms: ${y.toFixed(1)} ms`).join(", ")}`;
    assert.ok(Math.abs(found / roundTrips - 1) <= 0.03, told);
  });
}

for (const lane of ["h1", "h2", "h3"] as const) {
  timedTest(`${lane}: 1 MB at 1 Mbit/s takes what its bytes on the wire need (within 2 %)`, async (calm) => {
    const results: PageLoad[] = [];
    for (let run = 0; run < 3; run++) results.push(await load(calm, "object-1MB", lane, "1mbit/20ms"));
    const errors = results.map((result) => {
      const { shaper } = result.log._trilane;
      assert.ok(shaper);
      // All that the link carried towards the browser, at 1 Mbit/s, plus the round trips in which it carried nothing.
      const expected_ms = (shaper.down.bytes_out * 8) / 1e6 / 1e-3 + (lane === "h3" ? 3 : 4) * 20;
      return pltOf(result) / expected_ms - 1;
    });
    // The bytes themselves: 1 MB of body and at the most 8 % of headers, acknowledgements and retransmissions.
    for (const result of results) {
      const bytes = result.log._trilane.shaper?.down.bytes_out ?? 0;
      assert.ok(bytes > 1.03e6 && bytes < 1.08e6, `${bytes} bytes on the wire`);
    }
    assert.ok(Math.abs(median(errors)) <= 0.02, `errors ${errors.map((e) => `${(e * 100).toFixed(2)} %`).join(", ")}`);
  });
}

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
