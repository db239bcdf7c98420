// Loads on links that treat UDP in their own way: what counts as having fallen back to TCP, and what a lane cannot do there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PlannedTask } from "../../../cli/engine/planned_task.ts";
import type { LinkProfile } from "../../../cli/link/link.ts";
import { blockedReason, fallbackOf, isBlockedReason } from "../../../cli/load/lane_agreement.ts";
import { verify } from "../../../cli/load/validity.ts";
import { evidence, over, shaperReport } from "./fixtures.ts";

const way = { rate_bps: 20e6, delay_ms: 20, queue: { bdp: 1 }, loss: 0 };
const open: LinkProfile = { down: way, up: way, rtt_ms: 40, seed: 1 };
const refusing: LinkProfile = { ...open, udp: { blocked: true } };

function shaperWith(quic_ns: number | null, tcp_ns: number | null) {
  const report = shaperReport();
  return { ...report, udp: { quic_ns, tcp_ns }, up: { ...report.up, drops: { ...report.up.drops, udp: 4 } } };
}

const tried = shaperWith(1_000_000_000, 1_062_500_000);

test("h3-discovered over HTTP/2 is a result on a link that refuses UDP, and spoilt on any other", () => {
  const load = { lane: "h3-discovered" as const, shaper: tried, ...over("h2", "h2") };
  const fell = verify(evidence({ ...load, link: refusing }));
  assert.deepEqual([fell.status, fell.reasons], ["valid", []]);
  assert.deepEqual(fell.fallback, { fell_back: true, time_ms: 62.5, requests_over_tcp: 2, requests: 2 });
  assert.equal(fell.counts.off_lane, 0);
  const spoilt = verify(evidence({ ...load, link: open }));
  assert.equal(spoilt.status, "invalid");
  assert.match(spoilt.reasons[0] ?? "", /^2 of 2 requests not on h3-discovered/);
  assert.equal(spoilt.fallback, null);
});

test("a browser that did not try QUIC did not fall back", () => {
  const verdict = verify(
    evidence({ lane: "h3-discovered", link: refusing, shaper: shaperWith(null, null), ...over("h2", "h2") }),
  );
  assert.equal(verdict.status, "invalid");
  assert.match(verdict.reasons[0] ?? "", /not on h3-discovered/);
});

test("HTTP/1.1 is no fallback of theirs, and no other lane has one", () => {
  const spoilt = verify(evidence({ lane: "h3-discovered", link: refusing, shaper: tried, ...over("h2", "http/1.1") }));
  assert.match(spoilt.reasons[0] ?? "", /^1 of 2 requests not on h3-discovered/);
  for (const lane of ["h1", "h2", "h3", "h3-0rtt"] as const)
    assert.equal(fallbackOf({ lane, link: refusing, shaper: tried, protocols: ["h2"] }), null);
  assert.match(
    verify(evidence({ lane: "h3", link: refusing, shaper: tried, ...over("h2", "h2") })).reasons[0] ?? "",
    /not on h3:/,
  );
});

test("h3-altsvc begins over HTTP/2: it fell back if nothing came over HTTP/3", () => {
  const of = (...protocols: (string | undefined)[]) =>
    fallbackOf({ lane: "h3-altsvc", link: refusing, shaper: tried, protocols })?.fell_back;
  assert.equal(of("h2", "h2", undefined), true);
  assert.equal(of("h2", "h3"), false);
  assert.equal(of(undefined), false);
  const late: LinkProfile = { ...open, udp: { late_ms: 200 } };
  const mixed = fallbackOf({ lane: "h3-discovered", link: late, shaper: tried, protocols: ["h3", "h2"] });
  assert.deepEqual(mixed, { fell_back: true, time_ms: 62.5, requests_over_tcp: 1, requests: 2 });
});

test("a forced lane that loaded nothing is invalid for that one reason, and not tried again", () => {
  const failure = "the page did not load: net::ERR_QUIC_PROTOCOL_ERROR";
  const spoilt = ["the machine held up the link: for long"];
  for (const lane of ["h3", "h3-0rtt"] as const) {
    const { status, reasons } = verify(evidence({ lane, link: refusing, shaper: tried, failure, spoilt }));
    assert.equal(status, "invalid");
    assert.deepEqual(reasons, [`UDP is blocked on this link, and nothing but HTTP/3 is allowed on lane ${lane}`]);
    const task = new PlannedTask({ position: 0, block: 0, cell: 0 }, {}, 2);
    task.add(0, { status, reasons });
    assert.equal(task.isDone(true), true);
  }
  assert.equal(isBlockedReason(failure), false);
  // A browser that crashed before it sent anything, a lane that does not need UDP, and UDP that is only limited.
  assert.equal(blockedReason("h3", refusing, shaperReport()), null);
  assert.equal(blockedReason("h2", refusing, tried), null);
  assert.equal(blockedReason("h3", { ...open, udp: { rate_bps: 1e6 } }, tried), null);
  assert.equal(verify(evidence({ lane: "h2", link: refusing, shaper: tried, failure })).status, "failed");
});
